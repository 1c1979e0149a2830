import { kernelOver, PAGE, type Kernel } from './kernel.ts'

export const BLOCK_BYTES = 2 ** 20
/** Room for a query's table and vector, then for addresses and results of `dots`. */
const QUERY_BYTES = 2 ** 16
export const DOTS_AT_ONCE = 2 ** 13
const SCRATCH_BYTES = QUERY_BYTES + DOTS_AT_ONCE * 8

/** All that WebAssembly can address. */
export const MEMORY_BYTES = 2 ** 32

/** There is no room for another block: the caller has to let go of some index first. */
export class VectorMemoryFull extends Error {
  constructor() {
    super('the memory for vectors is full')
    this.name = 'VectorMemoryFull'
  }
}

/**
 * The memory that the kernel works on, shared by all indexes of a thread and handed out in blocks. One memory,
 * because each takes gigabytes of address space, and at most 4 GiB: some five million vectors of 384 dimensions.
 */
export class VectorMemory {
  readonly kernel: Kernel
  readonly #memory: InstanceType<typeof WebAssembly.Memory>
  readonly #free: number[] = []
  #bytes = new Uint8Array()
  #shorts = new Int16Array()
  #words = new Int32Array()

  constructor(mostBytes = MEMORY_BYTES) {
    this.#memory = new WebAssembly.Memory({
      initial: Math.ceil(SCRATCH_BYTES / PAGE),
      maximum: Math.ceil(mostBytes / PAGE),
    })
    this.kernel = kernelOver(this.#memory)
    this.#view()
  }

  /** Addresses of the scratch areas. */
  readonly table = 0
  readonly query = 2 ** 14
  readonly addresses = QUERY_BYTES
  readonly results = QUERY_BYTES + DOTS_AT_ONCE * 4

  /** What is at `query`, where it came from outside; whether `table` was made of what is there. */
  asked: Float32Array | null = null
  tabled = false

  /** Views over all of it, by byte, by signed 16 bits and by signed 32 bits; good until the next `allocate`. */
  get bytes(): Uint8Array {
    return this.#bytes
  }
  get shorts(): Int16Array {
    return this.#shorts
  }
  get words(): Int32Array {
    return this.#words
  }

  /** The address of a block of zeros. @throws VectorMemoryFull */
  allocate(): number {
    const free = this.#free.pop()
    if (free !== undefined) return free
    try {
      const address = this.#memory.grow(BLOCK_BYTES / PAGE) * PAGE
      this.#view()
      return address
    } catch {
      throw new VectorMemoryFull()
    }
  }

  /** Forgets what the block holds. */
  release(address: number): void {
    this.#bytes.fill(0, address, address + BLOCK_BYTES)
    this.#free.push(address)
  }

  #view(): void {
    this.#bytes = new Uint8Array(this.#memory.buffer)
    this.#shorts = new Int16Array(this.#memory.buffer)
    this.#words = new Int32Array(this.#memory.buffer)
  }
}
