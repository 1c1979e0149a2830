import {
  connectingLabels,
  type AdvancedHit,
  type AdvancedQuery,
  type CatalogChange,
  type SimilarQuery,
} from '@medialog/application/ports'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { connectedScore, rarity } from '../search/connection-scorer.ts'
import { advancedSearch, logOf, searched, type CatalogEngine, type CatalogEngineFactory } from './engine.ts'
import { histories } from './history.ts'
import { asked, askedFor, DIMENSIONS, type ItemSketch, put, unit, uuid, vector } from './items.ts'
import { NaiveModel } from './naive-model.ts'
import { DIGITS, faintItems } from './faint.ts'

const ACCOUNT = uuid('account')

/** What every engine does with connections and with similar items, over the ports alone. */
export function describeConnectionsContract(name: string, open: CatalogEngineFactory): void {
  describe(`${name} finds connections and similar items`, () => {
    let engine: CatalogEngine
    let record: (...changes: CatalogChange[]) => Promise<number>
    beforeEach(async () => {
      NAMES.clear()
      engine = await open()
      const log = logOf(engine)
      record = (...changes) => log.record(...changes)
    })
    afterEach(() => engine.close())

    const items = (...sketches: ItemSketch[]) => record(...sketches.map((sketch) => put(sketch)))
    const advanced = (query: Partial<AdvancedQuery> = {}) => advancedSearch(engine.search, ask(query))
    const found = async (query: Partial<AdvancedQuery> = {}) => (await advanced(query)).hits.map(nameOf)
    const similar = (media: string, query: Partial<SimilarQuery> = {}) =>
      engine.search.similar(like(media, query))

    test('finds nothing where nothing is', async () => {
      expect(await advanced()).toEqual({ hits: [], total: 0, distribution: {}, depthReached: 0 })
      expect(await similar('a')).toBeNull()
    })

    test('finds what shares a name with a direct match, and says how', async () => {
      const [a, b] = [
        { media: 'a', chunks: ['a', 'flow'], people: ['Ada Lovelace', 'Nobody Else'] },
        { media: 'b', type: 'image', chunks: ['b', 'other'], people: ['ADA LOVELACE'] },
      ] as const satisfies ItemSketch[]
      await items(distinct(a), distinct(b), distinct({ media: 'c' }))
      const { hits, depthReached, total, distribution } = await advanced()
      expect([total, distribution, depthReached]).toEqual([2, { default: 2 }, 1])
      const [direct, connected] = hits as [AdvancedHit, AdvancedHit]
      const strength = 0.9 * rarity(2, 3)
      expect(direct).toMatchObject({ mediaId: uuid('a'), depth: 0, path: [] })
      expect(connected).toMatchObject({ mediaId: uuid('b'), depth: 1, lexical: 0, matchedTerms: [] })
      expect(connected.score).toBeCloseTo(connectedScore(direct.score, strength), DIGITS)
      const labels = connectingLabels(put(distinct(a)).item)
      const shared = [labels.findIndex(({ name }) => name === 'Ada Lovelace')]
      const connection = { source: uuid('a'), target: uuid('b'), relation: 'shared_entity', shared }
      expect(connected.path).toEqual([{ ...connection, strength: connected.path[0]!.strength }])
      expect(connected.path[0]!.strength).toBeCloseTo(strength, DIGITS)
      expect(direct.crossModal).toEqual(connected.path)
      expect(connected.crossModal).toMatchObject([{ source: uuid('b'), target: uuid('a'), shared: [0] }])
    })

    test.each([
      ['shared_topic', { topics: ['Space Flight'] }, { topics: ['space flight'] }],
      ['same_source', { author: 'Ada Lovelace' }, { author: 'Ada Lovelace' }],
      ['same_source', { filename: 'lecture-one.mp4' }, { filename: 'Lecture-One.txt' }],
      ['similar_content', { vectors: both('q') }, { vectors: both('q') }],
    ])('knows %s', async (relation, a, b) => {
      await items(
        { ...distinct({ media: 'a', chunks: ['a', 'flow'] }), ...a },
        { ...distinct({ media: 'b', type: 'audio' }), ...b },
      )
      const { hits } = await advanced({ vectors: askedFor(vector('far', DIMENSIONS).map((x) => -x)) })
      expect(hits.map(nameOf)).toContain('b')
      expect(hits.find((hit) => nameOf(hit) === 'b')!.path).toMatchObject([{ relation }])
    })

    test('depth 0 finds what search finds', async () => {
      await items(
        distinct({ media: 'a', chunks: ['a', 'flow'], people: ['Ada Lovelace'] }),
        distinct({ media: 'b', people: ['Ada Lovelace'] }),
      )
      const { hits, depthReached, ...counts } = await advanced({ contextDepth: 0 })
      const basic = await searched(engine.search, ask({}))
      for (const [at, { item, ...hit }] of basic.hits.entries()) {
        expect(hits[at]).toMatchObject(hit)
        expect(item.mediaId).toBe(hit.mediaId)
      }
      expect(hits).toHaveLength(basic.hits.length)
      expect(counts).toEqual({ total: basic.total, distribution: basic.distribution })
      expect([depthReached, hits[0]!.path]).toEqual([0, []])
    })

    test('follows chains as deep as asked for, and no deeper than there are any', async () => {
      await items(
        distinct({ media: 'a', chunks: ['a', 'flow'], people: ['One', 'First'] }),
        distinct({ media: 'b', people: ['One', 'Two', 'First'] }),
        distinct({ media: 'c', people: ['Two', 'Three'] }),
        distinct({ media: 'd', people: ['Three'] }),
        distinct({ media: 'e', people: ['Nobody'] }),
      )
      expect(await found({ contextDepth: 1 })).toEqual(['a', 'b'])
      expect(await found({ contextDepth: 2 })).toEqual(['a', 'b', 'c'])
      const { hits, depthReached } = await advanced({ contextDepth: 5 })
      expect(hits.map((hit) => [nameOf(hit), hit.depth])).toEqual([
        ['a', 0],
        ['b', 1],
        ['c', 2],
        ['d', 3],
      ])
      expect(depthReached).toBe(3)
      const steps = hits[3]!.path.map(({ source, target }) => [source, target])
      expect(steps).toEqual(
        [
          ['a', 'b'],
          ['b', 'c'],
          ['c', 'd'],
        ].map((step) => step.map(uuid)),
      )
      const strengths = hits[3]!.path.map(({ strength }) => strength)
      expect(hits[3]!.score).toBeCloseTo(strengths.reduce(connectedScore, hits[0]!.score), DIGITS)
    })

    test('follows as many connections of an item as the factor says, the strongest first', async () => {
      await items(
        distinct({ media: 'a', chunks: ['a', 'flow'], people: ['1', '2', '3', '4', '5', '6'] }),
        distinct({ media: 'b', people: ['1'] }),
        distinct({ media: 'c', people: ['2', '3'] }),
        distinct({ media: 'd', people: ['4', '5', '6'] }),
      )
      expect(await found({ expansionFactor: 1 })).toEqual(['a', 'd'])
      expect(await found({ expansionFactor: 1.5 })).toEqual(['a', 'd', 'c'])
      expect(await found({ expansionFactor: 3 })).toEqual(['a', 'd', 'c', 'b'])
    })

    test('what many share connects no items', async () => {
      const common = Array.from({ length: 30 }, (_, at) =>
        distinct({ media: `m${at}`, people: ['Everybody'], topics: ['everything'] }),
      )
      await items(
        distinct({ media: 'a', chunks: ['a', 'flow'], people: ['Everybody', 'Ada'], topics: ['everything'] }),
        distinct({ media: 'b', people: ['Everybody', 'Ada'] }),
        ...common,
      )
      expect(await found({ contextDepth: 3, expansionFactor: 10, maxResults: 100 })).toEqual(['a', 'b'])
    })

    test('a direct match that is better than its connection stays one', async () => {
      await items(
        distinct({ media: 'a', chunks: ['a', 'flow'], people: ['Ada'] }),
        distinct({ media: 'b', chunks: ['b', 'flow and much else beside it'], people: ['Ada'] }),
      )
      const { hits, depthReached } = await advanced({ contextDepth: 2 })
      expect(hits.map(({ depth }) => depth)).toEqual([0, 0])
      expect(depthReached).toBe(0)
    })

    test('no score depends on how many, which and how good results were asked for', async () => {
      await items(
        ...Array.from({ length: 14 }, (_, at) =>
          distinct({
            media: `m${at}`,
            type: at % 3 === 0 ? 'image' : 'document',
            collection: at % 2 === 0 ? 'x' : 'y',
            chunks: at < 4 ? [`m${at}`, `flow ${'heat '.repeat(at)}`] : [`m${at}`, 'else'],
            people: [`p${at % 4}`, `p${at % 5}`],
            topics: [`t${at % 6}`],
          }),
        ),
      )
      const deep = { contextDepth: 3, expansionFactor: 2 }
      const all = await advanced({ ...deep, maxResults: 100 })
      expect(all.hits.filter(({ depth }) => depth > 1).length).toBeGreaterThan(0)
      const expected = new Map(all.hits.map((hit) => [hit.mediaId, hit]))
      const half = all.hits[4]!.score
      const variants: Partial<AdvancedQuery>[] = [
        { maxResults: 3 },
        { minScore: half },
        { collections: ['x'] },
        { filters: { mediaTypes: ['image'] } },
        { filters: { topics: ['t1', 't2'] } },
        { filters: { entities: { people: ['P3'] } } },
      ]
      for (const variant of variants) {
        const { hits, depthReached } = await advanced({ ...deep, maxResults: 100, ...variant })
        expect(hits.length).toBeGreaterThan(0)
        expect(hits.length).toBeLessThan(all.hits.length)
        expect(depthReached).toBe(all.depthReached)
        for (const hit of hits) expect(hit).toEqual(expected.get(hit.mediaId))
      }
    })

    test('a modality raises its own, found directly or not', async () => {
      await items(
        distinct({ media: 'a', chunks: ['a', 'flow'], people: ['Ada'] }),
        distinct({ media: 'b', type: 'image', people: ['Ada'] }),
      )
      const scores = async (query: Partial<AdvancedQuery>) => {
        const { hits } = await advanced(query)
        return Object.fromEntries(hits.map((hit) => [nameOf(hit), hit.score]))
      }
      const plain = await scores({})
      const raised = await scores({ modality: { type: 'image', weight: 0.4, features: [] } })
      expect(raised).toEqual({ a: plain['a'], b: plain['b']! + 0.4 * (1 - plain['b']!) })
    })

    test('shows the five strongest connections with other media types', async () => {
      const people = ['1', '2', '3', '4', '5', '6', '7']
      await items(
        distinct({ media: 'a', chunks: ['a', 'flow'], people }),
        distinct({ media: 'same type', people }),
        ...people.map((_, at) =>
          distinct({ media: `m${at}`, type: at % 2 === 0 ? 'image' : 'audio', people: people.slice(at) }),
        ),
      )
      const [hit] = (await advanced({ contextDepth: 0 })).hits
      const targets = hit!.crossModal.map(({ target }) => target)
      expect(targets).toEqual(['m0', 'm1', 'm2', 'm3', 'm4'].map(uuid))
      expect(hit!.crossModal.every(({ shared }) => shared.length > 0 && shared.length <= 3)).toBe(true)
    })

    test('another account with the same files changes nothing', async () => {
      const files = Array.from({ length: 6 }, (_, at) =>
        distinct({
          media: `m${at}`,
          type: at % 2 === 0 ? 'image' : 'document',
          chunks: at === 0 ? ['m0', 'flow'] : [`m${at}`, 'else'],
          people: [`p${at}`, `p${at + 1}`],
          vectors: at > 3 ? both('near') : both(`${at}`),
        }),
      )
      await items(...files)
      const query = { contextDepth: 4, expansionFactor: 10 }
      const before = [await advanced(query), await similar('m5')]
      await items(
        ...files.map((file) => ({ ...file, account: 'other', media: `other ${file.media}` })),
        ...files.map((file) => ({ ...file, account: 'other', media: `again ${file.media}` })),
      )
      expect([await advanced(query), await similar('m5')]).toEqual(before)
      expect(await engine.search.similar(like('m5', { accountId: uuid('other') }))).toBeNull()
      const others = await advancedSearch(engine.search, ask({ ...query, accountId: uuid('other') }))
      expect(others.hits.length).toBeGreaterThan(before[0]!.hits.length)
      const own = new Set(files.map(({ media }) => uuid(media)))
      expect(others.hits.filter(({ mediaId }) => own.has(mediaId))).toEqual([])
    })

    test('finds what is similar, by type and collection, best first', async () => {
      const towards = (weight: number) => {
        const near = unit(vector('q').map((x, at) => weight * x + vector('far')[at]!))
        return [near, near]
      }
      await items(
        distinct({ media: 'reference', vectors: both('q') }),
        distinct({ media: 'a', vectors: towards(5), collection: 'x' }),
        distinct({ media: 'b', vectors: towards(3), type: 'image' }),
        distinct({ media: 'c', vectors: towards(2), type: 'image', collection: 'x' }),
        distinct({ media: 'd', vectors: both('q').map((one) => one.map((x) => -x)) }),
      )
      const names = async (query: Partial<SimilarQuery> = {}) =>
        (await similar('reference', query))!.hits.map(nameOf)
      expect(await names()).toEqual(['a', 'b', 'c'])
      expect(await names({ maxResults: 1 })).toEqual(['a'])
      expect(await names({ mediaType: 'image' })).toEqual(['b', 'c'])
      expect(await names({ collections: ['x'] })).toEqual(['a', 'c'])
      expect(await names({ collections: ['x'], mediaType: 'image' })).toEqual(['c'])
      const all = (await similar('reference'))!
      expect([all.total, all.distribution]).toEqual([3, { default: 1, x: 2 }])
      expect(await similar('reference', { minScore: all.hits[1]!.score })).toEqual({
        hits: all.hits.slice(0, 2),
        total: 2,
        distribution: { default: 1, x: 1 },
      })
    })

    test('what is removed, replaced or ended is so for the next question', async () => {
      await items(
        distinct({ media: 'a', chunks: ['a', 'flow'], people: ['Ada'] }),
        distinct({ media: 'b', people: ['Ada'] }),
        distinct({ media: 'c', people: ['Ada'], collection: 'x' }),
      )
      expect(new Set(await found({ expansionFactor: 5 }))).toEqual(new Set(['a', 'b', 'c']))
      await record({ type: 'EndCollection', accountId: ACCOUNT, collection: 'x', generation: 0, at: 1 })
      expect(await found({ expansionFactor: 5 })).toEqual(['a', 'b'])
      await record({
        type: 'RemoveItem',
        accountId: ACCOUNT,
        mediaId: uuid('b'),
        ingestId: uuid('b/1'),
        revision: 2,
        at: 1,
      })
      expect(await found({ expansionFactor: 5 })).toEqual(['a'])
      expect(await similar('b')).toBeNull()
      await items(distinct({ media: 'd', people: ['Ada'] }))
      expect(await found({ expansionFactor: 5 })).toEqual(['a', 'd'])
    })

    test('agrees with comparing everything by the formulas, after any history', async () => {
      await fc.assert(
        fc.asyncProperty(
          histories(),
          fc.constantFrom('wing heat', '항공역학', 'flow'),
          async (history, text) => {
            const fresh = await open()
            try {
              const log = logOf(fresh)
              const model = new NaiveModel()
              for (const change of history) {
                model.apply(structuredClone(change))
                await log.record(change)
                if (log.history.length % 6 === 0) await expectSame(fresh, model, text, {})
              }
              await expectSame(fresh, model, text, {})
              await expectSame(fresh, model, text, { collections: ['collection-1'] })
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

const NAMES = new Map<string, string>()
const nameOf = ({ mediaId }: { mediaId: string }): string => NAMES.get(mediaId) ?? mediaId

/** An item that has nothing in common with any other of 32, except what the sketch names. */
function distinct<S extends ItemSketch>(sketch: S): S {
  NAMES.set(uuid(sketch.media), sketch.media)
  const chunks = sketch.chunks ?? [sketch.media, `text of ${sketch.media}`]
  const number = [...NAMES.keys()].indexOf(uuid(sketch.media))
  const own = new Float32Array(DIMENSIONS)
  own[number % DIMENSIONS] = number < DIMENSIONS ? 1 : -1
  return { chunks, vectors: chunks.map(() => own), filename: '1.txt', ...sketch }
}

function both(name: string): Float32Array[] {
  return [vector(name), vector(name)]
}

/** Finds directly by words alone. */
const ask = (query: Partial<AdvancedQuery>): AdvancedQuery => ({
  accountId: ACCOUNT,
  text: 'flow',
  vectors: asked('flow'),
  collections: null,
  lexicalWeight: 1,
  minScore: 0,
  maxResults: 10,
  filters: {},
  contextDepth: 1,
  expansionFactor: 2,
  ...query,
})

const like = (media: string, query: Partial<SimilarQuery>): SimilarQuery => ({
  accountId: ACCOUNT,
  mediaId: uuid(media),
  cosineFloor: 0.15,
  others: [],
  collections: null,
  minScore: 0,
  maxResults: 10,
  mediaType: null,
  ...query,
})

async function expectSame(
  { search }: CatalogEngine,
  model: NaiveModel,
  text: string,
  more: { collections?: string[] },
): Promise<void> {
  for (const account of ['account 0', 'account 1']) {
    const accountId = uuid(account)
    const query = ask({
      accountId,
      text,
      vectors: asked(text),
      lexicalWeight: 0.35,
      maxResults: 100,
      contextDepth: 3,
      expansionFactor: 10,
      ...more,
    })
    const { hits, distribution, total } = await advancedSearch(search, query)
    expectScores(hits, model.advanced(query))
    expect(Object.values(distribution).reduce((sum, count) => sum + count, 0)).toBe(total)
    for (const { score, path } of hits) {
      const strengths = path.map(({ strength }) => strength)
      const first = hits.find(({ mediaId }) => mediaId === path[0]?.source)
      if (first?.depth === 0) expect(score).toBeCloseTo(strengths.reduce(connectedScore, first.score), DIGITS)
    }
    for (const { change } of model.live(accountId)) {
      const reference = {
        ...like('', { accountId, maxResults: 100, others: asked(text), ...more }),
        mediaId: change.item.mediaId,
      }
      expectScores((await search.similar(reference))!.hits, model.similar(reference)!)
    }
  }
}

function expectScores(
  hits: readonly { mediaId: string; score: number }[],
  expected: readonly { mediaId: string; score: number }[],
): void {
  expect(Math.abs(hits.length - expected.length)).toBeLessThanOrEqual(faintItems(hits, expected))
  expect(hits.map(({ score }) => score)).toEqual(hits.map(({ score }) => score).toSorted((a, b) => b - a))
  for (const { mediaId, score } of expected.filter((one) => one.score >= 10 ** -DIGITS))
    expect(hits.find((hit) => hit.mediaId === mediaId)?.score).toBeCloseTo(score, DIGITS)
}
