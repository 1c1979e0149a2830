import { FARTHEST, type Columns } from './columns.ts'
import { ONE } from './fixed-point.ts'
import type { ItemIndex } from './item-index.ts'
import { grown } from './typed-arrays.ts'
import type { Vectors } from './vectors.ts'

/** Measures the signatures of the items listed, all of one space. */
export function measureItems(
  { firstSlot, endSlot }: ItemIndex,
  vectors: Vectors,
  items: Uint32Array,
  { distances }: Columns,
): void {
  for (const item of items)
    vectors.measure(firstSlot[item]!, distances.subarray(firstSlot[item], endSlot[item]))
}

/** Kept between queries. */
let slotsListed = new Uint32Array()
let products = new Int32Array()
let nextDistances = new Uint16Array()

/** Writes the best cosine of each item listed, all of one space, over its chunks and its combined vector. */
export function scoreCosines(
  { firstSlot, endSlot }: ItemIndex,
  vectors: Vectors,
  items: Uint32Array,
  { cosines, ceilings }: Columns,
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
    cosines[item] = ceilings[item] = highest / (ONE * ONE)
  }
}

/** Items whose best cosines are wanted: those that are nearest of all, and others. */
export interface ToBound {
  near: Uint32Array
  others: Uint32Array
}

/** So few items tell too little of what distances mean. */
const FEWEST_FITTED = 100
/** Of the largest residual of a fit: how far a cosine may be from what its distance says. */
const DOUBT = 1.5

/**
 * Writes between what the best cosine of each item listed lies. All are of one space, their signatures have been measured,
 * and their least distances are written. Products wait for memory, so there is one for each of those that are near, and none
 * for the others. At least the best cosine is that of the slot whose signature is nearest. At most it is that, or what the
 * distance of the next slot makes likely by the line through the cosines and distances of all that are near, and DOUBT
 * above it.
 */
export function boundCosines(
  index: ItemIndex,
  vectors: Vectors,
  { near, others }: ToBound,
  columns: Columns,
): void {
  const count = near.length
  if (count < FEWEST_FITTED) {
    scoreCosines(index, vectors, near, columns)
    scoreCosines(index, vectors, others, columns)
    return
  }
  const { firstSlot, endSlot } = index
  const { cosines, ceilings, distances, nearest } = columns
  const nearestSlots = (slotsListed = grown(slotsListed, count)).subarray(0, count)
  const next = (nextDistances = grown(nextDistances, count)).subarray(0, count)
  for (let place = 0; place < count; place++) {
    const item = near[place]!
    const least = nearest[item]!
    let first = -1
    let second = FARTHEST
    for (let slot = endSlot[item]! - 1; slot >= firstSlot[item]!; slot--) {
      const distance = distances[slot]!
      if (distance === least) {
        if (first >= 0) second = least
        first = slot
      } else if (distance < second) second = distance
    }
    nearestSlots[place] = first
    next[place] = second
  }
  products = grown(products, count)
  vectors.multiply(nearestSlots, products)
  for (let place = 0; place < count; place++) cosines[near[place]!] = products[place]! / (ONE * ONE)
  const { start, slope } = fitted(count, nearestSlots, near, columns)
  for (let place = 0; place < count; place++) {
    const item = near[place]!
    ceilings[item] = Math.max(cosines[item]!, start + slope * next[place]!)
  }
  for (const item of others) {
    cosines[item] = -1
    ceilings[item] = start + slope * nearest[item]!
  }
}

/** The least squares line through distances and cosines, raised by DOUBT. */
function fitted(count: number, slots: Uint32Array, items: Uint32Array, { distances, cosines }: Columns) {
  let x = 0
  let y = 0
  let xx = 0
  let xy = 0
  for (let place = 0; place < count; place++) {
    const distance = distances[slots[place]!]!
    const cosine = cosines[items[place]!]!
    x += distance
    y += cosine
    xx += distance * distance
    xy += distance * cosine
  }
  const spread = xx - (x * x) / count
  // All are of one distance: it tells nothing.
  if (spread === 0) return { start: 1, slope: 0 }
  const slope = (xy - (x * y) / count) / spread
  const start = (y - slope * x) / count
  let largest = 0
  for (let place = 0; place < count; place++) {
    const residual = cosines[items[place]!]! - start - slope * distances[slots[place]!]!
    largest = Math.max(largest, Math.abs(residual))
  }
  return { start: start + DOUBT * largest, slope }
}

/** The cosine of every chunk of one item, in order, with what its space was last asked for. */
export function chunkCosines(index: ItemIndex, item: number): number[] {
  const slots = new Uint32Array(index.endSlot[item]! - index.firstSlot[item]! - 1)
  for (let ordinal = 0; ordinal < slots.length; ordinal++) slots[ordinal] = index.firstSlot[item]! + ordinal
  products = grown(products, slots.length)
  index.vectorsOf(item).multiply(slots, products)
  return Array.from(products.subarray(0, slots.length), (product) => product / (ONE * ONE))
}
