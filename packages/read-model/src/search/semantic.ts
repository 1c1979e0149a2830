import { best } from './best.ts'
import type { Columns } from './columns.ts'
import { ONE } from './fixed-point.ts'
import type { ItemIndex } from './item-index.ts'
import { byMediaId } from './lexical.ts'
import { CANDIDATE_DEPTH } from './scorer.ts'
import type { Selection } from './selection.ts'
import { grown } from './typed-arrays.ts'

/** Items whose signatures are nearest, of which the best are taken by exact cosine; docs/search.md has its measure. */
const NEAREST_ITEMS = 1.25 * CANDIDATE_DEPTH

/** The items selected that come nearest by the signature of any of their slots: NEAREST_ITEMS, and all that tie. */
export function nearestItems(index: ItemIndex, selection: Selection, columns: Columns): Uint32Array {
  index.vectors.measure(0, columns.distances)
  const counts = columns.findNearest(selection.items)
  let cut = 0
  for (let passed = counts[0]!; passed < NEAREST_ITEMS && cut < index.vectors.dimensions;)
    passed += counts[++cut]!
  return columns.itemsWithin(cut)
}

/** Measures the signatures of the items listed, and no others. */
export function measureItems(index: ItemIndex, items: Uint32Array, { distances }: Columns): void {
  for (const item of items) {
    const first = index.firstSlot[item]!
    index.vectors.measure(first, distances.subarray(first, index.endSlot[item]))
  }
}

/** Kept between queries. */
let products = new Int32Array()
let cosinesListed = new Float32Array()

/**
 * Writes the best cosine of each item listed, over its chunks and its combined vector. All have been measured: of an
 * item with more than three slots only the nearest by signature are multiplied, whatever else was asked.
 */
export function scoreCosines(index: ItemIndex, items: Uint32Array, columns: Columns): void {
  const { slots, ends } = columns.slotsToScore(items)
  const { cosines } = columns
  products = grown(products, slots.length)
  index.vectors.multiply(slots, products)
  for (let place = 0, at = 0; place < items.length; place++) {
    let highest = -ONE * ONE
    for (const end = ends[place]!; at < end; at++) if (products[at]! > highest) highest = products[at]!
    cosines[items[place]!] = highest / (ONE * ONE)
  }
}

/** Of the items listed the best by cosine, up to the candidate depth. */
export function semanticCandidates(index: ItemIndex, items: Uint32Array, { cosines }: Columns): Uint32Array {
  cosinesListed = grown(cosinesListed, items.length)
  // Shifted above 0, where `best` looks.
  for (let place = 0; place < items.length; place++) cosinesListed[place] = cosines[items[place]!]! + 2
  const before = byMediaId(index)
  const places = best(cosinesListed, items.length, CANDIDATE_DEPTH, (a, b) => before(items[a]!, items[b]!))
  for (let place = 0; place < places.length; place++) places[place] = items[places[place]!]!
  return places
}

/** The cosine of every chunk of one item, in order. */
export function chunkCosines(index: ItemIndex, item: number): number[] {
  const slots = new Uint32Array(index.endSlot[item]! - index.firstSlot[item]! - 1)
  for (let ordinal = 0; ordinal < slots.length; ordinal++) slots[ordinal] = index.firstSlot[item]! + ordinal
  products = grown(products, slots.length)
  index.vectors.multiply(slots, products)
  return Array.from(products.subarray(0, slots.length), (product) => product / (ONE * ONE))
}
