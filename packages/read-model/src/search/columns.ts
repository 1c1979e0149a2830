import { kernelOver, PAGE } from './kernel.ts'
import { withoutFrequency } from './postings.ts'

/** No signature is farther: the longest has 960 times four bits, each worth 31 at most. */
export const FARTHEST = 2 ** 15 - 1

/**
 * One query's columns, by slot and by item, in a memory where the kernel can work on them. One set for the thread:
 * getting and giving back half a megabyte for each query costs more than clearing it, and queries come one at a time.
 */
export interface Columns {
  /** By slot: BM25. Zeros at first. */
  sums: Float32Array
  /** By slot: signature distance. */
  distances: Uint16Array
  /** By item: BM25 of the best chunk. */
  highest: Float32Array
  /** By item: the least distance of any slot; 65535 where the item is not selected. */
  nearest: Uint16Array
  /** By item: the best cosine, and what it may be at most; the same where it was computed. See `boundCosines`. */
  cosines: Float32Array
  ceilings: Float32Array
  /**
   * Adds `weight × frequency / (frequency + norms[slot])` to the sums of the slots of these postings, each of which is
   * another slot's.
   */
  addScores(postings: Uint32Array, weight: number, norms: Float32Array): void
  /** Writes `highest` from `sums`. */
  findHighest(): void
  /** Writes `nearest` from `distances`. Answers how many items selected have each distance. */
  findNearest(selected: Uint8Array): Uint32Array
  /** The items whose `nearest` is at most `most`, in order: good until the next call. */
  itemsWithin(most: number): Uint32Array
}

let latest: Columns | null = null

/** Whether no other columns were asked for since. */
export const areLatest = (columns: Columns): boolean => columns === latest

const memory = new WebAssembly.Memory({ initial: 1, maximum: PAGE })
const kernel = kernelOver(memory)
let bytesHeld = PAGE
/** Norms that are in the memory, where the parts of it are as they were then. */
let normsHeld: Float32Array | null = null
let layoutHeld = ''

/** `endSlot`: by item, where its slots end and the next item's begin. */
export function columnsFor(endSlot: Uint32Array, items: number, slots: number): Columns {
  // Every part is followed by at least 16 bytes that nothing but the kernel's last store may touch.
  let size = 0
  const place = (bytes: number): number => {
    const address = size
    size += Math.ceil((bytes + 16) / 16) * 16
    return address
  }
  const at = {
    zero: place(0),
    ends: place(items * 4),
    norms: place(slots * 4),
    selected: place(items),
    sums: place(slots * 4),
    distances: place(slots * 2),
    highest: place(items * 4),
    nearest: place(items * 2),
    cosines: place(items * 4),
    ceilings: place(items * 4),
    counts: place((FARTHEST + 1) * 4),
    list: place(items * 4),
    slots: place(slots * 4),
  }
  if (size > bytesHeld) {
    const pages = Math.ceil((size - bytesHeld) / PAGE)
    memory.grow(pages)
    bytesHeld += pages * PAGE
  }
  const layout = `${items} ${slots}`
  if (layout !== layoutHeld) normsHeld = null
  layoutHeld = layout
  const { buffer } = memory
  new Uint32Array(buffer, at.ends, items).set(endSlot.subarray(0, items))
  const counts = new Uint32Array(buffer, at.counts, FARTHEST + 1)
  latest = {
    sums: new Float32Array(buffer, at.sums, slots).fill(0),
    distances: new Uint16Array(buffer, at.distances, slots),
    highest: new Float32Array(buffer, at.highest, items),
    nearest: new Uint16Array(buffer, at.nearest, items),
    cosines: new Float32Array(buffer, at.cosines, items),
    ceilings: new Float32Array(buffer, at.ceilings, items),
    addScores(postings, weight, norms) {
      if (norms !== normsHeld) new Float32Array(buffer, at.norms, slots).set(norms)
      normsHeld = norms
      // The kernel takes four at a time: what occurs no times adds nothing.
      const count = Math.ceil(postings.length / 4) * 4
      const list = new Uint32Array(buffer, at.slots, count)
      list.set(postings)
      list.fill(withoutFrequency(postings.at(-1)!), postings.length)
      kernel.addScores(at.slots, count, weight, at.norms, at.sums)
    },
    findHighest: () => kernel.highest(at.sums, at.ends, items, at.highest),
    findNearest(selected) {
      new Uint8Array(buffer, at.selected, items).set(selected.subarray(0, items))
      counts.fill(0)
      kernel.lowest(at.distances, at.ends, at.selected, items, at.nearest, at.counts)
      return counts
    },
    itemsWithin: (most) =>
      new Uint32Array(buffer, at.list, kernel.within(at.nearest, 0, items, most, at.list)),
  }
  return latest
}
