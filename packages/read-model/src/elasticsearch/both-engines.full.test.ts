import type { AdvancedQuery, SearchQuery } from '@medialog/application/ports'
import { MEDIA_TYPES } from '@medialog/kernel'
import { describeWithEngine } from '@medialog/test/engines'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { openElasticsearchEngine } from '../testing/elasticsearch-engine.ts'
import { advancedSearch, searched, type CatalogEngine } from '../testing/engine.ts'
import { asked, put, uuid, type ItemSketch } from '../testing/items.ts'
import { openSqliteEngine } from '../testing/sqlite-engine.ts'

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 })

const ACCOUNT = uuid('account')
const WORDS = [
  'wing',
  'supersonic',
  'boundary-layer',
  'heat',
  'transfer',
  'flow',
  'NACA-0012',
  '항공역학',
  'plate',
  'shock',
  'laminar',
  'turbulent',
]
/** Always the same one of the values. */
const pick = <T>(values: readonly T[], at: number): T => values[(at * 7_919 + (at >>> 3)) % values.length]!

const sketch = (at: number): ItemSketch => ({
  media: `m${at}`,
  type: pick(MEDIA_TYPES, at),
  collection: pick(['x', 'y', 'z'], at + 1),
  createdAt: at % 97,
  topics: [pick(WORDS, at + 2)],
  people: [`person ${at % 61}`],
  filename: `recording-${'abcdefgh'[at % 8]}.txt`,
  // Of an item with more than three vectors the embedded engine compares the likeliest three alone.
  chunks: Array.from({ length: 2 }, (_, chunk) =>
    Array.from({ length: 3 + ((at + chunk) % 9) }, (_, word) =>
      pick(WORDS, at * 13 + chunk * 5 + word * word),
    ).join(' '),
  ),
})

const QUERIES = [
  'supersonic wing',
  'heat transfer in laminar flow',
  '항공역학',
  'naca-0012 plate',
  'none there',
  '',
]
const VARIANTS: Partial<SearchQuery>[] = [
  {},
  { lexicalWeight: 1 },
  { lexicalWeight: 0 },
  { collections: ['x', 'z'] },
  { filters: { mediaTypes: ['image', 'audio'], createdAfter: 20, createdBefore: 80 } },
  { filters: { topics: ['Wing', 'flow'], entities: { people: ['person 1', 'PERSON 4', 'person 7'] } } },
  { minScore: 0.4 },
  { modality: { type: 'video', weight: 0.5, features: ['heat'] } },
]

const ask = (text: string, variant: Partial<SearchQuery>): SearchQuery => ({
  accountId: ACCOUNT,
  text,
  vectors: asked(text),
  collections: null,
  lexicalWeight: 0.35,
  // Not 0: what has next to nothing in common falls on either side of it by rounding.
  minScore: 0.02,
  maxResults: 20,
  filters: {},
  ...variant,
})

describeWithEngine('elasticsearch', 'one library in both engines', (url) => {
  describe.each([
    { items: 300, tolerance: 0 },
    // More than the candidate depth: the graph of one engine and the signatures of the other need not find the same.
    { items: 1_200, tolerance: 0.02 },
  ])('of $items items', ({ items, tolerance }) => {
    let engines: [CatalogEngine, CatalogEngine]
    beforeAll(async () => {
      engines = [await openSqliteEngine(), await openElasticsearchEngine(url)]
      const changes = Array.from({ length: items }, (_, at) => ({
        position: at + 1,
        change: put(sketch(at)),
      }))
      for (const engine of engines) await engine.apply(changes)
    })
    afterAll(async () => {
      for (const engine of engines) await engine.close()
    })

    test.each(QUERIES)('the same is found for %j, with the same scores', async (text) => {
      for (const variant of VARIANTS) {
        const query = ask(text, variant)
        const [embedded, distributed] = [
          await searched(engines[0].search, query),
          await searched(engines[1].search, query),
        ]
        expectSame(embedded, distributed, tolerance)
      }
    })

    test('the same is found over connections and as similar', async () => {
      for (const text of QUERIES.slice(0, 2)) {
        const query: AdvancedQuery = { ...ask(text, {}), contextDepth: 2, expansionFactor: 2 }
        const [embedded, distributed] = [
          await advancedSearch(engines[0].search, query),
          await advancedSearch(engines[1].search, query),
        ]
        expectSame(embedded, distributed, tolerance)
        expect(distributed.depthReached).toBe(embedded.depthReached)
      }
      const similar = {
        accountId: ACCOUNT,
        mediaId: uuid('m7'),
        cosineFloor: 0.15,
        others: [],
        collections: null,
        minScore: 0.3,
        maxResults: 30,
        mediaType: null,
      }
      const [embedded, distributed] = [
        (await engines[0].search.similar(similar))!,
        (await engines[1].search.similar(similar))!,
      ]
      expect(distributed.total).toBeGreaterThan(0)
      expectSame(embedded, distributed, 0)
    })

    test('the same is listed, page by page', async () => {
      for (const filter of [{}, { collection: 'y' }, { mediaType: 'image' as const }])
        for (const offset of [0, 40, items - 3]) {
          const [embedded, distributed] = await Promise.all(
            engines.map(({ catalog }) => catalog.list(ACCOUNT, filter, { offset, limit: 7 })),
          )
          expect(distributed).toEqual(embedded)
        }
      expect(await engines[1].catalog.collections(ACCOUNT)).toEqual(
        await engines[0].catalog.collections(ACCOUNT),
      )
      expect(await engines[1].catalog.storage(ACCOUNT)).toEqual(await engines[0].catalog.storage(ACCOUNT))
    })
  })
})

interface Answer {
  hits: { mediaId: string; score: number }[]
  total: number
  distribution: Record<string, number>
}

/** Two scores this near may be in either order. */
const TIE = 1e-3

function expectSame(one: Answer, other: Answer, tolerance: number): void {
  expect(other.hits).toHaveLength(one.hits.length)
  expect(Math.abs(other.total - one.total)).toBeLessThanOrEqual(tolerance * one.total)
  if (tolerance === 0) expect(other.distribution).toEqual(one.distribution)
  for (const [at, hit] of other.hits.entries()) {
    const inOne = one.hits.find(({ mediaId }) => mediaId === hit.mediaId)
    // At the end of a page one of several that tie may be on the next.
    const last = one.hits.at(-1)!.score
    if (inOne) expect(Math.abs(inOne.score - hit.score)).toBeLessThan(0.02)
    else expect(Math.abs(hit.score - last)).toBeLessThan(TIE)
    expect(Math.abs(one.hits[at]!.score - hit.score)).toBeLessThan(TIE)
  }
}
