import { kernelOver, PAGE } from './kernel.ts'

/** See `tally`. */
const BUCKETS = 4096
const BUCKET_BITS = 14
const COUNTS = 0
const VALUES = BUCKETS * 4

const memory = new WebAssembly.Memory({ initial: 1, maximum: PAGE })
const kernel = kernelOver(memory)

/**
 * The `limit` indexes below `length` with the highest value above 0, in no particular order; of equal ones those
 * that `before` puts first. Linear: a histogram over the values' bits, in whose order they are, finds where to cut, and
 * only its bucket is sorted.
 */
export function best(
  values: Float32Array,
  length: number,
  limit: number,
  before: (a: number, b: number) => number,
): Uint32Array {
  const listed = VALUES + length * 4
  // The place after the last is written to as well, whether it counts or not.
  const lacking = listed + (length + 1) * 4 - memory.buffer.byteLength
  if (lacking > 0) memory.grow(Math.ceil(lacking / PAGE))
  const counts = new Uint32Array(memory.buffer, COUNTS, BUCKETS).fill(0)
  new Float32Array(memory.buffer, VALUES, length).set(values.subarray(0, length))
  const highest = kernel.tally(VALUES, length, COUNTS)
  let cut = 0
  let above = 0
  while (cut < BUCKETS - 1 && above + counts[cut]! < limit) above += counts[cut++]!

  const least = cut === BUCKETS - 1 ? 1 : Math.max(1, highest - ((cut + 1) << BUCKET_BITS) + 1)
  const found = kernel.reaching(VALUES, length, least, listed)
  const reaching = new Uint32Array(memory.buffer, listed, found)
  if (found <= limit) return reaching.slice()
  const bits = new Int32Array(memory.buffer, VALUES, length)
  const doubtfulBelow = highest - (cut << BUCKET_BITS)
  const chosen = new Uint32Array(limit)
  const doubtful: number[] = []
  let taken = 0
  for (const index of reaching) {
    if (bits[index]! > doubtfulBelow) chosen[taken++] = index
    else doubtful.push(index)
  }
  doubtful.sort((a, b) => values[b]! - values[a]! || before(a, b))
  chosen.set(doubtful.slice(0, limit - taken), taken)
  return chosen
}
