import type { ReadUsageData } from '@medialog/client'
import { fromNano, nano } from '../parts/money.ts'

const HOUR_MS = 3_600_000

interface Balance {
  /** Milliseconds since 1970. */
  at: number
  /** USD. */
  value: number
}

/** Of a bucket that is named by its hour or its day. */
const endOf = (bucket: string): number => Date.parse(bucket) + (bucket.length > 10 ? 1 : 24) * HOUR_MS

/** Balances from `start` on in the order of time: at the ends of hours or days and, lately, after every posting. */
export function balancesOf({ account_info, detailed_metrics }: ReadUsageData, start: number): Balance[] {
  const { opening_balance: opening, balance_trend: trend, recent_transactions: recent } = detailed_metrics!
  let after = nano(account_info.balance)
  const lately = recent
    .map(({ timestamp, amount }) => {
      const posted = { at: Date.parse(timestamp), value: fromNano(after) }
      after -= nano(amount)
      return posted
    })
    .filter(({ at }) => at >= start)
    .toReversed()
  const since = lately[0]?.at ?? Infinity
  return [
    // An account that was opened in this span had no balance before.
    ...(opening === 0 ? [] : [{ at: start, value: opening }]),
    ...Object.entries(trend)
      .map(([bucket, value]) => ({ at: endOf(bucket), value }))
      .filter(({ at }) => at < since),
    ...lately,
  ]
}
