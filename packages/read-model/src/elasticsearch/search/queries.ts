import { K1, lengthNorm } from '../../search/scorer.ts'
import { spaceOf } from '../catalog/mapping.ts'
import type { Query } from '../query.ts'

/** A term of a query that some chunk of the account holds. */
export interface WeightedTerm {
  token: string
  idf: number
}

/** One term's part of BM25, see search/scorer.ts; the similarity of the field gives how often it occurs. */
const TERM = `
  double frequency = _score;
  return params.weight * frequency / (frequency + params.base + params.perWord * doc['chunks.length'].value);`

/** BM25 of a chunk, 0 where it holds none of the terms: with the statistics of the account, not of the index. */
export function bm25(terms: readonly WeightedTerm[], averageLength: number): Query {
  const base = lengthNorm(0, averageLength)
  const perWord = lengthNorm(1, averageLength) - base
  return {
    bool: {
      should: terms.map(({ token, idf }) => ({
        script_score: {
          query: { term: { 'chunks.terms': token } },
          script: { source: TERM, params: { weight: idf * (K1 + 1), base, perWord } },
        },
      })),
    },
  }
}

/** An item's score by the best of its chunks. */
export const bestChunk = (query: Query): Query => ({ nested: { path: 'chunks', score_mode: 'max', query } })

/** Scores are not negative: 1 is added to a cosine. */
export const SHIFT = 1

/** The cosine + SHIFT with a vector of the document's field, which may lie a rounding below 0. */
const NEARNESS = `Math.max(0, dotProduct(params.vector, params.field) + ${SHIFT})`

export const nearness = (field: string, vector: readonly number[], filter: Query[]): Query => ({
  script_score: {
    query: { bool: { filter: [{ exists: { field } }, ...filter] } },
    script: { source: NEARNESS, params: { vector, field } },
  },
})

/** By the best of an item's vectors, the combined one among them. */
export const bestNearness = (space: string, vector: readonly number[]): Query =>
  bestChunk(nearness(spaceOf(space).chunks, vector, []))

const LEXICAL = `
  if (doc['chunks.ordinal'].value == 0) return 0;
  double lexical = params.scale > 0 ? Math.tanh(_score / params.scale) : 0;`
const WORDS_ALONE = `${LEXICAL} return params.weight * lexical;`
const BOTH_SIDES = `${LEXICAL}
  double cosine = dotProduct(params.vector, params.field);
  double semantic = Math.min(1, Math.max(0, (cosine - params.floor) / (1 - params.floor)));
  return params.weight * lexical + (1 - params.weight) * semantic;`

interface ChunkScoring {
  terms: readonly WeightedTerm[]
  averageLength: number
  /** See lexicalScale. */
  scale: number
  lexicalWeight: number
  asked: { field: string; vector: readonly number[]; floor: number } | null
}

/** What a chunk scores by itself, see search/scorer.ts; the head scores 0. */
export function chunkScore({
  terms,
  averageLength,
  scale,
  lexicalWeight: weight,
  asked,
}: ChunkScoring): Query {
  return {
    script_score: {
      query: {
        bool: {
          filter: [
            { range: { 'chunks.ordinal': { gte: 0 } } },
            ...(asked ? [{ exists: { field: asked.field } }] : []),
          ],
          should: terms.length > 0 ? [bm25(terms, averageLength)] : [],
        },
      },
      script: { source: asked ? BOTH_SIDES : WORDS_ALONE, params: { scale, weight, ...asked } },
    },
  }
}
