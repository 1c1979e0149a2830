/** Zero crossings of the kernel on each side: the transition band is about a tenth of what passes. */
const CROSSINGS = 16
/** What passes, of what the lower of both rates can carry. */
const PASSED = 0.94
const FULL_SCALE = 32_767

/**
 * Brings sound to another rate, in one channel of 16 bits: a windowed sinc for each place that a sample of the one rate has
 * between two of the other. J. O. Smith, "Digital Audio Resampling", https://ccrma.stanford.edu/~jos/resample/.
 */
export class Resampler {
  readonly #from: number
  readonly #to: number
  /** How many samples before and behind count. */
  readonly #reach: number
  readonly #kernels = new Map<number, Float32Array>()
  /** What still counts, beginning with the sample `#first`, and how much of it there is. */
  #held: Float32Array
  #first: number
  #count: number
  #written = new Int16Array(1 << 16)
  #length = 0

  /** Rates in samples a second, whole numbers. */
  constructor(from: number, to: number) {
    this.#from = from
    this.#to = to
    this.#reach = Math.ceil(CROSSINGS * Math.max(1, from / to))
    // Silence before the beginning.
    this.#first = -this.#reach
    this.#count = this.#reach
    this.#held = new Float32Array(this.#reach)
  }

  /** Samples from −1 to 1, a run of equal length for each channel; it takes their mean. */
  add(channels: readonly Float32Array[]): void {
    const length = channels[0]?.length ?? 0
    this.#makeRoom(length)
    for (let i = 0; i < length; i++) {
      let sum = 0
      for (const samples of channels) sum += samples[i]!
      this.#held[this.#count + i] = sum / channels.length
    }
    this.#count += length
    this.#write(this.#first + this.#count - this.#reach)
  }

  /** Samples that were written so far. */
  get length(): number {
    return this.#length
  }

  /** All of it, as long as the sound was. To be asked once. */
  result(): Int16Array {
    const length = this.#first + this.#count
    this.#makeRoom(this.#reach)
    this.#held.fill(0, this.#count, this.#count + this.#reach)
    this.#count += this.#reach
    this.#write(length)
    return this.#written.subarray(0, this.#length)
  }

  /** Drops what does not count any more. */
  #makeRoom(more: number): void {
    const needed = Math.floor((this.#length * this.#from) / this.#to) - this.#reach
    const dropped = Math.min(this.#count, Math.max(0, needed - this.#first))
    const kept = this.#held.subarray(dropped, this.#count)
    if (kept.length + more > this.#held.length) {
      const larger = new Float32Array(2 * (kept.length + more))
      larger.set(kept)
      this.#held = larger
    } else this.#held.copyWithin(0, dropped, this.#count)
    this.#first += dropped
    this.#count -= dropped
  }

  /** Writes what stands before `end`, a sample of the sound. */
  #write(end: number): void {
    const [from, to, reach, held] = [this.#from, this.#to, this.#reach, this.#held]
    for (; (this.#length * from) / to < end; this.#length++) {
      const position = this.#length * from
      const before = Math.floor(position / to)
      const kernel = this.#kernelAt(position % to)
      const start = before - reach + 1 - this.#first
      let sum = 0
      for (let i = 0; i < kernel.length; i++) sum += kernel[i]! * held[start + i]!
      if (this.#length === this.#written.length) this.#grow()
      this.#written[this.#length] = Math.max(-FULL_SCALE, Math.min(FULL_SCALE, Math.round(sum * FULL_SCALE)))
    }
  }

  #grow(): void {
    const larger = new Int16Array(2 * this.#written.length)
    larger.set(this.#written)
    this.#written = larger
  }

  /** What each sample counts, from `reach` − 1 before to `reach` behind, for a place `part` / `to` behind the middle one. */
  #kernelAt(part: number): Float32Array {
    const known = this.#kernels.get(part)
    if (known) return known
    const [reach, cutoff] = [this.#reach, PASSED * Math.min(1, this.#to / this.#from)]
    const kernel = Float32Array.from({ length: 2 * reach }, (_, i) => {
      const distance = i - reach + 1 - part / this.#to
      const window = Math.abs(distance) < reach ? 0.5 + 0.5 * Math.cos((Math.PI * distance) / reach) : 0
      return window * sinc(cutoff * distance)
    })
    const sum = kernel.reduce((total, value) => total + value, 0)
    for (let i = 0; i < kernel.length; i++) kernel[i]! /= sum
    this.#kernels.set(part, kernel)
    return kernel
  }
}

const sinc = (x: number): number => (x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x))
