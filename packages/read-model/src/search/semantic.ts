import type { Asked, AskedSpace } from './asked.ts'
import { best } from './best.ts'
import { FARTHEST, type Columns } from './columns.ts'
import { ONE } from './fixed-point.ts'
import type { ItemIndex } from './item-index.ts'
import { byMediaId } from './lexical.ts'
import { CANDIDATE_DEPTH } from './scorer.ts'
import type { Selection } from './selection.ts'
import { grown } from './typed-arrays.ts'
import type { Vectors } from './vectors.ts'

/** Items whose signatures are nearest, of which the best are taken by exact cosine; docs/search.md has its measure. */
const NEAREST_ITEMS = 1.1 * CANDIDATE_DEPTH

/**
 * The items selected that come nearest in their space by the signature of any of their slots: NEAREST_ITEMS of each
 * space, and all that tie.
 */
export function nearestItems(
  index: ItemIndex,
  asked: Asked,
  selection: Selection,
  columns: Columns,
): Uint32Array {
  measureAll(index, asked, columns)
  const nearestIn = (one: AskedSpace): Uint32Array => {
    const counts = columns.findNearest(asked.markedIn(one, selection.items))
    let cut = 0
    for (let passed = counts[0]!; passed < NEAREST_ITEMS && cut < FARTHEST;) passed += counts[++cut]!
    return columns.itemsWithin(cut)
  }
  const [only, ...others] = asked.spaces
  if (only && others.length === 0) return nearestIn(only)
  // Copies: each call is answered in the same memory.
  return Uint32Array.from(asked.spaces.flatMap((one) => [...nearestIn(one)]))
}

/** Measures the signatures of every slot, run by run of items of one space. */
function measureAll(index: ItemIndex, asked: Asked, { distances }: Columns): void {
  for (const { space, vector, place } of asked.spaces) {
    space.vectors.ask(vector)
    for (let item = 0; item < index.items;) {
      const first = item
      while (item < index.items && index.spaceOf[item] === place) item++
      if (item > first) {
        const slot = index.firstSlot[first]!
        space.vectors.measure(slot, distances.subarray(slot, index.endSlot[item - 1]))
      } else item++
    }
  }
}

/** Kept between queries. */
let slotsListed = new Uint32Array()
let products = new Int32Array()
let nearnessListed = new Float32Array()

/** Writes the best cosine of each item listed, all of one space, over its chunks and its combined vector. */
export function scoreCosines(
  { firstSlot, endSlot }: ItemIndex,
  vectors: Vectors,
  items: Uint32Array,
  { cosines }: Columns,
): void {
  let count = 0
  for (const item of items) count += endSlot[item]! - firstSlot[item]!
  slotsListed = grown(slotsListed, count)
  products = grown(products, count)
  let at = 0
  for (const item of items)
    for (let slot = firstSlot[item]!; slot < endSlot[item]!; slot++) slotsListed[at++] = slot
  vectors.multiply(slotsListed.subarray(0, count), products)
  at = 0
  for (const item of items) {
    let highest = -ONE * ONE
    for (const end = at + endSlot[item]! - firstSlot[item]!; at < end; at++)
      if (products[at]! > highest) highest = products[at]!
    cosines[item] = highest / (ONE * ONE)
  }
}

/** Of the items listed the nearest, up to the candidate depth. */
export function semanticCandidates(
  index: ItemIndex,
  asked: Asked,
  items: Uint32Array,
  columns: Columns,
): Uint32Array {
  nearnessListed = grown(nearnessListed, items.length)
  // Shifted above 0, where `best` looks.
  for (let place = 0; place < items.length; place++)
    nearnessListed[place] = Math.max(-1, asked.nearness(items[place]!, columns)) + 2
  const before = byMediaId(index)
  const places = best(nearnessListed, items.length, CANDIDATE_DEPTH, (a, b) => before(items[a]!, items[b]!))
  for (let place = 0; place < places.length; place++) places[place] = items[places[place]!]!
  return places
}

/** The cosine of every chunk of one item, in order, with what its space was last asked for. */
export function chunkCosines(index: ItemIndex, item: number): number[] {
  const slots = new Uint32Array(index.endSlot[item]! - index.firstSlot[item]! - 1)
  for (let ordinal = 0; ordinal < slots.length; ordinal++) slots[ordinal] = index.firstSlot[item]! + ordinal
  products = grown(products, slots.length)
  index.vectorsOf(item).multiply(slots, products)
  return Array.from(products.subarray(0, slots.length), (product) => product / (ONE * ONE))
}
