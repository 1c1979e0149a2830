import { copyFile, open, readFile, stat, truncate, writeFile } from 'node:fs/promises'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { verifyChain } from '../testing/verify-chain.ts'
import { DataFolderInUse, LogDamaged } from '../errors.ts'
import { startChild } from '../testing/child.ts'
import { newEvent, newEvents, newStream } from '../testing/events.ts'
import { temporaryFolder } from '../testing/folder.ts'
import { lockDataFolder } from './lock.ts'
import { openSqliteEventStore } from './store.ts'

test('a data folder has one owner: a second process gets its name and what to do', async () => {
  await using folder = await temporaryFolder()
  await using owner = startChild('./hold-folder.ts', [folder.path])
  const [, pid] = /^held by (\d+)$/.exec((await owner.nextLine())!)!
  const refused = () => lockDataFolder(folder.path)
  expect(refused).toThrow(DataFolderInUse)
  expect(refused).toThrow(new RegExp(`${folder.path} .*process ${pid}: stop it first, or choose another`))
  await owner.kill()
  // The lock died with its owner; what it left behind blocks no process.
  using lock = lockDataFolder(folder.path)
  await using second = startChild('./hold-folder.ts', [folder.path])
  expect(await second.nextLine()).toContain(
    `refused: the data folder ${folder.path} is in use by process ${process.pid}`,
  )
  lock.release()
  await using third = startChild('./hold-folder.ts', [folder.path])
  expect(await third.nextLine()).toMatch(/^held by/)
})

test('a log has one writer, also within one process, and frees it when closed', async () => {
  await using folder = await temporaryFolder()
  const store = await openSqliteEventStore({ path: folder.log })
  await expect(openSqliteEventStore({ path: folder.log })).rejects.toThrow(DataFolderInUse)
  await store.close()
  await (await openSqliteEventStore({ path: folder.log })).close()
})

test('what was acknowledged before kill -9 is there after, and nothing is half there', async () => {
  await using folder = await temporaryFolder()
  const acknowledged = new Map<string, number>()
  for (let round = 0; round < 3; round++) {
    await using writer = startChild('./append-for-ever.ts', [folder.log])
    const lines: string[] = []
    while (lines.length < 100 + 50 * round) lines.push((await writer.nextLine())!)
    lines.push(...(await writer.kill()))
    for (const line of lines) {
      const [stream, revision] = line.split(' ')
      if (revision) acknowledged.set(stream!, Number(revision))
    }
    const store = await openSqliteEventStore({ path: folder.log })
    const heads = new Map<string, number>()
    for await (const { stream, revision } of store.readAll(0)) heads.set(stream, revision)
    for (const [stream, revision] of acknowledged) expect(heads.get(stream)).toBeGreaterThanOrEqual(revision)
    // Three to an append: all or none.
    for (const revision of heads.values()) expect(revision % 3).toBe(2)
    expect((await verifyChain(store.readAll(0))).broken).toBeNull()
    await store.close()
  }
})

async function logOf(events: number, path: string): Promise<void> {
  const store = await openSqliteEventStore({ path })
  const stream = newStream()
  await store.append(stream, 'no-stream', newEvents(events))
  await store.close()
}

test('a torn end of the write-ahead log is cut off, not taken for damage', async () => {
  await using folder = await temporaryFolder()
  await using copy = await temporaryFolder()
  const store = await openSqliteEventStore({ path: folder.log })
  for (let revision = -1; revision < 19; revision++)
    await store.append('media-a', revision < 0 ? 'no-stream' : revision, [newEvent()])
  await copyFile(folder.log, copy.log)
  await copyFile(`${folder.log}-wal`, `${copy.log}-wal`)
  await store.close()
  await truncate(`${copy.log}-wal`, (await stat(`${copy.log}-wal`)).size - 2_000)
  const torn = await openSqliteEventStore({ path: copy.log })
  const { verified, broken } = await verifyChain(torn.readAll(0))
  expect({ verified, broken }).toEqual({ verified: 19, broken: null })
  await torn.append('media-a', 18, [newEvent()])
  await torn.close()
})

const DAMAGES: Record<string, (path: string) => Promise<void>> = {
  'another kind of file': (path) => writeFile(path, 'not a log at all\n'.repeat(1_000)),
  'half of the file': async (path) => truncate(path, Math.floor((await stat(path)).size / 2)),
  'a page of noise in the middle': async (path) => {
    const file = await open(path, 'r+')
    await file.write(Buffer.alloc(4_096, 0xa5), 0, 4_096, 4_096 * Math.floor((await stat(path)).size / 8_192))
    await file.close()
  },
  'a payload changed by hand': async (path) => {
    const bytes = await readFile(path)
    bytes.write('"number":9', bytes.indexOf('"number":3'))
    await writeFile(path, bytes)
  },
  'a database of something else': async (path) => {
    await truncate(path, 0)
    const database = new DatabaseSync(path)
    database.exec('CREATE TABLE notes (note TEXT)')
    database.close()
  },
}

test.each(Object.keys(DAMAGES))(
  '%s in place of the log is said with the file and what to do',
  async (damage) => {
    await using folder = await temporaryFolder()
    await logOf(500, folder.log)
    await DAMAGES[damage]!(folder.log)
    const before = await readFile(folder.log)
    const opening = openSqliteEventStore({ path: folder.log })
    await expect(opening).rejects.toBeInstanceOf(LogDamaged)
    await expect(opening).rejects.toThrow(`the event log ${folder.log} is damaged (`)
    await expect(opening).rejects.toThrow('restore it from a backup')
    expect(await readFile(folder.log)).toEqual(before)
    // No process owns it after the refusal.
    await expect(openSqliteEventStore({ path: folder.log })).rejects.toBeInstanceOf(LogDamaged)
  },
)
