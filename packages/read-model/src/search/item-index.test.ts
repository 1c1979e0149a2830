import type { SearchQuery } from '@medialog/application/ports'
import { describe, expect, test } from 'vitest'
import { Analyzer } from '../analysis/analyzer.ts'
import { termOf } from '../analysis/term.ts'
import { askedFor, OTHER_MODEL, TEST_MODEL, unit, uuid, vector } from '../testing/items.ts'
import { encodeEntry } from './entry.ts'
import { encodeVectors } from './fixed-point.ts'
import { ItemIndex, type ItemToIndex } from './item-index.ts'
import { topicLabel } from './labels.ts'
import { reaching, retrieve, scoreAhead, scoreCandidates, top } from './retrieve.ts'
import { select } from './selection.ts'
import { VectorMemory } from './vector-memory.ts'

const DIMENSIONS = 64
const ITEMS = 4000
const analyzer = new Analyzer()
const subjects = Array.from({ length: 20 }, (_, at) => vector(`subject ${at}`, DIMENSIONS))

/** An item about one of twenty subjects, with up to nine chunks. */
function item(at: number, revision = 1): ItemToIndex {
  const texts = Array.from(
    { length: 1 + (at % 9) },
    (_, ordinal) => `subject${at % 20} word${at % 37} flow${ordinal}`,
  )
  const vectors = texts.map((_, ordinal) => mixed(subjects[at % 20]!, `${at}/${ordinal}/${revision}`))
  return {
    mediaId: uuid(String(at)),
    row: at,
    revision,
    mediaType: at % 3 === 0 ? 'image' : 'document',
    place: at % 4,
    createdAt: at,
    entry: encodeEntry(
      texts.map((text) => analyzer.analyse(text)),
      [termOf(topicLabel(`topic ${at % 5}`))],
    ),
    model: TEST_MODEL,
    dimensions: DIMENSIONS,
    vectors: encodeVectors([...vectors, vectors[0]!], DIMENSIONS),
  }
}

const mixed = (a: Float32Array, name: string): Float32Array => {
  const b = vector(name, DIMENSIONS)
  return unit(a.map((value, index) => value + 0.8 * b[index]!))
}

const query = (text: string, more: Partial<SearchQuery> = {}): SearchQuery => ({
  accountId: 'account',
  text,
  vectors: askedFor(mixed(subjects[3]!, text)),
  collections: null,
  lexicalWeight: 0.35,
  minScore: 0,
  maxResults: 10,
  filters: {},
  ...more,
})
const ask = (index: ItemIndex, asked: SearchQuery, places: Set<number> | null = null) =>
  retrieve(index, asked, analyzer.query(asked.text), places)

function filled(items: Iterable<ItemToIndex>): ItemIndex {
  const index = new ItemIndex(new VectorMemory())
  for (const one of items) index.put(one)
  index.settle()
  return index
}

const all = Array.from({ length: ITEMS }, (_, at) => item(at))

describe('an index with more items than candidates are taken', () => {
  const index = filled(all)
  // Either half has items about every subject.
  const isOther = (row: number): boolean => Math.floor(row / 20) % 2 === 1
  const halved = filled(all.map((one) => (isOther(one.row) ? { ...one, model: OTHER_MODEL } : one)))
  const ofBoth = (asked: SearchQuery): SearchQuery => {
    const [vector] = asked.vectors
    return { ...asked, vectors: [vector!, { ...vector!, model: OTHER_MODEL }] }
  }

  test('finds the same where half of the items are of another embedder that has the same vectors', () => {
    expect(halved.spaces.map(({ items }) => items)).toEqual([ITEMS / 2, ITEMS / 2])
    for (const text of ['subject3 word5', 'nothing known']) {
      const asked = query(text)
      expect(ask(halved, ofBoth(asked)).hits).toEqual(ask(index, asked).hits)
      const { hits } = ask(halved, asked)
      expect(hits.filter(({ semantic }) => semantic > 0).some(({ row }) => isOther(row))).toBe(false)
    }
  })

  test('lets go of the vectors of an embedder once no item is left of it', () => {
    const changing = filled(all.slice(0, 50))
    for (const one of all.slice(0, 50)) changing.put({ ...one, revision: 2, model: OTHER_MODEL })
    expect(changing.spaces.map(({ items, vectors }) => [items, vectors.bytes > 0])).toEqual([
      [0, false],
      [50, true],
    ])
    changing.release()
  })

  test('finds what scoring everything finds, with the same scores', () => {
    // Within 1000 items every one is scored: the parts of the library together are the whole, except for term statistics.
    for (const text of ['subject3 word5', 'word7 flow3', 'nothing known']) {
      const whole = ask(index, query(text, { lexicalWeight: 0 }))
      const parts = [0, 1, 2, 3].flatMap(
        (place) => ask(index, query(text, { lexicalWeight: 0 }), new Set([place])).hits,
      )
      const best = parts.sort((a, b) => b.score - a.score).slice(0, 10)
      expect(whole.hits.map((hit) => hit.score)).toEqual(best.map((hit) => hit.score))
    }
  })

  test.each([
    ['one embedder', index],
    ['two', halved],
  ])('scores the page and counts as if every vector were multiplied: of %s', (_, of) => {
    for (const more of [
      {},
      { minScore: 0.3 },
      { minScore: 0.5, maxResults: 50 },
      { lexicalWeight: 0, maxResults: 100 },
      { modality: { type: 'image', features: [], weight: 0.4 } as const },
      { filters: { topics: ['topic 3'] } },
    ])
      // One text after another: nothing that is left of the query before fits.
      for (const text of ['subject3 word5', 'subject3', 'word7 flow3', 'nothing known']) {
        const asked = ofBoth(query(text, more))
        const words = analyzer.query(text)
        const { items, scores } = scoreCandidates(of, asked, words, select(of, asked, null))
        const { total, places } = reaching(of, asked.minScore, items, scores)
        const best = top(of, items, scores, Math.min(total, asked.maxResults))
        const found = ask(of, asked)
        expect(found.hits.map(({ row, score }) => [row, score])).toEqual(
          best.map((place) => [of.rows[items[place]!], scores[place]]),
        )
        expect([found.total, found.places]).toEqual([total, places])
      }
  })

  test('gives the same answer where words were scored ahead, of this query or another', () => {
    for (const more of [{ maxResults: 100 }, { filters: { mediaTypes: ['image' as const] } }])
      for (const text of ['subject3 word5', 'word7 flow3']) {
        const asked = query(text, more)
        const found = ask(index, asked)
        for (const announced of [text, 'subject1 word2']) {
          scoreAhead(index, analyzer.query(announced))
          expect(ask(index, asked)).toEqual(found)
        }
      }
  })

  test('a score is the same whatever the filter', () => {
    const asked = query('subject3 word5')
    const scores = new Map(
      ask(index, { ...asked, maxResults: 3000 }).hits.map((hit) => [hit.mediaId, hit.score]),
    )
    for (const filters of [
      { topics: ['topic 3'] },
      { mediaTypes: ['image'] as const },
      { createdAfter: 3500 },
    ]) {
      const { hits } = ask(index, { ...asked, filters })
      expect(hits).toHaveLength(10)
      for (const hit of hits) expect(scores.get(hit.mediaId) ?? hit.score).toBe(hit.score)
    }
  })

  test('takes at most the candidate depth from each side', () => {
    const { total, places } = ask(index, query('subject3'))
    expect(total).toBeLessThanOrEqual(2000)
    expect(total).toBeGreaterThan(200)
    expect(places.values().reduce((sum, count) => sum + count, 0)).toBe(total)
  })

  test('the same query gives the same answer, whatever order the items came in', () => {
    const other = filled(all.toReversed())
    const asked = query('subject3 word5 flow1', { maxResults: 100 })
    expect(ask(other, asked)).toEqual(ask(index, asked))
  })
})

describe('an index that changes', () => {
  test('equals a rebuilt one, through removals, revisions and moves', () => {
    const changed = filled(all.slice(0, 2000))
    for (let at = 0; at < 2000; at += 7) changed.remove(uuid(String(at)), 1)
    for (let at = 1; at < 2000; at += 7) changed.put(item(at, 2))
    for (let at = 2; at < 2000; at += 7) changed.put({ ...item(at), place: 9 })
    changed.removePlace(3)
    changed.settle()
    const fresh = filled(
      all.slice(0, 2000).flatMap((one, at) => {
        if (at % 7 === 0 || (at % 7 !== 2 && at % 4 === 3)) return []
        if (at % 7 === 1) return [item(at, 2)]
        return [at % 7 === 2 ? { ...one, place: 9 } : one]
      }),
    )
    for (const text of ['subject3 word5', 'flow7', 'subject1 word2 flow3']) {
      const asked = query(text, { maxResults: 100 })
      expect(ask(changed, asked)).toEqual(ask(fresh, asked))
      expect(ask(changed, asked, new Set([9]))).toEqual(ask(fresh, asked, new Set([9])))
    }
  })

  test('ignores removals older than what it holds', () => {
    const index = filled([item(1, 5)])
    index.remove(uuid('1'), 4)
    expect(index.liveItems).toBe(1)
    index.remove(uuid('1'), 5)
    expect(index.liveItems).toBe(0)
  })

  test('reports when so much is dead that it should be rebuilt', () => {
    const index = filled(all)
    expect(index.isStale).toBe(false)
    for (let at = 0; at < ITEMS / 2; at++) index.remove(uuid(String(at)), 1)
    expect(index.isStale).toBe(true)
  })

  test('an item of another model is found by its words alone', () => {
    const index = filled([
      { ...item(3), dimensions: 32, vectors: encodeVectors(Array(5).fill(vector('x', 32)), 32) },
    ])
    const { hits } = ask(index, query('subject3'))
    expect(hits[0]).toMatchObject({ semantic: 0 })
    expect(hits[0]!.lexical).toBeGreaterThan(0)
  })
})
