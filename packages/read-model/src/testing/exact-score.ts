import type { SearchQuery } from '@medialog/application/ports'
import { combinedScore, idf, lengthNorm, lexicalScale, lexicalScore, termScore } from '../search/scorer.ts'

export interface AnalysedChunk<Term> {
  length: number
  /** How often each term occurs in it. */
  terms: ReadonlyMap<Term, number>
}

/**
 * The scorer's formulas put together for one query over all chunks of an account: no index, no candidates. What search
 * is compared with.
 */
export function exactScore<Term>(
  query: Pick<SearchQuery, 'lexicalWeight'>,
  terms: readonly Term[],
  chunks: readonly AnalysedChunk<Term>[],
) {
  const average = chunks.reduce((sum, { length }) => sum + length, 0) / chunks.length
  const rarity = terms.map((term) => {
    const holding = chunks.reduce((sum, chunk) => sum + Number(chunk.terms.has(term)), 0)
    return [term, idf(chunks.length, holding)] as const
  })
  const scale = lexicalScale(rarity.map(([, weight]) => weight))
  return {
    bm25({ length, terms }: AnalysedChunk<Term>): number {
      const norm = lengthNorm(length, average)
      let sum = 0
      for (const [term, weight] of rarity) {
        const frequency = terms.get(term)
        if (frequency) sum += termScore(weight, frequency, norm)
      }
      return sum
    },
    /** Of an item with that BM25 of its best chunk and that semantic score of its best vector. */
    score(bm25: number, semantic: number): { lexical: number; semantic: number; score: number } {
      const lexical = lexicalScore(bm25, scale)
      return { lexical, semantic, score: combinedScore(query.lexicalWeight, lexical, semantic) }
    },
  }
}
