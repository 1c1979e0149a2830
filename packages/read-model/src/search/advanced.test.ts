import type { AdvancedQuery } from '@medialog/application/ports'
import { expect, test } from 'vitest'
import { Analyzer } from '../analysis/analyzer.ts'
import { termOf } from '../analysis/term.ts'
import { askedFor, put, TEST_MODEL, unit, uuid, vector } from '../testing/items.ts'
import { retrieveAdvanced } from './advanced.ts'
import { encodeEntry } from './entry.ts'
import { encodeVectors } from './fixed-point.ts'
import { ItemIndex, type ItemToIndex } from './item-index.ts'
import { labelsOf } from './labels.ts'
import { retrieve } from './retrieve.ts'
import { CANDIDATE_DEPTH } from './scorer.ts'
import { retrieveSimilar } from './similar.ts'
import { VectorMemory } from './vector-memory.ts'

const DIMENSIONS = 64
/** More than are all scored, so that candidates are taken. */
const ITEMS = 3 * CANDIDATE_DEPTH
const analyzer = new Analyzer()
const subjects = Array.from({ length: 40 }, (_, at) => vector(`subject ${at}`, DIMENSIONS))

/** An item about one of forty subjects, with names that some others have too. */
const changeOf = (at: number) =>
  put({
    media: String(at),
    type: at % 3 === 0 ? 'image' : 'document',
    chunks: [`head${at}`, `subject${at % 40} word${at % 7} flow`],
    vectors: [turned(at, 0), turned(at, 1)],
    people: [`person ${at % 400}`, `person ${(at * 7) % 900}`],
    topics: [`topic ${at % 5}`],
    filename: `${at}.txt`,
  })

function turned(at: number, ordinal: number): Float32Array {
  const own = vector(`${at}/${ordinal}`, DIMENSIONS)
  return unit(subjects[at % 40]!.map((value, index) => value + 0.9 * own[index]!))
}

function itemToIndex(at: number): ItemToIndex {
  const { item, content, vectors } = changeOf(at)
  return {
    mediaId: item.mediaId,
    row: at,
    revision: 1,
    mediaType: item.mediaType,
    place: at % 4,
    createdAt: at,
    entry: encodeEntry(
      content.chunks.map(({ text }) => analyzer.analyse(text)),
      labelsOf(item).map(termOf),
    ),
    model: TEST_MODEL,
    dimensions: DIMENSIONS,
    vectors: encodeVectors([...vectors.chunks, vectors.combined], DIMENSIONS),
  }
}

/** Items in that order, the links made as they come. */
function indexOf(numbers: readonly number[]): ItemIndex {
  const index = new ItemIndex(new VectorMemory())
  for (const [count, at] of numbers.entries()) {
    index.put(itemToIndex(at))
    if (count % 500 === 0) complete(index)
  }
  index.settle()
  complete(index)
  return index
}

const complete = (index: ItemIndex): boolean =>
  index.links.complete(
    index,
    (row) => ({ ...changeOf(row).item, short: changeOf(row).vectors.short }),
    () => true,
  )

const query = (more: Partial<AdvancedQuery> = {}): AdvancedQuery => ({
  accountId: 'account',
  text: 'subject3 word3',
  vectors: askedFor(turned(3, 0)),
  collections: null,
  lexicalWeight: 0.35,
  minScore: 0,
  maxResults: 100,
  filters: {},
  contextDepth: 3,
  expansionFactor: 4,
  ...more,
})
const ask = (index: ItemIndex, asked: AdvancedQuery, places: Set<number> | null = null) =>
  retrieveAdvanced(index, asked, analyzer.query(asked.text), places)

const numbers = Array.from({ length: ITEMS }, (_, at) => at)
const index = indexOf(numbers)
const rowless = (index: ItemIndex) => ask(index, query()).hits.map((hit) => ({ ...hit, row: 0 }))

test('in a large library too, no filter and no limit changes a score', () => {
  const all = ask(index, query())
  expect(all.hits.some(({ depth }) => depth > 0)).toBe(true)
  const expected = new Map(all.hits.map((hit) => [hit.mediaId, hit]))
  const variants: [AdvancedQuery, Set<number> | null][] = [
    [query({ maxResults: 5 }), null],
    [query({ filters: { mediaTypes: ['image'] } }), null],
    [query({ filters: { topics: ['topic 3'] } }), null],
    [query(), new Set([1, 3])],
  ]
  for (const [variant, places] of variants) {
    const { hits, depthReached } = ask(index, variant, places)
    const known = hits.filter(({ mediaId }) => expected.has(mediaId))
    expect(known.length).toBeGreaterThan(3)
    expect(depthReached).toBe(all.depthReached)
    for (const hit of known) expect(hit).toEqual(expected.get(hit.mediaId))
  }
})

test('direct matches score as in basic search', () => {
  const asked = query({ contextDepth: 0 })
  const basic = retrieve(index, asked, analyzer.query(asked.text), null)
  const { hits, total, depthReached } = ask(index, asked)
  expect([total, depthReached]).toEqual([basic.total, 0])
  expect(hits).toMatchObject(basic.hits)
})

test('the order in which items came, and what went again, changes nothing', () => {
  const backwards = indexOf(numbers.toReversed())
  expect(rowless(backwards)).toEqual(rowless(index))
  const more = indexOf([...numbers, ITEMS, ITEMS + 3, ITEMS + 40])
  expect(rowless(more)).not.toEqual(rowless(index))
  for (const at of [ITEMS, ITEMS + 3, ITEMS + 40]) more.remove(uuid(String(at)), 1)
  expect(rowless(more)).toEqual(rowless(index))
})

test('links are made a slice at a time', () => {
  const sliced = indexOf([1, 2, 3])
  for (const at of [4, 5, 6]) sliced.put(itemToIndex(at))
  const read: number[] = []
  const step = () =>
    sliced.links.complete(
      sliced,
      (row) => {
        read.push(row)
        return { ...changeOf(row).item, short: changeOf(row).vectors.short }
      },
      () => false,
    )
  expect([step(), step(), step()]).toEqual([false, false, true])
  expect(read).toEqual([4, 5, 6])
})

test('similar items of a large library are compared exactly', () => {
  const asked = {
    accountId: 'account',
    mediaId: uuid('3'),
    cosineFloor: 0.15,
    others: [],
    collections: null,
    minScore: 0,
    maxResults: 20,
    mediaType: null,
  }
  const { hits } = retrieveSimilar(index, asked, null)!
  const reference = changeOf(3).vectors.combined
  const cosine = (at: number): number =>
    changeOf(at).vectors.combined.reduce((sum, value, axis) => sum + value * reference[axis]!, 0)
  const expected = numbers
    .filter((at) => at !== 3)
    .map((at) => ({ mediaId: uuid(String(at)), score: (cosine(at) - 0.15) / 0.85 }))
    .sort((a, b) => b.score - a.score)
  expect(hits).toHaveLength(20)
  for (const [place, { score }] of hits.entries()) expect(score).toBeCloseTo(expected[place]!.score, 3)
})
