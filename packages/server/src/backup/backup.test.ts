import { execFileSync, spawn } from 'node:child_process'
import { hash } from 'node:crypto'
import { once } from 'node:events'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { SERVER_PROCESS } from '@medialog/cli/server-process'
import { openSqliteEventStore } from '@medialog/event-store'
import { usd } from '@medialog/kernel'
import { unpackDataFolder } from '@medialog/test/harness/data-folders'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openSqliteWebhookStore } from '@medialog/messaging/webhooks/sqlite-store'
import { readConfig } from '../config.ts'
import { foldersIn } from '../embedded/folders.ts'
import { ArtifactCopies } from './backup-folder.ts'
import { PLAIN } from './encryption.ts'
import { makeBackup, type BackupOptions } from './make-backup.ts'
import { NOTHING_ERASED, readErasures, type ErasureList } from './erasure-list.ts'
import { restore } from './restore.ts'

const unheard = () => undefined
const AS_IT_IS: BackupOptions = { encryptTo: null, keep: 1 }

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'medialog-backup-'))
  unpackDataFolder('release-0.1', data())
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const data = (): string => join(root, 'data')
const kept = (): string => join(root, 'backup')
const keptPlainly = () => ({ folder: kept(), openWith: null })
const restored = (): string => join(root, 'restored')

const source = (environment: Record<string, string> = {}) =>
  readConfig({ MEDIALOG_DATA_DIR: data(), ...environment })
const backUp = () => makeBackup(source(), kept(), AS_IT_IS, unheard)
const restoreIt = (erasures = NOTHING_ERASED) => restore(keptPlainly(), restored(), erasures, unheard)

/** As it is read from the file that a service wrote after the backup. */
function erasureList(erased: { deleted?: object[]; closed_accounts?: string[] }): ErasureList {
  const list = join(root, 'erasures.json')
  const made_at = '2999-01-01T00:00:00.000Z'
  writeFileSync(list, JSON.stringify({ format: 1, made_at, deleted: [], closed_accounts: [], ...erased }))
  return readErasures(list)
}

/** Paths of all files below, by what makes them recognisable. */
function fileIn(folder: string, pattern: RegExp): string {
  const found = (readdirSync(folder, { recursive: true }) as string[])
    .sort()
    .find((path) => pattern.test(path) && statSync(join(folder, path)).isFile())
  return join(folder, found!)
}

function flipByte(path: string, at = 0.5): void {
  const bytes = readFileSync(path)
  bytes[Math.floor(bytes.length * at)]! ^= 1
  writeFileSync(path, bytes)
}

test('how far webhooks are is restored with their log', async () => {
  const before = openSqliteWebhookStore(foldersIn(data()).webhooks)
  await before.apply([], 12)
  await backUp()
  await before.close()
  await restoreIt()
  const after = openSqliteWebhookStore(foldersIn(restored()).webhooks)
  expect(await after.position()).toBe(12)
  await after.close()
})

test('what is restored is what was backed up, in the same numbers', async () => {
  const { manifest, copied } = await backUp()
  expect(manifest).toMatchObject({ events: 18, position: 20, accounts: 1, items: 3, balance: '9840000000' })
  expect(copied).toBe(6)
  const report = await restoreIt()
  expect(report).toMatchObject({ events: 18, accounts: 1, items: 3, erased: 0, balance: usd('9.84') })
  const artifacts = (folder: string) =>
    (readdirSync(join(folder, 'artifacts'), { recursive: true }) as string[])
      .filter((path) => /\.(?:json|bin)$/.test(path))
      .map((path) => `${path} ${hash('sha256', readFileSync(join(folder, 'artifacts', path)))}`)
      .sort()
  expect(artifacts(restored())).toEqual(artifacts(data()))
  const tokenIn = (folder: string) => readFileSync(join(folder, 'secrets', 'operator-token'), 'utf8')
  expect(tokenIn(restored())).toBe(tokenIn(data()))
  expect(statSync(join(restored(), 'secrets', 'operator-token')).mode & 0o077).toBe(0)
})

test('what several items hold is copied and counted once', async () => {
  const copies = new ArtifactCopies(kept(), PLAIN)
  const bytes = Buffer.from('what two items hold')
  const artifact = { sha256: hash('sha256', bytes), size: bytes.length }
  const copy = async () => {
    if (!(await copies.has(artifact))) await copies.put(artifact.sha256, bytes)
  }
  await Promise.all([copy(), copy()])
  await copies.sync()
  const { files, copied } = copies
  expect({ files, copied, size: copies.bytes }).toEqual({ files: 1, copied: 1, size: bytes.length })
})

test('another backup into the same folder copies what is new, and forgets what is gone', async () => {
  await backUp()
  const stranger = join(kept(), 'artifacts', 'ab', 'ab'.repeat(32))
  writeFileSync(fileIn(kept(), /^artifacts\/../), 'cut short')
  mkdirSync(dirname(stranger), { recursive: true })
  writeFileSync(stranger, 'of an item that was deleted')
  const again = await backUp()
  expect(again).toMatchObject({ copied: 1, removed: 1, manifest: { artifacts: { files: 6 } } })
  expect(readdirSync(join(kept(), 'runs'))).toEqual([again.manifest.run])
  expect(existsSync(stranger)).toBe(false)
  expect(await restoreIt()).toMatchObject({ items: 3 })
})

test('what was deleted since the backup is erased again, and nothing else', async () => {
  await backUp()
  const [gone, other] = readdirSync(join(data(), 'artifacts'), { recursive: true })
    .map((path) => String(path).split('/'))
    .filter((parts) => parts.length === 3)
    .map(([account_id, media_id, ingest_id]) => ({ account_id, media_id, ingest_id }))
  const deleted = [
    { ...gone, at: '2999-01-01T00:00:00.000Z' },
    // Deleted, then uploaded anew, before the backup was made: what is there is a later ingest.
    { ...other, ingest_id: gone!.ingest_id, at: '2000-01-01T00:00:00.000Z' },
  ]
  expect(await restoreIt(erasureList({ deleted }))).toMatchObject({
    items: 2,
    erased: 1,
    balance: usd('9.84'),
  })
  const left = readdirSync(join(restored(), 'artifacts'), { recursive: true }).map(String)
  expect(left.filter((path) => path.includes(gone!.media_id!))).toEqual([])
  expect(left.filter((path) => path.includes(other!.media_id!)).length).toBeGreaterThan(0)
  // What was restored can be backed up in turn, without it.
  const next = await makeBackup(
    source({ MEDIALOG_DATA_DIR: restored() }),
    join(root, 'next'),
    AS_IT_IS,
    unheard,
  )
  expect(next.manifest).toMatchObject({ items: 2, artifacts: { files: 4 } })
})

test('an account that was closed since the backup is closed again, before a service starts', async () => {
  await backUp()
  const account = readdirSync(join(data(), 'artifacts')).find((name) => !name.startsWith('.'))!
  await restoreIt(erasureList({ closed_accounts: [account] }))
  const log = await openSqliteEventStore({ path: foldersIn(restored()).log })
  const types: string[] = []
  for await (const { type } of log.read(`account-${account}`)) types.push(type)
  await log.close()
  expect(types.at(-1)).toBe('AccountClosed')
})

test.each<[string, () => void, RegExp]>([
  [
    'a damaged artifact',
    () => flipByte(fileIn(kept(), /^artifacts\/../)),
    /item [0-9a-f-]{36} .* has other bytes/,
  ],
  ['no artifact', () => rmSync(fileIn(kept(), /^artifacts\/../)), /item [0-9a-f-]{36} .* cannot be read/],
  ['a damaged log', () => flipByte(fileIn(kept(), /events\.sqlite$/)), /log\/events\.sqlite has other bytes/],
  ['no log', () => rmSync(fileIn(kept(), /events\.sqlite$/)), /log\/events\.sqlite is missing/],
  [
    'damaged leaves',
    () => flipByte(fileIn(kept(), /leaves\.sqlite$/)),
    /audit\/leaves\.sqlite has other bytes/,
  ],
  [
    'a damaged secret',
    () => flipByte(fileIn(kept(), /operator-token$/)),
    /secrets\/operator-token has other bytes/,
  ],
])('a backup with %s is refused, says so, and leaves nothing behind', async (_, damage, said) => {
  await backUp()
  damage()
  await expect(restoreIt()).rejects.toThrow(said)
  expect(readdirSync(restored()).filter((name) => !name.startsWith('medialog.lock'))).toEqual([])
})

test.each<[string, (manifest: Record<string, unknown>) => void, RegExp]>([
  ['cut short', (manifest) => delete manifest.key, /manifest\.json is damaged/],
  ['of a newer release', (manifest) => (manifest.format = 3), /a newer release made it/],
  ['of a newer data folder', (manifest) => (manifest.data_format = 99), /this one is older/],
  ['with another balance', (manifest) => (manifest.balance = '1'), /comes to balance 9840000000, .* says 1/],
  [
    'with another checkpoint',
    (manifest) => (manifest.checkpoint = String(manifest.checkpoint).replace('\n18\n', '\n17\n')),
    /no signature of a known key is on it/,
  ],
])('a manifest %s is refused', async (_, change, said) => {
  await backUp()
  const path = join(kept(), 'manifest.json')
  const manifest = JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>
  change(manifest)
  writeFileSync(path, JSON.stringify(manifest))
  await expect(restoreIt()).rejects.toThrow(said)
})

test('folders that hold something else are left alone', async () => {
  writeFileSync(join(root, 'note.txt'), 'mine')
  await expect(makeBackup(source(), root, AS_IT_IS, unheard)).rejects.toThrow('lie within each other')
  await expect(makeBackup(source(), join(data(), 'backup'), AS_IT_IS, unheard)).rejects.toThrow(
    'lie within each other',
  )
  const other = mkdtempSync(join(tmpdir(), 'medialog-other-'))
  writeFileSync(join(other, 'note.txt'), 'mine')
  await expect(makeBackup(source(), other, AS_IT_IS, unheard)).rejects.toThrow('no folder of backups')
  await backUp()
  await expect(restore(keptPlainly(), other, NOTHING_ERASED, unheard)).rejects.toThrow('is not empty')
  expect(readdirSync(other)).toEqual(['note.txt'])
  rmSync(other, { recursive: true })
  await expect(
    restore({ folder: join(root, 'nowhere'), openWith: null }, restored(), NOTHING_ERASED, unheard),
  ).rejects.toThrow('no manifest.json')
})

test('a volume of its own, or a death right after the lock was taken, leaves a folder as good as an empty one', async () => {
  mkdirSync(join(kept(), 'lost+found'), { recursive: true })
  writeFileSync(join(kept(), 'medialog.lock'), '')
  await backUp()
  await restoreIt()
  expect(readdirSync(kept())).toContain('lost+found')
})

test('what is erased while it is copied was deleted, and is not in the backup', async () => {
  const erase = new URL('../testing/erase-item.ts', import.meta.url).pathname
  let erased = ''
  const { manifest } = await makeBackup(source(), kept(), AS_IT_IS, ({ message }) => {
    // The log was copied, and tells of it still.
    if (erased === '' && message.startsWith('artifacts: item 0 of 3'))
      erased = execFileSync(process.execPath, [erase, data()], { encoding: 'utf8' }).trim()
  })
  expect(erased).toMatch(/^[0-9a-f-]{36}$/)
  expect(manifest).toMatchObject({ items: 2, artifacts: { files: 4 } })
  expect(await restoreIt()).toMatchObject({ items: 2 })
})

test('a data folder that lacks an artifact is not backed up in silence', async () => {
  rmSync(fileIn(join(data(), 'artifacts'), /vectors\.bin$/))
  await expect(backUp()).rejects.toThrow(/data folder .* is damaged: vectors\.bin of ingest .* is missing/)
})

test('a key that is elsewhere has to be named, for the backup is signed with it', async () => {
  await backUp()
  await restoreIt()
  const there = { MEDIALOG_DATA_DIR: restored() }
  const key = join(root, 'key.pem')
  renameSync(join(restored(), 'secrets', 'checkpoint-key.pem'), key)
  await expect(makeBackup(source(there), join(root, 'next'), AS_IT_IS, unheard)).rejects.toThrow(
    'MEDIALOG_CHECKPOINT_KEY',
  )
  const named = source({ ...there, MEDIALOG_CHECKPOINT_KEY: key })
  const { manifest } = await makeBackup(named, join(root, 'next'), AS_IT_IS, unheard)
  expect(Object.keys(manifest.files)).not.toContain('secrets/checkpoint-key.pem')
})

test('what is on servers is backed up by their own means', async () => {
  const there = source({ EVENTSTOREDB_URL: 'esdb://127.0.0.1:1?tls=false' })
  await expect(makeBackup(there, kept(), AS_IT_IS, unheard)).rejects.toThrow('EventStoreDB server')
})

test('a restore that was killed leaves a folder that only a restore begins anew', async () => {
  await backUp()
  // Killed as soon as something is there, which is before all of it is.
  const options = JSON.stringify({ folder: kept(), data: restored() })
  const child = spawn(process.execPath, [SERVER_PROCESS.maintenance, 'restore', options])
  const exited = once(child, 'exit')
  while (!existsSync(join(restored(), 'format.json')) && child.exitCode === null)
    await new Promise((resolve) => setTimeout(resolve, 1))
  child.kill('SIGKILL')
  const [code] = (await exited) as [number | null]
  expect([null, 0]).toContain(code)
  // Where the whole restore was quicker than the kill there is nothing to begin anew.
  if (code === 0) rmSync(restored(), { recursive: true })
  expect(await restoreIt()).toMatchObject({ items: 3 })
})
