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

/** An item's score by the best of its chunks: a `nested` query. */
export const bestChunk = (query: Query) => ({ path: 'chunks', score_mode: 'max', query }) as const
export type BestChunk = ReturnType<typeof bestChunk>

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
export const bestNearness = ({ space, vector }: AskedSpace): BestChunk =>
  bestChunk(nearness(spaceOf(space).chunks, vector, []))

/** The query as one embedder has it, with the space that it is compared in. */
export interface AskedSpace {
  space: string
  vector: number[]
  floor: number
}

const WORDS = 'return params.weight * Math.tanh(_score / params.scale);'
const MEANING = `
  double cosine = _score - ${SHIFT};
  return params.weight * Math.min(1, Math.max(0, (cosine - params.floor) / (1 - params.floor)));`

/** What an item's words bring to its score; `best`: its BM25. */
export const wordsPart = (best: BestChunk, weight: number, scale: number): Query => ({
  script_score: { query: { nested: best }, script: { source: WORDS, params: { weight, scale } } },
})

/** What its vectors of that space bring. */
export const meaningPart = (asked: AskedSpace, weight: number): Query => ({
  script_score: {
    query: { nested: bestNearness(asked) },
    script: { source: MEANING, params: { weight, floor: asked.floor } },
  },
})

const RAISED = `
  if (doc['type'].size() == 0 || !doc['type'].value.equals(params.type)) return _score;
  for (def label : params.labels) if (!doc['labels'].contains(label)) return _score;
  return _score + params.weight * (1 - _score);`

export interface Modality {
  type: string
  labels: string[]
  weight: number
}

/** The items of a modality closer to 1, see `boosted`; null raises none. */
export const raised = (query: Query, params: Modality | null): Query =>
  params ? { script_score: { query, script: { source: RAISED, params } } } : query

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
}

/**
 * The score of a single chunk, see search/scorer.ts; the head scores 0. By its words alone where no space that is asked
 * for has it.
 */
export function chunkScore(
  { terms, averageLength, scale }: ChunkScoring,
  weight: number,
  asked: readonly AskedSpace[],
): Query {
  const written = { range: { 'chunks.ordinal': { gte: 0 } } }
  const words = terms.length > 0 ? [bm25(terms, averageLength)] : []
  const inSpace = asked.map(({ space, ...of }) => {
    const params = { ...of, field: spaceOf(space).chunks }
    return scored([written, { exists: { field: params.field } }], BOTH_SIDES, params)
  })
  const others = asked.map(({ space }) => ({ exists: { field: spaceOf(space).chunks } }))
  return { bool: { should: [...inSpace, scored([written, { bool: { must_not: others } }], WORDS_ALONE)] } }

  function scored(filter: Query[], source: string, params = {}): Query {
    const query = { bool: { filter, should: words } }
    return { script_score: { query, script: { source, params: { scale, weight, ...params } } } }
  }
}
