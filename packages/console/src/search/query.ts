import type { MediaType, SearchInput } from '@medialog/client'
import { TYPES } from '../parts/types.ts'

/** A search as the address says it. */
export interface Query {
  text: string
  type: MediaType | null
  collection: string | null
  /** Of words in a score: the service's own unless chosen. */
  weight: number
  least: number
  most: number
}

export const DEFAULT_WEIGHT = 0.35
const STEP = 20
/** The API answers with no more. */
export const MOST_RESULTS = 100

const share = (text: string | null, otherwise: number): number => {
  const value = Number(text ?? Number.NaN)
  return value >= 0 && value <= 1 ? value : otherwise
}

export const queryOf = (parameters: URLSearchParams): Query => ({
  text: parameters.get('q') ?? '',
  type: TYPES.find((type) => type === parameters.get('type')) ?? null,
  collection: parameters.get('collection'),
  weight: share(parameters.get('words'), DEFAULT_WEIGHT),
  least: share(parameters.get('least'), 0),
  most: Math.min(MOST_RESULTS, Math.max(STEP, Number(parameters.get('most')) || STEP)),
})

export const more = ({ most }: Query): number => Math.min(MOST_RESULTS, most + STEP)

/** What the API is asked. */
export const inputOf = ({ text, type, collection, weight, least, most }: Query): SearchInput => ({
  query: text,
  collections: collection ?? 'all',
  max_results: most,
  ...(least > 0 && { min_score: least }),
  ...(weight !== DEFAULT_WEIGHT && { config: { lexical_weight: weight } }),
  ...(type && { filters: { media_type: type } }),
})
