import type { SimilarQuery } from '@medialog/application/ports'
import { MEDIA_TYPES } from '@medialog/kernel'
import { ONE } from './fixed-point.ts'
import type { ItemIndex } from './item-index.ts'
import { reaching, top } from './retrieve.ts'
import { semanticScore } from './scorer.ts'

export interface FoundSimilar {
  hits: { mediaId: string; score: number }[]
  total: number
  /** Surrogate key of a collection's generation to number of items. */
  places: Map<number, number>
}

/** Compares the combined vector of the reference with that of every item that passes; null where there is no such item. */
export function retrieveSimilar(
  index: ItemIndex,
  query: SimilarQuery,
  placesSearched: ReadonlySet<number> | null,
): FoundSimilar | null {
  const reference = index.numberOf(query.mediaId)
  if (reference === null) return null
  const type = query.mediaType === null ? null : MEDIA_TYPES.indexOf(query.mediaType)
  const passing: number[] = []
  for (let item = 0; item < index.items; item++) {
    if (index.live[item] === 0 || item === reference) continue
    if (type !== null && index.types[item] !== type) continue
    if (placesSearched && !placesSearched.has(index.placeKeys[index.places[item]!]!)) continue
    passing.push(item)
  }
  const items = Uint32Array.from(passing)
  const products = new Int32Array(items.length)
  index.vectors.askSlot(index.endSlot[reference]! - 1)
  index.vectors.multiply(
    items.map((item) => index.endSlot[item]! - 1),
    products,
  )
  const scores = Float64Array.from(products, (product) =>
    semanticScore(product / (ONE * ONE), query.cosineFloor),
  )
  const { total, places } = reaching(index, query.minScore, items, scores)
  return {
    hits: top(index, items, scores, Math.min(total, query.maxResults)).map((place) => ({
      mediaId: index.mediaIds[items[place]!]!,
      score: scores[place]!,
    })),
    total,
    places,
  }
}
