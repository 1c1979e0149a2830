import type { CatalogChange, SearchQuery, QueryVector } from '@medialog/application/ports'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { advancedSearch, logOf, searched, type CatalogEngine, type CatalogEngineFactory } from './engine.ts'
import { histories } from './history.ts'
import {
  asked,
  askedFor,
  DIMENSIONS,
  type ItemSketch,
  TEST_MODEL,
  OTHER_MODEL,
  put,
  replace,
  unit,
  uuid,
  vector,
} from './items.ts'
import { NaiveModel } from './naive-model.ts'
import { DIGITS, faintItems } from './faint.ts'

const ACCOUNT = uuid('account')

/** Of an item that was put once. */
const removal = (media: string): CatalogChange => ({
  type: 'RemoveItem',
  accountId: ACCOUNT,
  mediaId: uuid(media),
  ingestId: uuid(`${media}/1`),
  revision: 2,
  at: 1,
})

/** What every engine's search must do, over the ports alone. Scores agree to three digits, whatever the engine. */
export function describeSearchContract(name: string, open: CatalogEngineFactory): void {
  describe(`${name} fills the search port`, () => {
    let engine: CatalogEngine
    let record: (...changes: CatalogChange[]) => Promise<number>
    beforeEach(async () => {
      engine = await open()
      const log = logOf(engine)
      record = (...changes) => log.record(...changes)
    })
    afterEach(() => engine.close())

    const items = (...sketches: ItemSketch[]) => record(...sketches.map((sketch) => put(sketch)))
    const search = (text: string, query: Partial<SearchQuery> = {}) =>
      searched(engine.search, ask(text, query))
    const found = async (text: string, query: Partial<SearchQuery> = {}) =>
      (await search(text, query)).hits.map((hit) => hit.mediaId)
    /** Finds by words alone, so that what matches is plain to see. */
    const byWords = (text: string, query: Partial<SearchQuery> = {}) =>
      found(text, { lexicalWeight: 1, ...query })
    const sorted = (...media: string[]) => media.map(uuid).sort()

    test('finds nothing where nothing is', async () => {
      expect(await search('anything')).toEqual({ hits: [], total: 0, distribution: {} })
    })

    test('finds by stems, says which words matched and quotes the passage', async () => {
      await items(
        { media: 'a', chunks: ['aircraft', 'Wings at supersonic speeds', 'heated composite slabs'] },
        { media: 'b', chunks: ['cooking', 'soups and stews'] },
      )
      const { hits, total, distribution } = await search('The heating of a slab, supersonically', {
        lexicalWeight: 1,
      })
      expect(hits).toHaveLength(1)
      expect(hits[0]).toMatchObject({
        mediaId: uuid('a'),
        matchedTerms: ['heating', 'slab', 'supersonically'],
        passage: { text: 'heated composite slabs', chunk: 2 },
      })
      expect([total, distribution]).toEqual([1, { default: 1 }])
    })

    test('quotes the head only where no other chunk says anything', async () => {
      await items(
        { media: 'a', chunks: ['propeller', 'none of it here'] },
        { media: 'b', chunks: ['propeller propeller propeller', 'a propeller'] },
      )
      const { hits } = await search('propeller', { lexicalWeight: 1 })
      const chunks = new Map(hits.map((hit) => [hit.mediaId, hit.passage.chunk]))
      expect(chunks).toEqual(
        new Map([
          [uuid('a'), 0],
          [uuid('b'), 1],
        ]),
      )
    })

    test('finds by meaning: the nearest of the chunks and the combined vector', async () => {
      const near = (towards: string) =>
        unit(vector('q').map((value, index) => value * 3 + vector(towards)[index]!))
      await items(
        { media: 'a', chunks: ['x', 'y', 'z'], vectors: [vector('1'), vector('2'), near('3')] },
        { media: 'b', chunks: ['x', 'y'], vectors: [vector('4'), vector('5')] },
      )
      const { hits } = await search('unheard of', { vectors: askedFor(vector('q')), lexicalWeight: 0 })
      expect(hits[0]).toMatchObject({
        mediaId: uuid('a'),
        matchedTerms: [],
        passage: { text: 'z', chunk: 2 },
      })
      expect(hits[0]!.semantic).toBeGreaterThan(0.8)
      expect(hits[0]!.score).toBeCloseTo(hits[0]!.semantic, DIGITS)
    })

    test('finds Korean by parts of words, whatever their endings', async () => {
      await items(
        { media: 'a', chunks: ['보고서', '항공역학의 기초를 설명한다'] },
        { media: 'b', chunks: ['요리책', '김치찌개를 끓이는 법'] },
      )
      const { hits } = await search('항공역학', { lexicalWeight: 1 })
      expect(hits.map((hit) => [hit.mediaId, hit.matchedTerms])).toEqual([[uuid('a'), ['항공역학']]])
      expect(await byWords('김치')).toEqual([uuid('b')])
    })

    test('finds identifiers whole and by their parts', async () => {
      await items(
        { media: 'a', chunks: ['a', 'the profile NACA-0012 in a tunnel'] },
        { media: 'b', chunks: ['b', 'calls getUserName once'] },
      )
      expect(await byWords('naca-0012')).toEqual([uuid('a')])
      expect(await byWords('0012')).toEqual([uuid('a')])
      expect(await byWords('user name')).toEqual([uuid('b')])
    })

    test('scores do not depend on how many results, which filters or what minimum were asked for', async () => {
      await items(
        ...Array.from({ length: 12 }, (_, at) => ({
          media: `m${at}`,
          collection: at % 2 ? 'x' : 'y',
          topics: [`t${at % 3}`],
          chunks: [`flow ${at}`, `wing flow of ${at} over ${'heat '.repeat(at)}`],
        })),
      )
      const all = await search('wing heat', { maxResults: 100 })
      const scores = new Map(all.hits.map((hit) => [hit.mediaId, hit.score]))
      const half = all.hits[5]!.score
      const variants: Partial<SearchQuery>[] = [
        { maxResults: 1 },
        { collections: ['x'] },
        { filters: { topics: ['T1'] } },
        { minScore: half },
      ]
      for (const variant of variants) {
        const { hits } = await search('wing heat', variant)
        expect(hits.length).toBeGreaterThan(0)
        for (const hit of hits) expect(hit.score).toBe(scores.get(hit.mediaId))
      }
      expect((await search('wing heat', { maxResults: 1 })).total).toBe(all.total)
      const atLeast = await search('wing heat', { minScore: half })
      expect(atLeast.total).toBe(all.hits.filter((hit) => hit.score >= half).length)
    })

    test('another account changes nothing: no score, no count, no term statistics', async () => {
      await items(
        { media: 'a', chunks: ['a', 'rare words here'] },
        { media: 'b', chunks: ['b', 'other words'] },
      )
      const before = await search('rare words')
      await items(
        ...Array.from({ length: 20 }, (_, at) => ({
          media: `o${at}`,
          account: 'other',
          chunks: ['rare', 'rare words'],
        })),
      )
      expect(await search('rare words')).toEqual(before)
      expect(await found('rare words', { accountId: uuid('nobody') })).toEqual([])
    })

    test('filters by type, collection and time', async () => {
      await items(
        { media: 'a', type: 'image', collection: 'x', createdAt: 10, chunks: ['a', 'flow'] },
        { media: 'b', type: 'video', collection: 'y', createdAt: 20, chunks: ['b', 'flow'] },
        { media: 'c', type: 'document', collection: 'y', createdAt: 30, chunks: ['c', 'flow'] },
      )
      const filtered = async (query: Partial<SearchQuery>) => (await byWords('flow', query)).sort()
      expect(await filtered({ filters: { mediaTypes: ['image', 'video'] } })).toEqual(sorted('a', 'b'))
      expect(await filtered({ filters: { createdAfter: 20 } })).toEqual(sorted('b', 'c'))
      expect(await filtered({ filters: { createdBefore: 20 } })).toEqual(sorted('a', 'b'))
      expect(await filtered({ filters: { createdAfter: 11, createdBefore: 29 } })).toEqual(sorted('b'))
      expect(await filtered({ collections: ['y'] })).toEqual(sorted('b', 'c'))
      expect(await filtered({ collections: ['x', 'y'] })).toEqual(sorted('a', 'b', 'c'))
      expect(await filtered({ collections: ['z'] })).toEqual([])
      expect((await search('flow', { lexicalWeight: 1 })).distribution).toEqual({ x: 1, y: 2 })
      await items(
        { media: 'names 1', collection: '__proto__', chunks: ['flow'] },
        { media: 'names 2', collection: 'constructor', chunks: ['flow'] },
      )
      const { distribution } = await search('flow', { lexicalWeight: 1 })
      expect(new Map(Object.entries(distribution))).toEqual(
        new Map([
          ['x', 1],
          ['y', 2],
          ['__proto__', 1],
          ['constructor', 1],
        ]),
      )
    })

    test('filters by any topic, and by entities of every kind given', async () => {
      await items(
        {
          media: 'a',
          topics: ['Space Flight'],
          people: ['Ada Lovelace'],
          organizations: ['NASA'],
          chunks: ['a', 'flow'],
        },
        { media: 'b', topics: ['cooking'], people: ['Ada Lovelace', 'Grace Hopper'], chunks: ['b', 'flow'] },
      )
      const filtered = async (filters: SearchQuery['filters']) => (await byWords('flow', { filters })).sort()
      expect(await filtered({ topics: ['space flight', 'nothing'] })).toEqual(sorted('a'))
      expect(await filtered({ topics: ['SPACE FLIGHT', 'Cooking'] })).toEqual(sorted('a', 'b'))
      expect(await filtered({ topics: ['space'] })).toEqual([])
      expect(await filtered({ entities: { people: ['ada lovelace'] } })).toEqual(sorted('a', 'b'))
      expect(await filtered({ entities: { people: ['ada lovelace'], organizations: ['nasa'] } })).toEqual(
        sorted('a'),
      )
      expect(
        await filtered({ entities: { people: ['grace hopper', 'x'], organizations: ['nasa'] } }),
      ).toEqual([])
    })

    test('a modality raises its own and drops nothing', async () => {
      await items(
        { media: 'a', type: 'image', keywords: ['Red', 'sunset'], chunks: ['a', 'flow'] },
        { media: 'b', type: 'image', keywords: ['red'], chunks: ['b', 'flow'] },
        { media: 'c', chunks: ['c', 'flow'] },
      )
      const scores = async (query: Partial<SearchQuery>) => {
        const { hits } = await search('flow', query)
        return ['a', 'b', 'c'].map((media) => hits.find((hit) => hit.mediaId === uuid(media))!.score)
      }
      const [a, b, c] = (await scores({})) as [number, number, number]
      const raised = (score: number) => score + 0.4 * (1 - score)
      const byType = await scores({ modality: { type: 'image', weight: 0.4, features: [] } })
      for (const [at, score] of [raised(a), raised(b), c].entries())
        expect(byType[at]).toBeCloseTo(score, DIGITS)
      const both = await scores({ modality: { type: 'image', weight: 0.4, features: ['RED', 'Sunset'] } })
      for (const [at, score] of [raised(a), b, c].entries()) expect(both[at]).toBeCloseTo(score, DIGITS)
    })

    test('a query that is begun is answered like any other, with other queries in between', async () => {
      const flows = ['laminar flow', 'turbulent flow over a wing', 'a wing in laminar flow']
      await items(...flows.map((text, n) => ({ media: `flow ${n}`, chunks: ['aerodynamics', text] })), {
        account: 'other',
        media: 'theirs',
        chunks: ['theirs', 'laminar soup'],
      })
      const text = 'laminar flow over wings'
      const { vectors, ...query } = ask(text, {})
      const between: (() => Promise<unknown>)[] = [
        async () => undefined,
        () => search('turbulence'),
        () => search('laminar', { accountId: uuid('other') }),
        () => engine.search.prepare({ ...query, text: 'soup' }),
        () => engine.search.prepare({ ...query, accountId: uuid('nobody') }),
        () => advancedSearch(engine.search, { ...ask(text, {}), contextDepth: 1, expansionFactor: 2 }),
      ]
      for (const step of between) {
        const begun = await engine.search.prepare(query)
        await step()
        const answer = await begun.search(vectors)
        expect(answer.hits.length).toBeGreaterThan(1)
        expect(answer).toEqual(await search(text))
      }
      const changes = [
        () => items({ media: 'new', chunks: ['new', 'laminar flow over many wings'] }),
        () => record(removal('flow 2')),
      ]
      for (const change of changes) {
        const begun = await engine.search.prepare(query)
        await change()
        const { hits } = await begun.search(vectors)
        // What it is scored by may be of either moment; what there is, is of the last.
        const now = await search(text)
        expect(hits.map(({ mediaId }) => mediaId).sort()).toEqual(
          now.hits.map(({ mediaId }) => mediaId).sort(),
        )
      }
    })

    test('says what there is to search: embedders, and collections that hold something', async () => {
      await items(
        { media: 'a', collection: 'x', chunks: ['a'] },
        { media: 'b', collection: 'y', chunks: ['b'], model: OTHER_MODEL },
        { media: 'c', collection: 'z', chunks: ['c'] },
        { account: 'other', media: 'd', collection: 'theirs', chunks: ['d'] },
      )
      await record(removal('c'))
      const there = async (collections: string[] | null, accountId = ACCOUNT) => {
        const { vectors: _, ...query } = ask('anything', { collections, accountId })
        const prepared = await engine.search.prepare(query)
        return [[...prepared.models].sort(), prepared.collections]
      }
      const models = [TEST_MODEL, OTHER_MODEL].sort()
      expect(await there(null)).toEqual([models, ['default', 'x', 'y']])
      expect(await there(['y', 'z', 'theirs', 'default', 'y'])).toEqual([models, ['y', 'default']])
      expect(await there(null, uuid('nobody'))).toEqual([[], ['default']])
    })

    test('answers with the items as the catalog has them', async () => {
      await items(
        { media: 'a', collection: 'x', topics: ['wing'], chunks: ['a', 'flow'] },
        { media: 'b', chunks: ['b', 'flow'] },
      )
      for (const { mediaId, item } of (await search('flow')).hits)
        expect(item).toEqual(await engine.catalog.item(ACCOUNT, mediaId))
    })

    test('what is removed, replaced, moved or ended is so for the next query', async () => {
      await items(
        { media: 'a', collection: 'x', chunks: ['a', 'flow'] },
        { media: 'b', collection: 'x', chunks: ['b', 'flow'] },
        { media: 'c', collection: 'y', chunks: ['c', 'flow'] },
      )
      expect((await byWords('flow')).sort()).toEqual(sorted('a', 'b', 'c'))
      await record(removal('a'))
      expect((await byWords('flow')).sort()).toEqual(sorted('b', 'c'))
      await record({
        type: 'MoveItems',
        accountId: ACCOUNT,
        mediaIds: [uuid('c')],
        collection: 'z',
        generation: 0,
      })
      expect(await byWords('flow', { collections: ['z'] })).toEqual([uuid('c')])
      expect(await byWords('flow', { collections: ['y'] })).toEqual([])
      await record(replace({ media: 'c', ingest: 'c/2', revision: 3, chunks: ['c', 'heat'] }, 'c/1'))
      expect(await byWords('flow')).toEqual([uuid('b')])
      expect(await byWords('heat', { collections: ['z'] })).toEqual([uuid('c')])
      await record({ type: 'EndCollection', accountId: ACCOUNT, collection: 'x', generation: 0, at: 1 })
      expect(await byWords('flow')).toEqual([])
      await items({ media: 'd', collection: 'x', generation: 1, chunks: ['d', 'flow'] })
      expect(await byWords('flow', { collections: ['x'] })).toEqual([uuid('d')])
    })

    test('an item with nothing in common is no result, one that just does is', async () => {
      await items({
        media: 'a',
        chunks: ['a', 'flow'],
        vectors: [vector('q'), vector('q')].map((one) => one.map((x) => -x)),
      })
      expect(await search('heat', { vectors: askedFor(vector('q')) })).toMatchObject({ hits: [], total: 0 })
      expect((await search('flow', { vectors: askedFor(vector('q')) })).total).toBe(1)
    })

    test('compares each item with the query as its own embedder has it, and no other', async () => {
      // The same numbers under another name: only the name shows that they are not comparable.
      await items(
        { media: 'a', chunks: ['x', 'y'], vectors: [vector('q'), vector('q')] },
        { media: 'b', chunks: ['x', 'y'], vectors: [vector('q'), vector('q')], model: OTHER_MODEL },
      )
      const by = async (vectors: QueryVector[]) =>
        (await search('unheard of', { vectors, lexicalWeight: 0 })).hits.map(({ mediaId }) => mediaId)
      expect(await by(askedFor(vector('q')))).toEqual([uuid('a')])
      expect(await by(askedFor(vector('q'), OTHER_MODEL))).toEqual([uuid('b')])
      expect(await by([])).toEqual([])
      expect((await by([...askedFor(vector('q')), ...askedFor(vector('q'), OTHER_MODEL)])).sort()).toEqual(
        sorted('a', 'b'),
      )
      expect(await by(askedFor(vector('q', 2 * DIMENSIONS)))).toEqual([])
      const byWords = await search('x', { vectors: askedFor(vector('q')), lexicalWeight: 1 })
      expect(byWords.hits.map(({ mediaId }) => mediaId).sort()).toEqual(sorted('a', 'b'))
    })

    test('counts each of 1,000 items that one event moved, for the next query', async () => {
      const media = Array.from({ length: 1_000 }, (_, item) => `${item}`)
      await items(...media.map((name) => ({ media: name, collection: 'x', chunks: [name, 'flow'] })))
      const counted = async (collections: string[]) => (await search('flow', { collections })).total
      expect(await counted(['x'])).toBe(1_000)
      const mediaIds = media.map(uuid)
      await record({ type: 'MoveItems', accountId: ACCOUNT, mediaIds, collection: 'y', generation: 0 })
      expect(await counted(['y'])).toBe(1_000)
      expect(await counted(['x'])).toBe(0)
    }, 120_000)

    test('scores an item of 200 chunks by the best of all of them', async () => {
      const model = new NaiveModel()
      const changes = Array.from({ length: 20 }, (_, item) =>
        put({
          media: `${item}`,
          chunks: Array.from({ length: 200 }, (__, chunk) => `word${chunk % 9} of ${item} in ${chunk}`),
        }),
      )
      for (const change of changes) model.apply(structuredClone(change))
      await record(...changes)
      for (const text of ['word1', 'word2 in 17', 'none of it', 'of 3'])
        for (const lexicalWeight of [0, 0.35]) await expectSame(engine, model, ask(text, { lexicalWeight }))
    })

    test('agrees with scoring everything by the formulas, after any history', async () => {
      await fc.assert(
        fc.asyncProperty(
          histories(),
          fc.constantFrom('wing heat', 'supersonic flow', '항공역학', 'naca-0012 nothing', 'heat'),
          async (history, text) => {
            const fresh = await open()
            try {
              const log = logOf(fresh)
              const model = new NaiveModel()
              // Asking in between makes caches that later changes must bring up to date.
              for (const change of history) {
                model.apply(structuredClone(change))
                await log.record(change)
                if (log.history.length % 5 === 0)
                  await expectSame(fresh, model, ask(text, { accountId: uuid('account 0') }))
              }
              const variants: Partial<SearchQuery>[] = [
                {},
                { lexicalWeight: 1 },
                { collections: ['collection-1'] },
                { filters: { topics: ['wing'] } },
              ]
              for (const variant of variants) {
                for (const account of ['account 0', 'account 1'])
                  await expectSame(fresh, model, ask(text, { accountId: uuid(account), ...variant }))
              }
            } finally {
              await fresh.close()
            }
          },
        ),
        { numRuns: 12 },
      )
    }, 480_000)
  })
}

const ask = (text: string, query: Partial<SearchQuery>): SearchQuery => ({
  accountId: ACCOUNT,
  text,
  vectors: asked(text),
  collections: null,
  lexicalWeight: 0.35,
  minScore: 0,
  maxResults: 10,
  filters: {},
  ...query,
})

async function expectSame({ search }: CatalogEngine, model: NaiveModel, query: SearchQuery): Promise<void> {
  const expected = model.search(query)
  const { hits, total } = await searched(search, { ...query, maxResults: 100 })
  expect(Math.abs(total - expected.length)).toBeLessThanOrEqual(faintItems(hits, expected))
  expect(hits.map((hit) => hit.score)).toEqual(hits.map((hit) => hit.score).toSorted((a, b) => b - a))
  for (const item of expected.filter(({ score }) => score >= 10 ** -DIGITS)) {
    const hit = hits.find((one) => one.mediaId === item.mediaId)
    expect(hit?.score).toBeCloseTo(item.score, DIGITS)
    expect(hit?.lexical).toBeCloseTo(item.lexical, DIGITS)
    expect(hit?.semantic).toBeCloseTo(item.semantic, DIGITS)
  }
}
