/**
 * The one scorer, whatever engine finds the candidates:
 *
 *     score    = w × lexical + (1 − w) × semantic
 *     lexical  = tanh(BM25 / (0.5 × 2.2 × Σ idf of the query's six rarest terms))
 *     semantic = clamp((cosine − floor) / (1 − floor), 0, 1)
 *
 * Both sides are absolute: they depend on the query, the text and the account's own term statistics, never on the
 * other results. Where the constants come from and what they reach: docs/search.md.
 */

/** Saturation of repeated terms, and how much length counts (Robertson and Zaragoza 2009, section 3.3). */
export const K1 = 1.2
export const B = 0.75

const SATURATION = 0.5 * (K1 + 1)
const RAREST = 6

/** Items taken from each side, before any of `maxResults` and `minScore`. */
export const CANDIDATE_DEPTH = 1000

/** Of a term found in `frequency` of `chunks` chunks; never negative (the form used by Lucene). */
export const idf = (chunks: number, frequency: number): number =>
  Math.log(1 + (chunks - frequency + 0.5) / (frequency + 0.5))

/** What BM25 adds to a term's frequency below the line: grows with a chunk's length against the average. */
export const lengthNorm = (length: number, averageLength: number): number =>
  K1 * (1 - B + (averageLength > 0 ? (B * length) / averageLength : 0))

/** One term's part of BM25. */
export const termScore = (weight: number, frequency: number, norm: number): number =>
  (weight * (K1 + 1) * frequency) / (frequency + norm)

/** What BM25 is measured against: of the idf of every distinct term of the query, found or not. */
export function lexicalScale(idfs: readonly number[]): number {
  const rarest = idfs.toSorted((a, b) => b - a).slice(0, RAREST)
  return SATURATION * rarest.reduce((sum, value) => sum + value, 0)
}

export const lexicalScore = (bm25: number, scale: number): number =>
  bm25 > 0 && scale > 0 ? Math.tanh(bm25 / scale) : 0

export const semanticScore = (cosine: number, floor: number): number =>
  Math.min(1, Math.max(0, (cosine - floor) / (1 - floor)))

export const combinedScore = (lexicalWeight: number, lexical: number, semantic: number): number =>
  lexicalWeight * lexical + (1 - lexicalWeight) * semantic

/** Closes part of the gap to 1 for an item of the modality that was asked for. */
export const boosted = (score: number, weight: number): number => score + weight * (1 - score)
