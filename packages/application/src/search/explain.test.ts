import { expect, test } from 'vitest'
import type { AdvancedHit, CatalogItem } from '../ports/index.ts'
import { phraseOf, shown } from './connections.ts'
import { explain, explainConnected, explainSimilarTo } from './explain.ts'

const item = (mediaId: string, filename: string, topics: string[], people: string[] = []): CatalogItem =>
  ({
    mediaId,
    filename,
    extraction: { author: null, facts: { mediaType: 'document' } },
    enrichment: {
      topics,
      keywords: [],
      entities: { people, organizations: [], locations: [], objects: [], concepts: [] },
      quality: { clarity: 0.9, completeness: 0.8, relevance: 0.7, technical: 0.6 },
    },
  }) as unknown as CatalogItem

const hit = (changes: Partial<AdvancedHit>): AdvancedHit => ({
  mediaId: 'b',
  score: 0.4,
  lexical: 0.5,
  semantic: 0.3,
  matchedTerms: [],
  passage: { text: '', chunk: 0 },
  depth: 0,
  path: [],
  crossModal: [],
  ...changes,
})
const QUALITY = 'Quality: clarity 0.90, completeness 0.80, relevance 0.70, technical 0.60.'
const a = item('a', 'whales.txt', ['marine life', 'Sleep'], ['Ada'])
const b = item('b', 'song.mp3', ['sleep', 'music'], ['ADA'])
const items = new Map([
  ['a', a],
  ['b', b],
])

test('a direct match: confidence, words, topics, quality', () => {
  expect(explain(hit({ matchedTerms: ['Marine', 'whale'] }), a)).toBe(
    `Medium confidence (40 %): words 50 %, meaning 30 %. Matching words: Marine, whale. Matched topics: marine life. ${QUALITY}`,
  )
  expect(explainConnected(hit({ lexical: 0, semantic: 0, score: 0.7 }), b, [])).toBe(
    `High confidence (70 %): a filter alone. ${QUALITY}`,
  )
})

test('a match over connections tells the chain', () => {
  const connection = { source: 'a', target: 'b', relation: 'shared_entity', strength: 0.5 } as const
  const step = shown({ ...connection, shared: [1] }, items)!
  expect(step).toMatchObject({ source: a, target: b, phrase: 'both name Ada' })
  expect(explainConnected(hit({ score: 0.1, depth: 1 }), b, [step])).toBe(
    `Low confidence (10 %): found over a connection, whales.txt → song.mp3 (both name Ada). ${QUALITY}`,
  )
  expect(shown({ ...connection, target: 'gone', shared: [] }, items)).toBeNull()
})

test('the explanation of a similar item names what it shares with the reference', () => {
  expect(explainSimilarTo(a)(0.62, b)).toBe(
    `High confidence (62 %): similar in content to whales.txt. Both name Ada. Both about Sleep. ${QUALITY}`,
  )
  expect(explainSimilarTo(a)(1, a)).toBe('The reference itself.')
})

test.each([
  ['same_source', [{ kind: 'filename', name: 'talk' }], 'same file name: talk'],
  [
    'same_source',
    [
      { kind: 'author', name: 'Ada' },
      { kind: 'album', name: 'Songs' },
    ],
    'same author: Ada and same album: Songs',
  ],
  [
    'shared_topic',
    [
      { kind: 'topic', name: 'a' },
      { kind: 'topic', name: 'b' },
      { kind: 'keyword', name: 'c' },
    ],
    'both about a, b and c',
  ],
  ['similar_content', [], 'similar content (71 %)'],
] as const)('%s in words', (relation, labels, phrase) => {
  expect(phraseOf(relation, labels, 0.71)).toBe(phrase)
})
