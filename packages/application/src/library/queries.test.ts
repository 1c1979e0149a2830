import { BEGINNING } from '@medialog/kernel'
import { expect, test } from 'vitest'
import { readBatch } from '../batches/read-batches.ts'
import { DEFAULT_PRICES } from '../billing/prices.ts'
import { readUsage } from '../billing/usage.ts'
import type { RequestContext } from '../core/context.ts'
import { ReplayGone } from '../core/errors.ts'
import type { Ports } from '../core/ports.ts'
import {
  EngineUnavailable,
  StreamDamaged,
  type AdvancedHit,
  type CatalogItem,
  type Connection,
  type DamagedStream,
} from '../ports/index.ts'
import { advancedSearch } from '../search/advanced-search.ts'
import { keepItems, keptItems } from '../search/kept-search.ts'
import type { searchMedia } from '../search/search.ts'
import { listCollections } from './read-collections.ts'
import { listMedia } from './read-media.ts'

const accountId = 'account'
const context = {
  principal: { accountId, keyId: 'key', capabilities: ['read'], tier: 'free', status: 'active' },
  requestId: 'request',
} as unknown as RequestContext
const item = (mediaId: string, changes: Partial<CatalogItem> = {}): CatalogItem =>
  ({
    accountId,
    mediaId,
    ingestId: `${mediaId}-1`,
    collection: 'default',
    filename: `${mediaId}.txt`,
    extraction: { author: null, facts: { mediaType: 'document' } },
    enrichment: {
      topics: [],
      keywords: [],
      entities: { people: ['Ada'], organizations: [], locations: [], objects: [], concepts: [] },
      quality: { clarity: 1, completeness: 1, relevance: 1, technical: 1 },
    },
    ...changes,
  }) as unknown as CatalogItem

/** A catalog of these items, and what else a test replaces. */
const stored = (items: CatalogItem[], more: object = {}) =>
  ({
    catalog: {
      items: async (_: string, ids: string[]) => items.filter(({ mediaId }) => ids.includes(mediaId)),
    },
    embedder: { model: 'm', cosineFloor: 0, embed: async () => [new Float32Array(1)] },
    formerEmbedders: [],
    settings: { prices: { ...DEFAULT_PRICES, ADVANCED_SEARCH: 0n }, readYourWritesMs: 0 },
    streams: { load: async () => ({ selected: 0n, revision: null, position: BEGINNING }) },
    projections: { reached: async () => true },
    background: { untilDone: (work: () => Promise<unknown>) => work() },
    ...more,
  }) as unknown as Ports

const step = (source: string, target: string): Connection => ({
  source,
  target,
  relation: 'shared_entity',
  strength: 0.5,
  shared: [0],
})
const hit = (mediaId: string, path: Connection[] = [], crossModal: Connection[] = []): AdvancedHit => ({
  mediaId,
  score: 0.5,
  lexical: 0.5,
  semantic: 0.5,
  matchedTerms: [],
  passage: { text: '', chunk: 0 },
  depth: path.length,
  path,
  crossModal,
})
const QUERY = {
  text: 'words',
  collections: 'all',
  lexicalWeight: 0.5,
  minScore: 0,
  maxResults: 10,
  filters: {},
  modality: null,
} as unknown as Parameters<typeof searchMedia>[2]

test('what was found over an item deleted meanwhile is left out of an advanced search', async () => {
  const hits = [
    hit('a', [], [step('a', 'gone'), step('a', 'b')]),
    hit('b', [step('a', 'b')]),
    hit('c', [step('a', 'gone'), step('gone', 'c')]),
    hit('gone', [step('a', 'gone')]),
  ]
  const advanced = async () => ({ hits, total: 4, distribution: {}, depthReached: 2 })
  const search = { prepare: async () => ({ models: [], collections: ['default'], advanced }) }
  const ports = stored([item('a'), item('b'), item('c')], { search })
  const { results } = await advancedSearch(ports, context, {
    ...QUERY,
    contextDepth: 2,
    expansionFactor: 1,
  })
  expect(results.map(({ item: { mediaId } }) => mediaId)).toEqual(['a', 'b'])
  expect(results[0]!.crossModal.map(({ target }) => target.mediaId)).toEqual(['b'])
  expect(results[1]!.path.map(({ source, target }) => [source.mediaId, target.mediaId])).toEqual([['a', 'b']])
})

test('a kept answer shows its items where they were, and none that was replaced or deleted since', async () => {
  const kept = keepItems([item('a', { collection: 'then' }), item('b')])
  const restored = await keptItems(stored([item('a', { collection: 'now' }), item('b')]), accountId, kept)
  expect([...restored.values()].map(({ mediaId, collection }) => [mediaId, collection])).toEqual([
    ['a', 'then'],
    ['b', 'default'],
  ])
  const replaced = stored([item('a', { ingestId: 'a-2' }), item('b')])
  await expect(keptItems(replaced, accountId, kept)).rejects.toThrow(ReplayGone)
  await expect(keptItems(stored([item('a')]), accountId, kept)).rejects.toThrow(ReplayGone)
})

test('the collection default is there without items, and as old as the account', async () => {
  const accounts = { account: async () => ({ openedAt: 5 }) }
  const listed = (records: object[]) =>
    listCollections(stored([], { accounts, catalog: { collections: async () => records } }), context)
  const reports = { collection: 'reports', itemCount: 1, firstItemAt: 8, mediaTypes: { image: 1 } }
  expect(await listed([reports])).toEqual([
    { collection: 'default', itemCount: 0, createdAt: 5, mediaTypes: {} },
    { collection: 'reports', itemCount: 1, createdAt: 8, mediaTypes: { image: 1 } },
  ])
  expect(await listed([reports, { collection: 'default', itemCount: 3, firstItemAt: 7 }])).toMatchObject([
    { collection: 'default', itemCount: 3, createdAt: 5 },
    { collection: 'reports' },
  ])
})

test('a page of a list begins after those before it, each item with its own vectors where they are asked for', async () => {
  const windows: object[] = []
  const list = async (_: string, __: object, window: object) => {
    windows.push(window)
    return { items: ['a', 'b', 'c', 'd', 'e', 'f'].map((id) => item(id)), total: 17 }
  }
  const vectors = async () => new Map([['b', 'vectors of b']])
  const ports = stored([], { catalog: { list, vectors } })
  const page = (withVectors: boolean) =>
    listMedia(ports, context, { page: 3, pageSize: 5, vectors: withVectors })
  expect((await page(false)).items.map(({ vectors: shown }) => shown)).toEqual([null, null, null, null, null])
  const { items, hasNext } = await page(true)
  expect(items.map(({ vectors: shown }) => shown)).toEqual([null, 'vectors of b', null, null, null])
  expect(hasNext).toBe(true)
  // One more than is shown: whether there is a next page.
  expect(windows[0]).toEqual({ offset: 10, limit: 6 })
})

test('a batch is estimated by the jobs that are left, until it has ended', async () => {
  const id = '11111111-1111-4111-8111-111111111111'
  const batch = {
    batchId: id,
    jobs: { total: 12, succeeded: 2, skipped: 1, failed: 1 },
    atWork: [],
    endedAt: null,
  }
  const estimated = async (record: object) => {
    const batches = { batch: async () => record, meanJobMs: async () => 3_000 }
    const ports = { batches, orchestrator: { batchJobsAtOnce: 4 }, clock: { now: () => 100_000 } }
    return (await readBatch(stored([], ports), context, `batch_${id}`)).estimatedCompletion
  }
  expect(await estimated(batch)).toBe(106_000)
  expect(await estimated({ ...batch, endedAt: 99_000 })).toBeNull()
})

test('a detailed report of usage has its costs by price, then by time, in the range as of the moment', async () => {
  const ranges: object[] = []
  const usage = {
    balance: async () => 3n,
    lastChargeAt: async () => 6,
    costs: async (_: string, range: object) => {
      ranges.push(range)
      return new Map()
    },
    trends: async (_: string, range: object) => {
      ranges.push(range)
      return new Map([
        ['monday', new Map([['RAG_QUERY', 1n]])],
        [
          'tuesday',
          new Map([
            ['RAG_QUERY', 2n],
            ['MEDIA_ANALYSIS', 4n],
          ]),
        ],
      ])
    },
    balances: async () => new Map([['monday', 6n]]),
    transactions: async () => [],
  }
  const accounts = { account: async () => ({ tier: 'free' }) }
  const settings = { prices: DEFAULT_PRICES, quotas: { free: 7 } }
  const eventStore = { damaged: async () => [] }
  const ports = stored([], { eventStore, usage, accounts, settings })
  const report = await readUsage(ports, context, {
    from: 0,
    to: 50,
    groupBy: 'day',
    detailed: true,
    asOf: 20,
  })
  await readUsage(ports, context, {
    from: 0,
    to: 20,
    groupBy: 'day',
    detailed: false,
    asOf: 20,
    endsAtAsOf: true,
  })
  expect(ranges.pop()).toEqual({ from: 0, to: 20 })
  expect(report).toMatchObject({ balance: 3n, lastChargeAt: 6, storage: { stored: null, quota: 7 } })
  expect([report.detail!.before, report.detail!.balances]).toEqual([3n, new Map([['monday', 6n]])])
  expect(report.detail!.trends).toEqual(
    new Map([
      [
        'RAG_QUERY',
        new Map([
          ['monday', 1n],
          ['tuesday', 2n],
        ]),
      ],
      ['MEDIA_ANALYSIS', new Map([['tuesday', 4n]])],
    ]),
  )
  expect(ranges).toEqual([
    { from: 0, to: 21 },
    { from: 0, to: 21 },
  ])
})

test('the balance of a damaged ledger is refused; an unavailable log refuses none', async () => {
  const asked = { from: 0, to: 50, groupBy: 'day', detailed: false } as const
  const usage = {
    balance: async () => 3n,
    lastChargeAt: async () => null,
    costs: async () => new Map(),
  }
  const catalog = { storage: async () => 7 }
  const accounts = { account: async () => ({ tier: 'free' }) }
  const settings = { prices: DEFAULT_PRICES, quotas: { free: 7 } }
  const reported = (damaged: (stream: string) => Promise<DamagedStream[]>) =>
    readUsage(stored([], { eventStore: { damaged }, usage, catalog, accounts, settings }), context, asked)
  const damageOf = (accountId: string) => async (asked: string) =>
    [{ stream: `ledger-${accountId}` as const, revision: null, reason: 'it was deleted' }].filter(
      ({ stream }) => stream === asked,
    )
  await expect(reported(damageOf(context.principal.accountId))).rejects.toBeInstanceOf(StreamDamaged)
  expect(await reported(damageOf('another'))).toMatchObject({ balance: 3n })
  const away = async () => {
    throw new EngineUnavailable('event log', 'it is away')
  }
  expect(await reported(away)).toMatchObject({ balance: 3n })
})
