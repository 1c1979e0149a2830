import type { QueryWord } from '../analysis/analyzer.ts'
import { best } from './best.ts'
import type { Columns } from './columns.ts'
import type { ItemIndex } from './item-index.ts'
import { countMarked } from './postings.ts'
import { CANDIDATE_DEPTH, idf, K1, lexicalScale } from './scorer.ts'
import type { Selection } from './selection.ts'

/**
 * Adds up BM25 over the postings of the query's distinct terms, all of them (common terms are cheap enough): of every
 * chunk, then the best chunk's of every item. The statistics are those of the whole account, whatever the query
 * filters by. Answers what the sums are measured against: see lexicalScale.
 */
export function scoreWords(index: ItemIndex, words: readonly QueryWord[], columns: Columns): number {
  const norms = index.norms()
  const open = index.hasDead ? index.open : null
  const idfs: number[] = []
  for (const { low, high } of distinctTerms(words)) {
    const postings = index.postings.of(index.postings.find(low, high))
    const rarity = idf(index.chunks, countMarked(postings, open))
    idfs.push(rarity)
    columns.addScores(postings, rarity * (K1 + 1), norms)
  }
  columns.findHighest()
  return lexicalScale(idfs)
}

/** The items selected whose best chunk scores highest, up to the candidate depth. */
export function lexicalCandidates(index: ItemIndex, { highest }: Columns, selection: Selection): Uint32Array {
  const selected = selection.items === index.live && !index.hasDead
  const scores = selected ? highest : masked(highest, selection.items)
  return best(scores, index.items, CANDIDATE_DEPTH, byMediaId(index))
}

function masked(values: Float32Array, marks: Uint8Array): Float32Array {
  const left = new Float32Array(values.length)
  for (let item = 0; item < values.length; item++) if (marks[item] === 1) left[item] = values[item]!
  return left
}

/** The words of the query that an item holds: at least half of a word's terms, in any of its chunks. */
export function matchedWords(
  { postings, firstSlot, endSlot }: ItemIndex,
  words: readonly QueryWord[],
): (item: number) => string[] {
  const looked = words.map(({ word, terms }) => {
    const found = terms.map(({ low, high }) => postings.find(low, high)).filter((term) => term >= 0)
    return { word, found, least: terms.length / 2 }
  })
  return (item) =>
    looked.flatMap(({ word, found, least }) => {
      const held = found.filter((term) => postings.holds(term, firstSlot[item]!, endSlot[item]!))
      return held.length >= least ? [word] : []
    })
}

export const byMediaId =
  ({ mediaIds }: ItemIndex) =>
  (a: number, b: number): number =>
    mediaIds[a]! < mediaIds[b]! ? -1 : 1

function distinctTerms(words: readonly QueryWord[]): { low: number; high: number }[] {
  const terms = words.flatMap((word) => word.terms)
  return [...new Map(terms.map((term) => [term.high * 2 ** 32 + term.low, term])).values()]
}
