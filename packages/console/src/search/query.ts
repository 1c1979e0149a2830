import type { MediaType, SearchInput } from '@medialog/client'
import { TYPES } from '../parts/types.ts'

/** Kinds of names that items are filtered by. */
export const NAMES = ['people', 'organizations', 'locations', 'objects', 'concepts'] as const

/** A search as the address says it. Of dates and terms an empty text filters nothing. */
export interface Query extends Record<(typeof NAMES)[number] | 'topics', string> {
  text: string
  type: MediaType | null
  collection: string | null
  /** Days of this browser's time zone: the first and the last on which an item may have been stored. */
  from: string
  until: string
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

export const queryOf = (parameters: URLSearchParams): Query => {
  const textOf = (name: string): string => parameters.get(name) ?? ''
  return {
    text: textOf('q'),
    type: TYPES.find((type) => type === parameters.get('type')) ?? null,
    collection: parameters.get('collection'),
    from: dayIn(textOf('from')),
    until: dayIn(textOf('until')),
    topics: textOf('topics'),
    people: textOf('people'),
    organizations: textOf('organizations'),
    locations: textOf('locations'),
    objects: textOf('objects'),
    concepts: textOf('concepts'),
    weight: share(parameters.get('words'), DEFAULT_WEIGHT),
    least: share(parameters.get('least'), 0),
    most: Math.min(MOST_RESULTS, Math.max(STEP, Number(parameters.get('most')) || STEP)),
  }
}

/** What is to change in the address so that only words, sliders and number of results are left of it. */
export const NO_FILTERS = Object.fromEntries(
  ['type', 'collection', 'from', 'until', 'topics', ...NAMES].map((name) => [name, null]),
)

export const isFiltered = (query: Query): boolean =>
  query.collection !== null || Object.keys(filtersOf(query)).length > 0

export const more = ({ most }: Query): number => Math.min(MOST_RESULTS, most + STEP)

/** What the API is asked. */
export function inputOf(query: Query): SearchInput {
  const { text, collection, weight, least, most } = query
  const filters = filtersOf(query)
  return {
    query: text,
    collections: collection ?? 'all',
    max_results: most,
    ...(least > 0 && { min_score: least }),
    ...(weight !== DEFAULT_WEIGHT && { config: { lexical_weight: weight } }),
    ...(Object.keys(filters).length > 0 && { filters }),
  }
}

function filtersOf(query: Query): NonNullable<SearchInput['filters']> {
  const { type, from, until } = query
  const topics = termsOf(query.topics)
  const entities = Object.fromEntries(
    NAMES.map((kind) => [kind, termsOf(query[kind])] as const).filter(([, terms]) => terms.length > 0),
  )
  return {
    ...(type && { media_type: type }),
    ...(from !== '' && { created_after: startOf(from).toISOString() }),
    ...(until !== '' && { created_before: endOf(until).toISOString() }),
    ...(topics.length > 0 && { topics }),
    ...(Object.keys(entities).length > 0 && { entities }),
  }
}

const dayIn = (text: string): string =>
  /^\d{4}-\d{2}-\d{2}$/.test(text) && Number.isFinite(Date.parse(text)) ? text : ''

const startOf = (day: string): Date => new Date(`${day}T00:00`)

/** Its last millisecond. */
function endOf(day: string): Date {
  const end = startOf(day)
  end.setDate(end.getDate() + 1)
  end.setMilliseconds(-1)
  return end
}

/** Terms stand with commas between them. */
const termsOf = (text: string): string[] =>
  text
    .split(',')
    .map((term) => term.trim())
    .filter((term) => term !== '')
