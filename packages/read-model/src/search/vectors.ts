import { encodeVectors, signatureBytes, vectorBytes } from './fixed-point.ts'
import { FARTHEST } from './columns.ts'
import { BLOCK_BYTES, DOTS_AT_ONCE, MEMORY_BYTES, type VectorMemory } from './vector-memory.ts'

/** Signatures that the kernel takes at a time: their bytes lie byte by byte, one group after the other. */
const GROUP = 32
/** Of the memory that is left for vectors that are dead, short, or over the limit when it is reached. */
const RESERVE = 0.25

/** What a vector takes: its signature, itself, and its distance from the query. */
const bytesEach = (dimensions: number): number => signatureBytes(dimensions) + vectorBytes(dimensions) + 2

/** How many vectors of that many dimensions one index can hold. */
export const mostVectors = (dimensions: number): number =>
  Math.floor(((1 - RESERVE) * MEMORY_BYTES) / bytesEach(dimensions))

/** The highest value of a table: eight of them fit into a byte. */
const HIGHEST = 31

/**
 * The vectors of one index, by slot: each as a signature of one bit a dimension (its sign) and as 16-bit fixed-point
 * numbers. Signatures are compared with a query in a fraction of a millisecond per 100,000; the fixed-point form
 * gives the cosine to within 10⁻⁴. All in whole numbers, so that every machine gives the same.
 *
 * How far a signature is from a query: the sum of the query's absolute values where the signs differ, which keeps
 * what the query's numbers tell and drops what the other's do (an asymmetric distance: Gordo and Perronnin, *Asymmetric
 * distances for binary embeddings*, 2011). Summed up in tables of four bits, by shuffles of registers (André, Kermarrec
 * and Le Scouarnec, *Cache locality is not enough: high-performance nearest neighbor search with product quantization
 * fast scan*, 2015).
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
    this.#perBlock = Math.floor(BLOCK_BYTES / bytesEach(dimensions) / GROUP) * GROUP
  }

  /** Writes an encoded vector; a slot never written is all zeros, and so is one set to null. @throws VectorMemoryFull */
  set(slot: number, encoded: Uint8Array | null): void {
    const block = Math.floor(slot / this.#perBlock)
    if (this.#blocks[block] === undefined) {
      if (!encoded) return
      this.#blocks[block] = this.#memory.allocate()
    }
    const { bytes } = this.#memory
    const signature = this.#group(slot) + (slot % GROUP)
    for (let byte = 0; byte < this.#signatureBytes; byte++)
      bytes[signature + byte * GROUP] = encoded ? encoded[byte]! : 0
    const vector = this.#vector(slot)
    if (encoded) bytes.set(encoded.subarray(this.#signatureBytes), vector)
    else bytes.fill(0, vector, vector + this.#vectorBytes)
  }

  /** What the following calls compare with: a unit vector of the same dimensions. */
  ask(query: Float32Array): void {
    const memory = this.#memory
    if (memory.asked === query) return
    memory.bytes.set(encodeVectors([query], this.dimensions).subarray(this.#signatureBytes), memory.query)
    memory.asked = query
    memory.tabled = false
  }

  /** What the following calls compare with: the vector of a slot. */
  askSlot(slot: number): void {
    const memory = this.#memory
    const vector = this.#vector(slot)
    memory.bytes.copyWithin(memory.query, vector, vector + this.#vectorBytes)
    memory.asked = null
    memory.tabled = false
  }

  /**
   * Writes how far the signatures of the slots from `first` on are, as many as `out` is long: whole numbers up to
   * FARTHEST, comparable with each other for the same query. Of slots where nothing was written it says anything.
   */
  measure(first: number, out: Uint16Array): void {
    const { kernel, table, bytes } = this.#memory
    this.#makeTable()
    const end = first + out.length
    for (let slot = first; slot < end;) {
      const next = Math.min(end, this.#blockEnd(slot))
      if (this.#blocks[Math.floor(slot / this.#perBlock)] === undefined)
        out.fill(FARTHEST, slot - first, next - first)
      else {
        const groups = Math.ceil(next / GROUP) - Math.floor(slot / GROUP)
        kernel.distances(table, this.#group(slot), groups, this.#signatureBytes, this.#groupDistances(slot))
        const at = this.#groupDistances(slot) + (slot % GROUP) * 2
        out.set(new Uint16Array(bytes.buffer, at, next - slot), slot - first)
      }
      slot = next
    }
  }

  /** For each four dimensions and each of 16 combinations of signs what they add to the distance. */
  #makeTable(): void {
    const memory = this.#memory
    if (memory.tabled) return
    memory.tabled = true
    const { bytes, table } = memory
    const first = memory.query / 2
    const values = memory.shorts.subarray(first, first + this.#vectorBytes / 2)
    bytes.fill(0, table, table + this.#signatureBytes * 2 * 16)
    let most = 1
    for (let at = 0; at < values.length; at += 4) most = Math.max(most, sumOf(values, at, 15))
    for (let at = 0; at < values.length; at += 4) {
      const row = table + at * 4
      const own = signsOf(values, at)
      for (let differing = 0; differing < 16; differing++)
        bytes[row + (own ^ differing)] = Math.round((sumOf(values, at, differing) * HIGHEST) / most)
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
      kernel.dots(query, addresses, whole, this.#vectorBytes, results)
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

  #blockEnd(slot: number): number {
    return (Math.floor(slot / this.#perBlock) + 1) * this.#perBlock
  }

  /** Where the signatures of the slot's group begin. */
  #group(slot: number): number {
    const place = slot % this.#perBlock
    return this.#blocks[Math.floor(slot / this.#perBlock)]! + (place - (place % GROUP)) * this.#signatureBytes
  }

  #vector(slot: number): number {
    const vectors = this.#blocks[Math.floor(slot / this.#perBlock)]! + this.#perBlock * this.#signatureBytes
    return vectors + (slot % this.#perBlock) * this.#vectorBytes
  }

  /** Where the distances of the slot's group are written. */
  #groupDistances(slot: number): number {
    const block = this.#blocks[Math.floor(slot / this.#perBlock)]!
    const place = slot % this.#perBlock
    return block + this.#perBlock * (this.#signatureBytes + this.#vectorBytes) + (place - (place % GROUP)) * 2
  }
}

/** Of the four values from `first` on a bit each, 1 where it is above 0. */
const signsOf = (values: Int16Array, first: number): number =>
  Number(values[first]! > 0) |
  (Number(values[first + 1]! > 0) << 1) |
  (Number(values[first + 2]! > 0) << 2) |
  (Number(values[first + 3]! > 0) << 3)

/** The sum of those of the four absolute values from `first` on whose bits are 1. */
const sumOf = (values: Int16Array, first: number, bits: number): number =>
  Math.abs(values[first]!) * (bits & 1) +
  Math.abs(values[first + 1]!) * ((bits >>> 1) & 1) +
  Math.abs(values[first + 2]!) * ((bits >>> 2) & 1) +
  Math.abs(values[first + 3]!) * (bits >>> 3)
