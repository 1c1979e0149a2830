import { usd } from '@medialog/kernel'
import { InvalidArgumentError } from 'commander'

/** For amounts of money: `25`, `0.04`, `$12.50`. Decimals of USD, at most nine of them. */
export function positiveDollars(text: string): string {
  const decimal = text.replace(/^\$/, '')
  try {
    if (usd(decimal) > 0n) return decimal
  } catch {
    // Said below.
  }
  throw new InvalidArgumentError('It must be an amount of USD above 0, like 25 or 0.04.')
}
