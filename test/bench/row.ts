/** One line of a benchmark's result: what was measured beside what it is compared with. */
export interface BenchRow {
  name: string
  baseline: number
  measured: number
  /** measured / baseline. */
  ratio: number
  unit: string
  /** Quartiles of the ratio, where it was taken often. */
  spread?: [number, number]
}

/** What a benchmark gives: each line as soon as it was measured. */
export type BenchRows = AsyncGenerator<BenchRow, void, undefined>

export const row = (name: string, baseline: number, measured: number, unit: string): BenchRow => ({
  name,
  baseline,
  measured,
  ratio: measured / baseline,
  unit,
})

/** The value below which the share `p` of the sorted values lies. */
export const quantile = (sorted: readonly number[], p: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * p))]!

export const median = (values: readonly number[]): number =>
  quantile(
    values.toSorted((a, b) => a - b),
    0.5,
  )

/** By how much a figure may be worse than what it is measured beside. */
const MOST_WORSE = 1.15

/** By more than MOST_WORSE, and three times of four at all. Of rates more is better, of all else less. */
export function isWorse({ ratio, unit, spread = [ratio, ratio] }: BenchRow): boolean {
  const [least, middle] = unit === '1/s' ? [1 / spread[1], 1 / ratio] : [spread[0], ratio]
  return middle > MOST_WORSE && least > 1
}
