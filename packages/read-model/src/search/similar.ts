import type { SimilarQuery } from '@medialog/application/ports'
import { MEDIA_TYPES } from '@medialog/kernel'
import { isOfSpace } from './asked.ts'
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

/**
 * Compares the combined vector of the reference, as each embedder has it, with that of every item that passes; null
 * where there is no such item.
 */
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
  const scores = scoresOf(index, query, reference, items)
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

/** By the combined vectors, space by space: 0 where the reference has no vector in that space. */
function scoresOf(
  index: ItemIndex,
  { cosineFloor, others }: SimilarQuery,
  reference: number,
  items: Uint32Array,
): Float64Array {
  const scores = new Float64Array(items.length)
  for (const [place, space] of index.spaces.entries()) {
    const { vectors } = space
    const places = Uint32Array.from(items.keys()).filter((at) => index.spaceOf[items[at]!] === place)
    let floor = cosineFloor
    if (places.length === 0) continue
    if (index.spaceOf[reference] === place) vectors.askSlot(index.endSlot[reference]! - 1)
    else {
      const other = others.find((one) => isOfSpace(one, space))
      if (!other) continue
      vectors.ask(other.vector)
      floor = other.cosineFloor
    }
    const products = new Int32Array(places.length)
    vectors.multiply(
      places.map((at) => index.endSlot[items[at]!]! - 1),
      products,
    )
    for (const [at, product] of products.entries())
      scores[places[at]!] = semanticScore(product / (ONE * ONE), floor)
  }
  return scores
}
