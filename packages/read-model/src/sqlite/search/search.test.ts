import { searched } from '../../testing/engine.ts'
import { EngineUnavailable, type Damage } from '@medialog/application/ports'
import { readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Worker } from 'node:worker_threads'
import { describe, expect, test, vi } from 'vitest'
import { damageTree } from '../../testing/damage.ts'
import { logOf } from '../../testing/engine.ts'
import { asked, put, replace, uuid, vector } from '../../testing/items.ts'
import { describeConnectionsContract } from '../../testing/connections-contract.ts'
import { describeSearchContract } from '../../testing/search-contract.ts'
import { BLOCK_BYTES, VectorMemory, VectorMemoryFull } from '../../search/vector-memory.ts'
import { openSqliteEngine } from '../../testing/sqlite-engine.ts'
import { catalogDefinition } from '../catalog/definition.ts'
import { openDatabaseSource } from '../database-source.ts'
import { openSearch } from './open-search.ts'
import { Searcher } from './searcher.ts'

describeSearchContract('SQLite', openSqliteEngine)
describeConnectionsContract('SQLite', openSqliteEngine)

vi.setConfig({ testTimeout: 120_000 })

const query = (text: string, account = 'account') => ({
  accountId: uuid(account),
  text,
  vectors: asked(text),
  collections: null,
  lexicalWeight: 1,
  minScore: 0,
  maxResults: 10,
  filters: {},
})

test('reads from the rebuilt catalog after a swap', async () => {
  const engine = await openSqliteEngine()
  try {
    await logOf(engine).record(put({ media: 'old', chunks: ['old', 'flow'] }))
    expect((await searched(engine.search, query('flow'))).hits.map((hit) => hit.mediaId)).toEqual([
      uuid('old'),
    ])
    engine.rebuild([{ position: 1, change: put({ media: 'new', chunks: ['new', 'flow'] }) }])
    expect((await searched(engine.search, query('flow'))).hits.map((hit) => hit.mediaId)).toEqual([
      uuid('new'),
    ])
  } finally {
    await engine.close()
  }
})

test('keeps within its memory by letting go of accounts', async () => {
  const engine = await openSqliteEngine()
  const source = openDatabaseSource(dirname(engine.file), catalogDefinition.name)
  try {
    const accounts = ['a', 'b', 'c']
    await logOf(engine).record(
      ...accounts.map((account) => put({ account, media: account, chunks: [account, 'flow'] })),
    )
    const searcher = new Searcher(source, 1, Infinity)
    for (const account of [...accounts, ...accounts]) {
      expect(searcher.search(query('flow', account))?.hits.map((hit) => hit.mediaId)).toEqual([uuid(account)])
    }
  } finally {
    source.close()
    await engine.close()
  }
})

test('rebuilds an index that fits without its dead slots', async () => {
  const engine = await openSqliteEngine()
  const source = openDatabaseSource(dirname(engine.file), catalogDefinition.name)
  try {
    const log = logOf(engine)
    const chunks = Array.from({ length: 100 }, (_, chunk) => `flow ${chunk}`)
    const media = Array.from({ length: 150 }, (_, item) => `${item}`)
    await log.record(...media.map((name) => put({ media: name, chunks })))
    // Two blocks: 18,368 vectors of the 16 dimensions that the test has.
    const searcher = new Searcher(source, 2 ** 30, Infinity, new VectorMemory(2 ** 17 + 2 * BLOCK_BYTES))
    const total = () => searcher.search(query('flow'))?.total ?? null
    expect(total()).toBe(150)
    const changed = media.slice(0, 40)
    await log.record(
      ...changed.map((name) =>
        replace({ media: name, ingest: `${name}/2`, revision: 2, chunks }, `${name}/1`),
      ),
    )
    expect([total(), total()]).toEqual([null, 150])
    await log.record(...media.map((name) => put({ media: `more ${name}`, chunks })))
    expect(total).toThrow(VectorMemoryFull)
  } finally {
    source.close()
    await engine.close()
  }
})

test('answers other accounts while an index is being made, and misses no change meanwhile', async () => {
  const engine = await openSqliteEngine()
  const source = openDatabaseSource(dirname(engine.file), catalogDefinition.name)
  try {
    const log = logOf(engine)
    const large = ['a', 'b', 'c', 'd', 'e']
    await log.record(
      ...large.map((media) => put({ media, chunks: [media, `flow ${media}`] })),
      put({ account: 'other', media: 'single', chunks: ['head', 'flow'] }),
    )
    const searcher = new Searcher(source, 2 ** 30, 0)
    expect(searcher.search(query('flow'))).toBeNull()
    expect(searcher.search(query('flow'))).toBeNull()
    expect(searcher.search(query('flow', 'other'))).toBeNull()
    expect(searcher.search(query('flow', 'other'))?.total).toBe(1)

    const [accountId, ingestId] = [uuid('account'), uuid('a/1')]
    await log.record(
      { type: 'RemoveItem', accountId, mediaId: uuid('a'), ingestId, revision: 2, at: 1 },
      replace({ media: 'b', ingest: 'b/2', revision: 2, chunks: ['b', 'flow renewed'] }, 'b/1'),
      put({ media: 'f', chunks: ['f', 'flow'] }),
    )
    let answer = null
    while (!answer) answer = searcher.search(query('flow renewed'))
    expect(answer.hits.map((hit) => hit.mediaId).sort()).toEqual(['b', 'c', 'd', 'e', 'f'].map(uuid).sort())
    expect(answer.hits[0]!.mediaId).toBe(uuid('b'))
  } finally {
    source.close()
    await engine.close()
  }
})

test('finds every item moved by one event, though all have one position and a slice may end among them', async () => {
  const engine = await openSqliteEngine()
  const source = openDatabaseSource(dirname(engine.file), catalogDefinition.name)
  try {
    const log = logOf(engine)
    const items = Array.from({ length: 20 }, (_, at) => `item ${at}`)
    await log.record(...items.map((media) => put({ media, chunks: [media, `flow ${media}`] })))
    const answered = (searcher: Searcher): number => {
      let answer = null
      while (!answer) answer = searcher.search({ ...query('flow'), maxResults: 50, collections: ['moved'] })
      return answer.total
    }
    const searcher = new Searcher(source, 2 ** 30, 0)
    expect(answered(searcher)).toBe(0)
    const [accountId, mediaIds] = [uuid('account'), items.map(uuid)]
    await log.record({ type: 'MoveItems', accountId, mediaIds, collection: 'moved', generation: 0 })
    expect(answered(searcher)).toBe(items.length)
    // As after a restart: no item was read before.
    expect(answered(new Searcher(source, 2 ** 30, 0))).toBe(items.length)
  } finally {
    source.close()
    await engine.close()
  }
})

test('is unavailable without a catalog, and answers once there is one', async () => {
  const engine = await openSqliteEngine()
  const search = openSearch({ folder: `${engine.file}-elsewhere`, catalog: engine.catalog })
  try {
    await expect(searched(search, query('flow'))).rejects.toBeInstanceOf(EngineUnavailable)
    await expect(searched(search, query('flow'))).rejects.toBeInstanceOf(EngineUnavailable)
  } finally {
    await search.close()
    await engine.close()
  }
})

describe('damage', () => {
  const damages = {
    'a page of the rows that indexes are made from': (file: string) => damageTree(file, 'entry'),
    'a page of the index that they are found by': (file: string) => damageTree(file, 'item_changed'),
    'an entry that says more than it holds': (file: string) =>
      withDatabase(file, "UPDATE entry SET terms = x'ffffffff00000000'"),
    'vectors that are cut off': (file: string) =>
      withDatabase(file, 'UPDATE entry SET vectors = substr(vectors, 1, 4)'),
  }

  function withDatabase(file: string, sql: string): void {
    const database = new DatabaseSync(file)
    database.exec(sql)
    database.close()
  }

  test.each(Object.entries(damages))('in %s is reported, and left out of the index', async (_, damage) => {
    const engine = await openSqliteEngine()
    const told: Damage[] = []
    const search = openSearch({
      folder: dirname(engine.file),
      catalog: engine.catalog,
      onDamage: (damage) => told.push(damage),
    })
    try {
      await logOf(engine).record(put({ media: 'a', chunks: ['a', 'flow'] }))
      engine.checkpoint()
      damage(engine.file)
      await expect(searched(search, query('flow'))).rejects.toBeInstanceOf(EngineUnavailable)
      expect(told).toEqual([{ epoch: 1, reason: expect.any(String) }])
      engine.rebuild([{ position: 1, change: put({ media: 'a', chunks: ['a', 'flow'] }) }])
      expect((await searched(search, query('flow'))).total).toBe(1)
      expect(told).toHaveLength(1)
    } finally {
      await search.close()
      await engine.close()
    }
  })
})

test('a thread that dies is reported and started again, ever later when it goes on dying; nothing is lost', async () => {
  const engine = await openSqliteEngine()
  const deaths: unknown[] = []
  const search = openSearch({
    folder: dirname(engine.file),
    catalog: engine.catalog,
    onDeath: (error) => deaths.push(error),
  })
  const threads: Worker[] = []
  const onWorker = (thread: Worker) => void threads.push(thread)
  process.on('worker', onWorker)
  const die = async (): Promise<void> => {
    await threads.at(-1)!.terminate()
    await vi.waitFor(() => expect(deaths).toHaveLength(threads.length), 60_000)
  }
  try {
    await logOf(engine).record(put({ media: 'a', chunks: ['a', 'flow'] }))
    expect(await search.position()).toBe(1)
    await die()
    expect((await searched(search, query('flow'))).total).toBe(1)
    expect(threads).toHaveLength(2)
    for (let death = 2; death < 6; death++) {
      await die()
      await vi.waitFor(() => search.position(), 60_000)
    }
    await die()
    // The sixth within a minute: four seconds.
    const refused = await searched(search, query('flow')).catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(EngineUnavailable)
    expect((refused as EngineUnavailable).retryAfterSeconds).toBeGreaterThan(1)
    const answer = await vi.waitFor(() => searched(search, query('flow')), 60_000)
    expect(answer.total).toBe(1)
    expect(threads).toHaveLength(7)
  } finally {
    process.off('worker', onWorker)
    await search.close()
    await engine.close()
  }
})

test('closing the search rejects the queries that wait', async () => {
  const engine = await openSqliteEngine()
  try {
    const search = openSearch({ folder: dirname(engine.file), catalog: engine.catalog })
    const waiting = searched(search, query('flow')).catch((error: unknown) => error)
    await search.close()
    expect(await waiting).toBeInstanceOf(EngineUnavailable)
  } finally {
    await engine.close()
  }
})

test('what was removed is in no file, once the log of older pages went', async () => {
  const engine = await openSqliteEngine()
  try {
    const log = logOf(engine)
    await log.record(
      put({ media: 'a', chunks: ['a', 'unspeakable secret'], topics: ['hush'] }),
      put({ media: 'b' }),
    )
    expect((await searched(engine.search, query('unspeakable'))).hits).toHaveLength(1)
    const [accountId, mediaId, ingestId] = [uuid('account'), uuid('a'), uuid('a/1')]
    await log.record({ type: 'RemoveItem', accountId, mediaId, ingestId, revision: 2, at: 1 })
    expect((await searched(engine.search, query('unspeakable'))).hits).toEqual([])
    engine.checkpoint()
    const bytes = readFileSync(engine.file)
    for (const trace of ['unspeakable', 'hush', Buffer.from(vector('unspeakable secret').buffer)]) {
      expect(bytes.includes(trace)).toBe(false)
    }
  } finally {
    await engine.close()
  }
})
