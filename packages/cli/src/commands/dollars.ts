import { usd } from '@medialog/kernel'
import { InvalidArgumentError } from 'commander'

/** For amounts of money: `25`, `0.04`, `$12.50`. Exact to nine decimals; a JSON number of USD. */
export function positiveDollars(text: string): number {
  const decimal = text.replace(/^\$/, '')
  try {
    if (usd(decimal) > 0n) return Number(decimal)
  } catch {
    // Said below.
  }
  throw new InvalidArgumentError('It must be an amount of USD above 0, like 25 or 0.04.')
}
