import { grown } from './typed-arrays.ts'

/** Numbers hashed terms 0, 1, 2, … : open addressing over typed arrays, at most half full. */
export class TermTable {
  size = 0
  #low = new Uint32Array(1024)
  #high = new Uint32Array(1024)
  /** Number of a term plus one; 0 is empty. */
  #cells = new Uint32Array(2048)

  /** The term's number, or −1. */
  find(low: number, high: number): number {
    return this.#cells[this.#cellOf(low, high)]! - 1
  }

  /** The term's number, a new one if need be. */
  intern(low: number, high: number): number {
    const cell = this.#cellOf(low, high)
    const known = this.#cells[cell]!
    if (known > 0) return known - 1
    const term = this.size++
    this.#low = grown(this.#low, this.size)
    this.#high = grown(this.#high, this.size)
    this.#low[term] = low
    this.#high[term] = high
    this.#cells[cell] = this.size
    if (this.size * 2 > this.#cells.length) this.#spread()
    return term
  }

  get bytes(): number {
    return this.#low.byteLength + this.#high.byteLength + this.#cells.byteLength
  }

  #cellOf(low: number, high: number): number {
    const mask = this.#cells.length - 1
    for (let cell = low & mask; ; cell = (cell + 1) & mask) {
      const term = this.#cells[cell]! - 1
      if (term < 0 || (this.#low[term] === low && this.#high[term] === high)) return cell
    }
  }

  #spread(): void {
    this.#cells = new Uint32Array(this.#cells.length * 2)
    for (let term = 0; term < this.size; term++) {
      this.#cells[this.#cellOf(this.#low[term]!, this.#high[term]!)] = term + 1
    }
  }
}
