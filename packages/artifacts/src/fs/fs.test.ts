import { mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import type { IngestRef } from '@medialog/application/ports'
import { expect, test } from 'vitest'
import { describeArtifactStoreContract } from '../artifact-store-contract.ts'
import { describeKeptAnswersContract } from '../kept-answers-contract.ts'
import { describeStagingContract } from '../staging-contract.ts'
import { killedAfter } from '../testing/child.ts'
import { openFsArtifactStore } from './artifact-store.ts'
import { openFsKeptAnswers } from './kept-answers.ts'
import { openFsStaging } from './staging.ts'

async function temporaryFolder(): Promise<AsyncDisposable & { path: string }> {
  const path = await mkdtemp(join(tmpdir(), 'medialog-artifacts-'))
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
}

describeArtifactStoreContract('files', async () => {
  const folder = await temporaryFolder()
  return {
    store: await openFsArtifactStore(folder.path),
    reopen: () => openFsArtifactStore(folder.path),
    close: async () => folder[Symbol.asyncDispose](),
  }
})

describeStagingContract('files', async () => {
  const folder = await temporaryFolder()
  return {
    staging: await openFsStaging(folder.path),
    reopen: () => openFsStaging(folder.path),
    files: async () => (await readdir(folder.path)).length,
    close: async () => folder[Symbol.asyncDispose](),
  }
})

describeKeptAnswersContract('files', async () => {
  const folder = await temporaryFolder()
  return {
    answers: await openFsKeptAnswers(folder.path),
    reopen: () => openFsKeptAnswers(folder.path),
    close: async () => folder[Symbol.asyncDispose](),
  }
})

const NOTHING_NEEDED = async () => new Set<string>()

test('a put killed half-way shows nothing, what was answered stays, and leftovers are swept', async () => {
  await using folder = await temporaryFolder()
  const leftovers = async () => (await readdir(join(folder.path, '.writing'))).length
  let answered = 0
  // At least twice, and until a kill did fall in the middle of a put.
  for (let round = 0; round < 2 || (await leftovers()) === 0; round++) {
    const lines = await killedAfter(20 + round, '../testing/put-for-ever.ts', folder.path)
    const store = await openFsArtifactStore(folder.path)
    for (const line of lines)
      expect(await store.get(JSON.parse(line) as IngestRef, 'text.txt')).not.toBeNull()
    answered += lines.length
    let shown = 0
    for await (const ingest of store.list()) {
      const bytes = (await store.get(ingest, 'text.txt'))!
      expect(bytes.byteLength).toBe(2_000_000)
      expect(bytes.every((byte) => byte === bytes[0])).toBe(true)
      shown++
    }
    expect(shown).toBeGreaterThanOrEqual(answered)
  }
  const store = await openFsArtifactStore(folder.path)
  expect(await store.sweep()).toBeGreaterThan(0)
  expect(await leftovers()).toBe(0)
})

test('nothing but the root is left of folders once their last ingest is deleted', async () => {
  await using folder = await temporaryFolder()
  const store = await openFsArtifactStore(folder.path)
  const uuid = (digit: number) => `0f8fad5b-d9cb-4690-a165-70867672${digit}000`
  const ingest = { accountId: uuid(1), mediaId: uuid(2), ingestId: uuid(3) }
  const neighbour = { ...ingest, ingestId: uuid(4) }
  await store.put(ingest, 'text.txt', Buffer.from('x'))
  await store.put(neighbour, 'text.txt', Buffer.from('x'))
  expect((await stat(join(folder.path, uuid(1), uuid(2), uuid(3), 'text.txt'))).mode & 0o077).toBe(0)
  await store.deleteIngest(ingest)
  expect(await readdir(join(folder.path, uuid(1), uuid(2)))).toEqual([uuid(4)])
  await store.deleteIngest(neighbour)
  expect((await readdir(folder.path)).sort()).toEqual(['.erasing', '.writing'])
  expect(await readdir(join(folder.path, '.erasing'))).toEqual([])
})

test('a deletion erases what an attempt before it came no further with', async () => {
  await using folder = await temporaryFolder()
  const store = await openFsArtifactStore(folder.path)
  const [accountId, mediaId, ingestId] = ['1', '2', '3'].map(
    (digit) => `0f8fad5b-d9cb-4690-a165-70867672${digit}000`,
  )
  const moved = join(folder.path, '.erasing', `${ingestId}.an-attempt`)
  await mkdir(moved)
  await writeFile(join(moved, 'text.txt'), 'x')
  await store.deleteIngest({ accountId: accountId!, mediaId: mediaId!, ingestId: ingestId! })
  expect(await readdir(join(folder.path, '.erasing'))).toEqual([])
})

test('staging killed half-way leaves only what a sweep removes; memory does not grow with the file', async () => {
  await using folder = await temporaryFolder()
  const memory = (await killedAfter(8, '../testing/stage-slowly.ts', folder.path)).map(Number)
  // 350 MiB were staged between the second and the last look.
  expect(Math.max(...memory.slice(1)) - memory[1]!).toBeLessThan(60)
  expect(await readdir(folder.path)).toHaveLength(1)
  const staging = await openFsStaging(folder.path)
  expect(await staging.sweep(NOTHING_NEEDED)).toBe(1)
  expect(await readdir(folder.path)).toEqual([])
})

test('where less room is left than has to be nothing is staged, and the source is not read', async () => {
  await using folder = await temporaryFolder()
  const staging = await openFsStaging(folder.path, { reservedBytes: Number.MAX_SAFE_INTEGER })
  let read = 0
  const source = Readable.from([Buffer.of(1)]).map((chunk: Uint8Array) => {
    read++
    return chunk
  })
  const refused = staging.stage(source, () => Infinity)
  await expect(refused).rejects.toMatchObject({ name: 'EngineUnavailable', retryAfterSeconds: 60 })
  await expect(refused).rejects.toThrow('the disk is full')
  expect(read).toBe(0)
  expect(await readdir(folder.path)).toEqual([])
})

async function filesHolding(folder: string, text: string): Promise<string[]> {
  const names = await readdir(folder)
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')))
  return names.filter((_, at) => texts[at]!.includes(text))
}

test('in a folder that processes share, a sweep leaves alone what is young, held by a living process, or needed', async () => {
  await using folder = await temporaryFolder()
  const [files, holders] = [join(folder.path, 'files'), join(folder.path, 'holders')]
  const holderTimes = { noteEveryMs: 3_600_000, deadAfterMs: 3_600_000 }
  const [here, elsewhere] = [
    await openFsStaging(files, { holders, holderTimes }),
    await openFsStaging(files, { holders, holderTimes }),
  ]
  const long = new Date(Date.now() - 2 * 3_600_000)
  const stage = async (by: typeof here): Promise<string> => {
    const { id, path } = await by.stage(Readable.from([Buffer.from('text')]), () => Infinity)
    await utimes(path, long, long)
    return id
  }
  const [held, needed, released] = [await stage(here), await stage(here), await stage(here)]
  await here.release(released)
  // It says what it holds.
  expect(await here.sweep(NOTHING_NEEDED)).toBe(0)
  const [noted] = await filesHolding(holders, held)
  const own = await stage(elsewhere)
  expect(await elsewhere.sweep(NOTHING_NEEDED)).toBe(0)
  expect((await readdir(files)).sort()).toEqual([held, needed, own].sort())
  // Of one that is dead, what is old goes unless it is needed.
  await utimes(join(holders, noted!), long, long)
  const { id: young } = await here.stage(Readable.from([Buffer.from('text')]), () => Infinity)
  expect(await elsewhere.sweep(async () => new Set([needed]))).toBe(1)
  expect((await readdir(files)).sort()).toEqual([needed, own, young].sort())
  expect(await readdir(holders)).not.toContain(noted)
  // One that stops lets go.
  await elsewhere.close()
  expect(await here.sweep(async () => new Set([needed]))).toBe(1)
  expect((await readdir(files)).sort()).toEqual([needed, young].sort())
  await here.close()
  expect(await readdir(holders)).toEqual([])
})
