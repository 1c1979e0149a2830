import type { Asked } from './asked.ts'
import { best } from './best.ts'
import { FARTHEST, type Columns } from './columns.ts'
import { ONE } from './fixed-point.ts'
import type { ItemIndex } from './item-index.ts'
import { byMediaId } from './lexical.ts'
import { CANDIDATE_DEPTH } from './scorer.ts'
import type { Selection } from './selection.ts'
import { grown, joined } from './typed-arrays.ts'
import type { Vectors } from './vectors.ts'

/** Where more tie with the last than these, some of them are left out. */
const MOST_NEAREST = 1.1 * CANDIDATE_DEPTH

/**
 * The items selected that come nearest in their space by the signature of any of their slots: CANDIDATE_DEPTH of each space
 * and those that tie with the last; where that is more than MOST_NEAREST, of those that tie the first by media id. Measures
 * the signatures of all items.
 */
export function nearestItems(
  index: ItemIndex,
  asked: Asked,
  selection: Selection,
  columns: Columns,
): Uint32Array {
  measureAll(index, asked, columns)
  return joined(asked.spaces.map((one) => nearestIn(index, asked.markedIn(one, selection.items), columns)))
}

function nearestIn(index: ItemIndex, selected: Uint8Array, columns: Columns): Uint32Array {
  const counts = columns.findNearest(selected)
  let cut = 0
  for (let passed = counts[0]!; passed < CANDIDATE_DEPTH && cut < FARTHEST;) passed += counts[++cut]!
  // A copy: each call is answered in the same memory.
  const within = columns.itemsWithin(cut).slice()
  if (within.length <= MOST_NEAREST) return within
  const { nearest } = columns
  const nearer = within.filter((item) => nearest[item]! < cut)
  const tied = within.filter((item) => nearest[item] === cut).sort(byMediaId(index))
  return joined([nearer, tied.subarray(0, CANDIDATE_DEPTH - nearer.length)])
}

/** Measures the signatures of every slot. */
function measureAll({ runs, slots }: ItemIndex, asked: Asked, { distances }: Columns): void {
  for (const { space, vector, place } of asked.spaces) {
    space.vectors.ask(vector)
    for (const [at, { first, place: of }] of runs.entries())
      if (of === place) space.vectors.measure(first, distances.subarray(first, runs[at + 1]?.first ?? slots))
  }
}

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
let nearnessListed = new Float32Array()
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
 * Writes between what the best cosine of each item listed lies; their signatures have been measured, and all are of one
 * space. Products wait for memory, so there is one for each of those that are near, and none for the others. At least the
 * best cosine is that of the slot whose signature is nearest. At most it is that, or what the distance of the next slot makes
 * likely by the line through the cosines and distances of all that are near, and DOUBT above it.
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
  const { cosines, ceilings, distances } = columns
  const nearest = (slotsListed = grown(slotsListed, count)).subarray(0, count)
  const next = (nextDistances = grown(nextDistances, count)).subarray(0, count)
  for (let place = 0; place < count; place++) {
    let slot = firstSlot[near[place]!]!
    const end = endSlot[near[place]!]!
    let first = slot
    let least = distances[slot]!
    let second = FARTHEST
    while (++slot < end) {
      const distance = distances[slot]!
      if (distance >= second) continue
      if (distance < least) {
        second = least
        least = distance
        first = slot
      } else second = distance
    }
    nearest[place] = first
    next[place] = second
  }
  products = grown(products, count)
  vectors.multiply(nearest, products)
  for (let place = 0; place < count; place++) cosines[near[place]!] = products[place]! / (ONE * ONE)
  const { start, slope } = fitted(count, nearest, near, columns)
  for (let place = 0; place < count; place++) {
    const item = near[place]!
    ceilings[item] = Math.max(cosines[item]!, start + slope * next[place]!)
  }
  for (const item of others) {
    let least = FARTHEST
    for (let slot = firstSlot[item]!; slot < endSlot[item]!; slot++)
      if (distances[slot]! < least) least = distances[slot]!
    cosines[item] = -1
    ceilings[item] = start + slope * least
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

/** Of the items listed the nearest, up to the candidate depth; their cosines were computed. */
export function semanticCandidates(
  index: ItemIndex,
  asked: Asked,
  items: Uint32Array,
  columns: Columns,
): Uint32Array {
  nearnessListed = grown(nearnessListed, items.length)
  // Shifted above 0, where `best` looks.
  for (let place = 0; place < items.length; place++) {
    const nearness = asked.nearness(items[place]!, columns)
    nearnessListed[place] = nearness === null ? 0 : Math.max(-1, nearness) + 2
  }
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
