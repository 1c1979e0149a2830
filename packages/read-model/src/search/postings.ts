import { TermTable } from './term-table.ts'
import { grown } from './typed-arrays.ts'

/** A slot below 2²⁴ and how often the term occurs there, in one number. */
const pack = (slot: number, frequency: number): number => slot * 256 + frequency
export const slotOf = (posting: number): number => posting >>> 8
export const withoutFrequency = (posting: number): number => posting & ~255

/** How many of the postings are of slots that `marks` has as 1; all of them where it is null. */
export function countMarked(postings: Uint32Array, marks: Uint8Array | null): number {
  if (!marks) return postings.length
  let count = 0
  for (let at = 0; at < postings.length; at++) count += marks[slotOf(postings[at]!)]!
  return count
}

/** Slots that an index can number. */
export const MOST_SLOTS = 2 ** 24

const NONE = 0xffffffff
const SMALLEST_SEAL = 50_000

/**
 * For each term the slots (chunks, or items) that hold it. Sealed postings lie one term after the other in one array;
 * new ones are chained per term, newest first, until they are worth sealing. Slots are added in growing order.
 */
export class Postings {
  readonly #terms = new TermTable()
  #sealed = new Uint32Array()
  /** Where a term's sealed postings start; one more than there were terms when sealing. */
  #starts = new Uint32Array(1)
  #fresh = new Uint32Array(1024)
  #freshTerm = new Uint32Array(1024)
  #older = new Uint32Array(1024)
  #newest = new Uint32Array(1024).fill(NONE)
  #freshCount = 0

  add(low: number, high: number, slot: number, frequency: number): void {
    const term = this.#terms.intern(low, high)
    const index = this.#freshCount++
    if (index >= this.#fresh.length) this.#growFresh()
    if (term >= this.#newest.length) this.#growNewest()
    this.#fresh[index] = pack(slot, frequency)
    this.#freshTerm[index] = term
    this.#older[index] = this.#newest[term]!
    this.#newest[term] = index
  }

  /** To be called when a batch of additions is over. */
  settle(): void {
    if (this.#freshCount > Math.max(SMALLEST_SEAL, this.#sealed.length / 16)) this.#seal()
  }

  /** The number of a term, or −1 where nothing holds it. */
  find(low: number, high: number): number {
    return this.#terms.find(low, high)
  }

  /** Every posting of the term (none of −1), each slot once, in no particular order: good until the next addition. */
  of(term: number): Uint32Array {
    const sealed = this.#sealed.subarray(...this.#range(term))
    const fresh: number[] = []
    for (let at = this.#newestOf(term); at !== NONE; at = this.#older[at]!) fresh.push(this.#fresh[at]!)
    if (fresh.length === 0) return sealed
    const all = new Uint32Array(sealed.length + fresh.length)
    all.set(sealed)
    all.set(fresh, sealed.length)
    return all
  }

  /** Whether any slot of `[first, end)` holds the term. */
  holds(term: number, first: number, end: number): boolean {
    const [start, stop] = this.#range(term)
    let low = start
    let high = stop
    while (low < high) {
      const middle = (low + high) >>> 1
      if (slotOf(this.#sealed[middle]!) < first) low = middle + 1
      else high = middle
    }
    if (low < stop && slotOf(this.#sealed[low]!) < end) return true
    for (let at = this.#newestOf(term); at !== NONE; at = this.#older[at]!) {
      const slot = slotOf(this.#fresh[at]!)
      if (slot < first) return false
      if (slot < end) return true
    }
    return false
  }

  get bytes(): number {
    const arrays = [this.#sealed, this.#starts, this.#fresh, this.#freshTerm, this.#older, this.#newest]
    return arrays.reduce((sum, array) => sum + array.byteLength, this.#terms.bytes)
  }

  #range(term: number): [number, number] {
    return term + 1 < this.#starts.length ? [this.#starts[term]!, this.#starts[term + 1]!] : [0, 0]
  }

  #newestOf(term: number): number {
    return this.#freshCount > 0 && term >= 0 ? this.#newest[term]! : NONE
  }

  /** Counting sort by term: what was sealed comes first, since its slots are lower. */
  #seal(): void {
    const terms = this.#terms.size
    const starts = new Uint32Array(terms + 1)
    const before = this.#starts.length - 1
    for (let term = 0; term < before; term++) starts[term + 1] = this.#starts[term + 1]! - this.#starts[term]!
    for (let index = 0; index < this.#freshCount; index++) starts[this.#freshTerm[index]! + 1]!++
    for (let term = 0; term < terms; term++) starts[term + 1]! += starts[term]!

    const sealed = new Uint32Array(starts[terms]!)
    const next = starts.slice(0, terms)
    for (let term = 0; term < before; term++) {
      const postings = this.#sealed.subarray(this.#starts[term], this.#starts[term + 1])
      sealed.set(postings, next[term])
      next[term]! += postings.length
    }
    for (let index = 0; index < this.#freshCount; index++) {
      sealed[next[this.#freshTerm[index]!]!++] = this.#fresh[index]!
    }
    this.#sealed = sealed
    this.#starts = starts
    this.#freshCount = 0
    this.#fresh = new Uint32Array(1024)
    this.#freshTerm = new Uint32Array(1024)
    this.#older = new Uint32Array(1024)
    this.#newest = new Uint32Array(terms).fill(NONE)
  }

  #growFresh(): void {
    const length = this.#freshCount * 2
    this.#fresh = grown(this.#fresh, length)
    this.#freshTerm = grown(this.#freshTerm, length)
    this.#older = grown(this.#older, length)
  }

  #growNewest(): void {
    const before = this.#newest.length
    this.#newest = grown(this.#newest, this.#terms.size)
    this.#newest.fill(NONE, before)
  }
}
