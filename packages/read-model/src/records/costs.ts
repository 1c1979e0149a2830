import type { GroupBy, TimeRange } from '@medialog/application/ports'
import type { Money } from '@medialog/kernel'

/** Spans that costs are counted by, in milliseconds: UTC hours and days start at multiples of them. */
export const HOUR = 3_600_000
export const DAY = 24 * HOUR
export const SPANS = [HOUR, DAY] as const

/** UTC; what a bucket is called. */
const BUCKET: Record<GroupBy, (at: number) => string> = {
  hour: (at) => `${new Date(at).toISOString().slice(0, 13)}:00:00Z`,
  day: (at) => new Date(at).toISOString().slice(0, 10),
  month: (at) => new Date(at).toISOString().slice(0, 7),
}

/** What the bucket of a moment is called. */
export const bucketOf = (at: number, groupBy: GroupBy): string => BUCKET[groupBy](at)

/** Adds up costs by bucket and price. `groupBy` null: all in one bucket, which has no name. */
export class Costs {
  readonly #bucketOf: (at: number) => string
  readonly #buckets = new Map<string, Map<string, Money>>()
  /** Costs come in the order of time, several to a moment: naming the bucket is most of the work. */
  #last: { at: number; prices: Map<string, Money> } | null = null

  constructor(groupBy: GroupBy | null) {
    this.#bucketOf = groupBy ? BUCKET[groupBy] : () => ''
  }

  add(at: number, price: string, amount: Money): void {
    const prices = this.#pricesAt(at)
    prices.set(price, (prices.get(price) ?? 0n) + amount)
  }

  /** By bucket in the order of their names; nothing that comes to zero is there. */
  byBucket(): Map<string, Map<string, Money>> {
    const kept = [...this.#buckets].map(
      ([bucket, prices]) => [bucket, new Map([...prices].filter(([, amount]) => amount !== 0n))] as const,
    )
    return new Map(kept.filter(([, prices]) => prices.size > 0).sort(([a], [b]) => (a < b ? -1 : 1)))
  }

  /** Of the only bucket. */
  byPrice(): Map<string, Money> {
    return this.byBucket().get('') ?? new Map<string, Money>()
  }

  #pricesAt(at: number): Map<string, Money> {
    if (this.#last?.at === at) return this.#last.prices
    const bucket = this.#bucketOf(at)
    const prices = this.#buckets.get(bucket) ?? new Map<string, Money>()
    this.#buckets.set(bucket, prices)
    this.#last = { at, prices }
    return prices
  }
}

/** A part of a range that lies on whole spans; span 1: single postings. */
export type Piece = TimeRange & { span: number }

/** The range in pieces, of which as few as may be are single postings. `groupBy` null: into one bucket. */
export const piecesOf = (range: TimeRange, groupBy: GroupBy | null): Piece[] =>
  piecesBy(range, groupBy === 'hour' ? [HOUR] : [DAY, HOUR])

/** The widest span first. */
function piecesBy({ from, to }: TimeRange, [span, ...narrower]: readonly number[]): Piece[] {
  if (from >= to) return []
  if (span === undefined) return [{ span: 1, from, to }]
  const first = Math.ceil(from / span) * span
  const last = Math.floor(to / span) * span
  if (first >= last) return piecesBy({ from, to }, narrower)
  return [
    ...piecesBy({ from, to: first }, narrower),
    { span, from: first, to: last },
    ...piecesBy({ from: last, to }, narrower),
  ]
}
