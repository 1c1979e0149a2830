import type { MediaType } from '@medialog/client'
import { useRead } from '../data/reads.ts'
import { TYPES } from '../parts/types.ts'

export interface Facets {
  types: { name: MediaType; count: number }[]
  /** In the order of the API; the chosen one also where it holds nothing. */
  collections: { name: string; count: number }[]
}

/** How many items each type and each collection has, within what is chosen of the other; null until it is known. */
export function useFacets(type: MediaType | null, collection: string | null): Facets | null {
  const { data } = useRead('listCollections', {})
  if (!data) return null
  const { collections: names } = data
  // A name is anybody's: `__proto__` too.
  const details = new Map(Object.entries(data.collection_details))
  const within = collection === null ? names : [collection]
  const countOf = (name: string, of: MediaType): number => details.get(name)?.media_type_distribution[of] ?? 0
  return {
    types: TYPES.map((name) => ({
      name,
      count: within.reduce((sum, each) => sum + countOf(each, name), 0),
    })),
    collections: [...new Set([...names, ...within])].map((name) => ({
      name,
      count: type === null ? (details.get(name)?.item_count ?? 0) : countOf(name, type),
    })),
  }
}
