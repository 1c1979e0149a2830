import { encodeVectors, signatureBytes, vectorBytes } from './fixed-point.ts'
import { BLOCK_BYTES, DOTS_AT_ONCE, type VectorMemory } from './vector-memory.ts'

/**
 * The vectors of one index, by slot: each as a signature of one bit a dimension (its sign) and as 16-bit fixed-point
 * numbers. Signatures are compared with all others in a fraction of a millisecond per 100,000; the fixed-point form
 * gives the cosine to within 10⁻⁴, in whole numbers, so that every machine gives the same.
 */
export class Vectors {
  readonly dimensions: number
  readonly #memory: VectorMemory
  readonly #signatureBytes: number
  readonly #vectorBytes: number
  readonly #perBlock: number
  /** Made when something is first written there. */
  readonly #blocks: (number | undefined)[] = []

  constructor(memory: VectorMemory, dimensions: number) {
    this.dimensions = dimensions
    this.#memory = memory
    this.#signatureBytes = signatureBytes(dimensions)
    this.#vectorBytes = vectorBytes(dimensions)
    // Signatures first, then vectors, then distances, each a multiple of 16 bytes.
    this.#perBlock = Math.floor(BLOCK_BYTES / (this.#signatureBytes + this.#vectorBytes + 2) / 8) * 8
  }

  /** Writes an encoded vector; a slot never written is all zeros, and so is one set to null. @throws VectorMemoryFull */
  set(slot: number, encoded: Uint8Array | null): void {
    const block = Math.floor(slot / this.#perBlock)
    if (this.#blocks[block] === undefined) {
      if (!encoded) return
      this.#blocks[block] = this.#memory.allocate()
    }
    this.#write(encoded, this.#signature(slot), this.#vector(slot))
  }

  /** What the following calls compare with: a unit vector of the same dimensions. */
  ask(query: Float32Array): void {
    this.#write(encodeVectors([query], this.dimensions), this.#memory.query, this.#memory.query + 2 ** 14)
  }

  /** What the following calls compare with: the vector of a slot. */
  askSlot(slot: number): void {
    const { bytes, query } = this.#memory
    const signature = this.#signature(slot)
    const vector = this.#vector(slot)
    bytes.copyWithin(query, signature, signature + this.#signatureBytes)
    bytes.copyWithin(query + 2 ** 14, vector, vector + this.#vectorBytes)
  }

  /**
   * Writes the differing bits, 0 to `dimensions`, of the slots from `first` on: as many as `out` is long. Of slots where
   * nothing was written it says anything between these.
   */
  measure(first: number, out: Uint16Array): void {
    const { kernel, query, bytes } = this.#memory
    const end = first + out.length
    for (let slot = first; slot < end;) {
      const count = Math.min(end, this.#blockEnd(slot)) - slot
      if (this.#blocks[Math.floor(slot / this.#perBlock)] === undefined) {
        out.fill(this.dimensions, slot - first, slot - first + count)
        slot += count
        continue
      }
      const at = this.#distance(slot)
      kernel.hamming(query, this.#signature(slot), count, this.#signatureBytes, at)
      out.set(new Uint16Array(bytes.buffer, at, count), slot - first)
      slot += count
    }
  }

  /** Writes the products of the slots listed with the query, as whole numbers: ONE² is a cosine of 1. */
  multiply(slots: Uint32Array, out: Int32Array): void {
    const { kernel, query, addresses, results, words } = this.#memory
    const list = addresses / 4
    for (let from = 0; from < slots.length; from += DOTS_AT_ONCE) {
      const count = Math.min(DOTS_AT_ONCE, slots.length - from)
      this.#writeAddresses(slots.subarray(from, from + count), words, list)
      // The kernel takes four at a time.
      const whole = Math.ceil(count / 4) * 4
      words.fill(words[list]!, list + count, list + whole)
      kernel.dots(query + 2 ** 14, addresses, whole, this.#vectorBytes, results)
      out.set(words.subarray(results / 4, results / 4 + count), from)
    }
  }

  /** Slots that follow one another are mostly of the same block: that saves a division for each. */
  #writeAddresses(slots: Uint32Array, words: Int32Array, list: number): void {
    const size = this.#vectorBytes
    let first = 0
    let end = 0
    let vectors = 0
    for (let index = 0; index < slots.length; index++) {
      const slot = slots[index]!
      if (slot < first || slot >= end) {
        end = this.#blockEnd(slot)
        first = end - this.#perBlock
        vectors = this.#vector(first)
      }
      words[list + index] = vectors + (slot - first) * size
    }
  }

  get bytes(): number {
    return this.#allocated().length * BLOCK_BYTES
  }

  release(): void {
    for (const block of this.#allocated()) this.#memory.release(block)
    this.#blocks.length = 0
  }

  #allocated(): number[] {
    return this.#blocks.filter((block) => block !== undefined)
  }

  #write(encoded: Uint8Array | null, signature: number, vector: number): void {
    const { bytes } = this.#memory
    if (encoded) {
      bytes.set(encoded.subarray(0, this.#signatureBytes), signature)
      bytes.set(encoded.subarray(this.#signatureBytes), vector)
    } else {
      bytes.fill(0, signature, signature + this.#signatureBytes)
      bytes.fill(0, vector, vector + this.#vectorBytes)
    }
  }

  #blockEnd(slot: number): number {
    return (Math.floor(slot / this.#perBlock) + 1) * this.#perBlock
  }

  #signature(slot: number): number {
    return this.#blocks[Math.floor(slot / this.#perBlock)]! + (slot % this.#perBlock) * this.#signatureBytes
  }

  #vector(slot: number): number {
    const vectors = this.#blocks[Math.floor(slot / this.#perBlock)]! + this.#perBlock * this.#signatureBytes
    return vectors + (slot % this.#perBlock) * this.#vectorBytes
  }

  #distance(slot: number): number {
    const block = this.#blocks[Math.floor(slot / this.#perBlock)]!
    return block + this.#perBlock * (this.#signatureBytes + this.#vectorBytes) + (slot % this.#perBlock) * 2
  }
}
