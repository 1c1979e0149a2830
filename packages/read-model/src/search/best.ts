const BUCKETS = 2048
/** Kept between queries. */
const counts = new Uint32Array(BUCKETS)

/**
 * The `limit` indexes below `length` with the highest value above 0, in no particular order; of equal ones those
 * that `before` puts first. Linear: a histogram finds the value to cut at, and only its bucket is sorted.
 */
export function best(
  values: Float32Array,
  length: number,
  limit: number,
  before: (a: number, b: number) => number,
): Uint32Array {
  let highest = 0
  for (let index = 0; index < length; index++) if (values[index]! > highest) highest = values[index]!
  if (highest === 0) return new Uint32Array()

  const scale = (BUCKETS - 1) / highest
  counts.fill(0)
  for (let index = 0; index < length; index++) {
    const value = values[index]!
    if (value > 0) counts[(value * scale) | 0]!++
  }
  let cut = BUCKETS - 1
  let above = 0
  while (cut > 0 && above + counts[cut]! < limit) above += counts[cut--]!

  const chosen = new Uint32Array(above + Math.min(counts[cut]!, limit - above))
  const doubtful: number[] = []
  let taken = 0
  for (let index = 0; index < length; index++) {
    const value = values[index]!
    if (value <= 0) continue
    const bucket = (value * scale) | 0
    if (bucket > cut) chosen[taken++] = index
    else if (bucket === cut) doubtful.push(index)
  }
  doubtful.sort((a, b) => values[b]! - values[a]! || before(a, b))
  chosen.set(doubtful.slice(0, chosen.length - taken), taken)
  return chosen
}
