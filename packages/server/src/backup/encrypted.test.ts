import { execFileSync, spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { unpackDataFolder } from '@medialog/test/harness/data-folders'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openCheckpointKey } from '../checkpoint-key.ts'
import { readConfig } from '../config.ts'
import { newKeys, type EncryptTo, type OpenWith } from './encryption.ts'
import { NOTHING_ERASED } from './erasure-list.ts'
import { encryptToOf, openWithOf, writeKeys } from './keys.ts'
import { listBackups } from './list.ts'
import { makeBackup } from './make-backup.ts'
import { restore } from './restore.ts'
import { verifyBackup } from './verify.ts'

const unheard = () => undefined
const ALL = Number.MAX_SAFE_INTEGER

let keys: Awaited<ReturnType<typeof newKeys>>
let others: Awaited<ReturnType<typeof newKeys>>
let toKeys: EncryptTo
let byKeys: OpenWith
beforeAll(async () => {
  ;[keys, others] = [await newKeys(), await newKeys()]
  toKeys = { recipients: [keys.recipient] }
  byKeys = { identities: [keys.identity] }
})

let root: string
let temporary: string | undefined
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'medialog-encrypted-'))
  temporary = process.env['TMPDIR']
  process.env['TMPDIR'] = join(root, 'tmp')
  mkdirSync(process.env['TMPDIR'])
  unpackDataFolder('release-0.1', data())
})
afterEach(() => {
  if (temporary === undefined) delete process.env['TMPDIR']
  else process.env['TMPDIR'] = temporary
  rmSync(root, { recursive: true, force: true })
})

const data = (): string => join(root, 'data')
const kept = (): string => join(root, 'backup')
const restored = (): string => join(root, 'restored')

const backUp = (encryptTo: EncryptTo | null = toKeys, keep = 1) =>
  makeBackup(readConfig({ MEDIALOG_DATA_DIR: data() }), kept(), { encryptTo, keep }, unheard)
const place = (openWith: OpenWith | null = byKeys, run?: string) => ({
  folder: kept(),
  openWith,
  ...(run !== undefined && { run }),
})
const restoreIt = (openWith?: OpenWith | null, run?: string) => {
  rmSync(restored(), { recursive: true, force: true })
  return restore(place(openWith, run), restored(), NOTHING_ERASED, unheard)
}

const filesIn = (folder: string): string[] =>
  (readdirSync(folder, { recursive: true }) as string[])
    .map((path) => join(folder, path))
    .filter((path) => statSync(path).isFile())
const artifactsIn = (folder: string) =>
  filesIn(join(folder, 'artifacts'))
    .filter((path) => /\.(?:json|bin)$/.test(path))
    .sort()
    .map((path) => [path.replace(folder, ''), readFileSync(path).toString('base64')])
const encryptedFiles = (pattern: RegExp) => filesIn(kept()).filter((path) => pattern.test(path))

function flipByte(path: string, at = 0.9): void {
  const bytes = readFileSync(path)
  bytes[Math.floor(bytes.length * at)]! ^= 1
  writeFileSync(path, bytes)
}

describe('an encrypted backup', () => {
  test('holds nothing that can be read, also while it is made', async () => {
    const token = readFileSync(join(data(), 'secrets', 'operator-token'), 'utf8').trim()
    const [, text] = artifactsIn(data()).find(([path]) => path!.endsWith('.json'))!
    const secrets = [
      token,
      Buffer.from(text!, 'base64').toString().slice(0, 60),
      'SQLite format',
      '9840000000',
    ]
    const readable = () =>
      filesIn(kept())
        .filter((path) => !path.includes('medialog.lock'))
        .filter((path) => secrets.some((secret) => readFileSync(path).includes(secret)))
    const seen = new Set<string>()
    await makeBackup(readConfig({ MEDIALOG_DATA_DIR: data() }), kept(), { encryptTo: toKeys, keep: 1 }, () =>
      readable().forEach((path) => seen.add(path)),
    )
    expect([...seen, ...readable()]).toEqual([])
    expect(filesIn(process.env['TMPDIR']!)).toEqual([])
    // Nor can an artifact of known content be looked for by its name.
    const names = encryptedFiles(/artifacts\/../).map((path) => path.split('/').at(-1))
    await backUp(toKeys)
    expect(encryptedFiles(/artifacts\/../).map((path) => path.split('/').at(-1))).toEqual(names)
    rmSync(kept(), { recursive: true })
    await backUp(null)
    const plain = new Set(encryptedFiles(/artifacts\/../).map((path) => path.split('/').at(-1)))
    expect(names.filter((name) => plain.has(name!.replace('.age', '')))).toEqual([])
  })

  test('is restored by its key to what was backed up', async () => {
    const { manifest } = await backUp()
    expect(await restoreIt()).toMatchObject({ events: manifest.events, items: 3 })
    expect(artifactsIn(restored())).toEqual(artifactsIn(data()))
  })

  test('is restored by its passphrase, and no other', async () => {
    const passphrase = 'correct horse battery staple'
    await backUp({ passphrase })
    await expect(backUp({ passphrase: 'another one' })).rejects.toThrow('the passphrase is not the one')
    await expect(restoreIt({ passphrase: 'another one' })).rejects.toThrow('the passphrase is not the one')
    await expect(restoreIt(null)).rejects.toThrow('encrypted with a passphrase')
    expect(await restoreIt({ passphrase })).toMatchObject({ items: 3 })
  })

  test('is refused without its key, and with another', async () => {
    await backUp()
    await expect(restoreIt(null)).rejects.toThrow(`encrypted to ${keys.recipient}`)
    await expect(restoreIt({ identities: [others.identity] })).rejects.toThrow('the key does not open it')
    await expect(restoreIt({ identities: ['no key'] })).rejects.toThrow('no secret key of age')
    await expect(restoreIt({ passphrase: 'correct horse' })).rejects.toThrow('not with a passphrase')
    expect(existsSync(restored())).toBe(false)
  })

  test('is not followed by one that can be read, unless in another folder', async () => {
    await backUp()
    await expect(backUp(null)).rejects.toThrow('are encrypted')
    expect(await restoreIt()).toMatchObject({ items: 3 })
  })

  test('to other keys is copied again: the former ones do not open it', async () => {
    await backUp()
    expect(await backUp({ recipients: [keys.recipient, keys.recipient] })).toMatchObject({ copied: 0 })
    expect(await backUp({ recipients: [others.recipient] })).toMatchObject({ copied: 6, removed: 6 })
    await expect(restoreIt()).rejects.toThrow('the key does not open it')
    expect(await restoreIt({ identities: [keys.identity, others.identity] })).toMatchObject({ items: 3 })
    const both = await backUp({ recipients: [others.recipient, keys.recipient] })
    expect(both).toMatchObject({ copied: 6, removed: 6 })
    expect(await restoreIt()).toMatchObject({ items: 3 })
  })

  test.each([
    ['manifest', /manifest\.json\.age$/, /its manifest is damaged/],
    ['log', /events\.sqlite\.age$/, /log\/events\.sqlite has other bytes/],
    ['leaves', /leaves\.sqlite\.age$/, /audit\/leaves\.sqlite has other bytes/],
    ['secret', /operator-token\.age$/, /secrets\/operator-token has other bytes/],
    ['artifact', /artifacts\/..\//, /\(artifacts, \w+\) has other bytes/],
  ])('with a damaged %s is refused, and leaves nothing behind', async (_, which, said) => {
    await backUp()
    flipByte(encryptedFiles(which)[0]!)
    await expect(verifyBackup(place(), ALL, unheard)).rejects.toThrow(said)
    await expect(restoreIt()).rejects.toThrow(said)
    const left = existsSync(restored()) ? readdirSync(restored()) : []
    expect(left.filter((name) => !name.startsWith('medialog.lock'))).toEqual([])
    expect(filesIn(process.env['TMPDIR']!)).toEqual([])
  })

  test('that was killed leaves its working copy to the next one, which removes it', async () => {
    await backUp()
    const [before] = await listBackups(kept())
    const killed = new URL('../testing/killed-backup.ts', import.meta.url).pathname
    const args = [killed, data(), kept(), keys.recipient]
    expect(spawnSync(process.execPath, args, { stdio: 'pipe' }).signal).toBe('SIGKILL')
    expect(filesIn(process.env['TMPDIR']!).some((path) => path.endsWith('events.sqlite'))).toBe(true)
    expect(await listBackups(kept())).toEqual([before])
    expect(await restoreIt()).toMatchObject({ items: 3 })
    await backUp()
    expect(filesIn(process.env['TMPDIR']!)).toEqual([])
  })

  test('is not verified by two processes at the same time', async () => {
    await backUp()
    const { openWorkFolder } = await import('./work-folder.ts')
    await using _held = await openWorkFolder('verify', kept())
    await expect(verifyBackup(place(), 0, unheard)).rejects.toThrow('Another process works in')
  })
})

describe('several backups in a folder', () => {
  const erase = () => {
    const script = new URL('../testing/erase-item.ts', import.meta.url).pathname
    execFileSync(process.execPath, [script, data()], { encoding: 'utf8' })
    // As a service that has leaves of the log has one.
    openCheckpointKey(readConfig({ MEDIALOG_DATA_DIR: data() }))
  }

  test.each([
    ['as they are', () => null, null],
    ['encrypted', () => toKeys, 'keys'],
  ])('%s, are kept as many as is said, each to be restored', async (_, to, opened) => {
    const openWith = opened === null ? null : byKeys
    const first = await backUp(to(), 2)
    erase()
    const second = await backUp(to(), 2)
    expect([first.kept, second.kept, second.removed]).toEqual([1, 2, 0])
    expect((await listBackups(kept())).map(({ run }) => run)).toEqual([
      second.manifest.run,
      first.manifest.run,
    ])
    expect(await restoreIt(openWith)).toMatchObject({ items: 2 })
    expect(await restoreIt(openWith, first.manifest.run)).toMatchObject({ items: 3 })
    // What was deleted before the oldest of them was made is in none of them.
    const third = await backUp(to(), 2)
    expect([third.kept, third.removed]).toEqual([2, 2])
    await expect(restoreIt(openWith, first.manifest.run)).rejects.toThrow(`no backup ${first.manifest.run}`)
    expect(await restoreIt(openWith, second.manifest.run)).toMatchObject({ items: 2 })
    expect(await backUp(to(), 1)).toMatchObject({ kept: 1 })
  })

  test('of a release that kept none but the last is one, which the next replaces', async () => {
    const { manifest } = await backUp(null)
    for (const name of ['manifest.json', 'artifacts.list']) rmSync(join(kept(), 'runs', manifest.run, name))
    expect((await listBackups(kept())).map(({ run }) => run)).toEqual([manifest.run])
    expect(await restoreIt(null)).toMatchObject({ items: 3 })
    expect(await backUp(null, 7)).toMatchObject({ kept: 1, copied: 0 })
  })
})

describe('verifying', () => {
  test('reads the artifacts of so many items, and of others that they are there', async () => {
    await backUp(null)
    expect(await verifyBackup(place(null), ALL, unheard)).toMatchObject({ read: 6 })
    expect(await verifyBackup(place(null), 1, unheard)).toMatchObject({ read: 2 })
    const [artifact] = encryptedFiles(/artifacts\/..\//)
    flipByte(artifact!)
    expect(await verifyBackup(place(null), 0, unheard)).toMatchObject({ read: 0 })
    await expect(verifyBackup(place(null), ALL, unheard)).rejects.toThrow('has other bytes')
    rmSync(artifact!)
    await expect(verifyBackup(place(null), 0, unheard)).rejects.toThrow('cannot be read')
  })

  test('changes nothing in the backup', async () => {
    await backUp()
    const before = filesIn(kept()).map((path) => [path, statSync(path).mtimeMs])
    await verifyBackup(place(), ALL, unheard)
    expect(filesIn(kept()).map((path) => [path, statSync(path).mtimeMs])).toEqual(before)
  })
})

describe('keys', () => {
  const file = (name: string, text: string): string => {
    writeFileSync(join(root, name), text)
    return join(root, name)
  }

  test('are named or in files, one a line', () => {
    const list = file('keys.txt', `# of the operators\n${others.recipient}\n\n`)
    expect(encryptToOf({ recipients: [keys.recipient, list] })).toEqual({
      recipients: [keys.recipient, others.recipient],
    })
    expect(encryptToOf({})).toBeNull()
    expect(openWithOf({ identityFile: file('key', `${keys.identity}\n`) })).toEqual(byKeys)
    expect(openWithOf({ passphraseFile: file('phrase', 'ten letters\nmore') })).toEqual({
      passphrase: 'ten letters',
    })
  })

  test('that are none are refused, and no secret one is shown', async () => {
    expect(() => encryptToOf({ recipients: ['/nowhere'] })).toThrow('cannot be read')
    expect(() => encryptToOf({ recipients: [file('empty', '# none\n')] })).toThrow('holds no key')
    expect(() => encryptToOf({ passphraseFile: file('short', 'abc\n') })).toThrow('too short')
    expect(() => encryptToOf({ recipients: [keys.recipient], passphraseFile: '/p' })).toThrow('not both')
    const wrong = encryptToOf({ recipients: [file('secret', keys.identity)] })
    const refused = await backUp(wrong).catch((error: Error) => error.message)
    expect(refused).toContain('no public key of age')
    expect(refused).not.toContain('SECRET')
  })

  test('are made once, for their owner alone', async () => {
    const path = join(root, 'made.key')
    const recipient = await writeKeys(path)
    expect(readFileSync(path, 'utf8')).toMatch(
      new RegExp(`^# public key: ${recipient}\nAGE-SECRET-KEY-1\\w+\n$`),
    )
    expect(statSync(path).mode & 0o077).toBe(0)
    await expect(writeKeys(path)).rejects.toThrow('not overwritten')
  })
})
