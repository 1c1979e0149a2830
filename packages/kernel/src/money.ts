/** An amount in nano-USD: 1 USD = 1 000 000 000. Always an integer; no floating point touches a balance. */
export type Money = bigint

const NANO = 1_000_000_000n

/** Parses decimal dollars (`'0.04'`). Throws RangeError on anything that is not exact in nano-dollars. */
export function usd(decimal: string): Money {
  const match = /^(-?)(\d+)(?:\.(\d{1,9}))?$/.exec(decimal)
  if (!match) throw new RangeError(`not an amount of USD with at most nine decimals: ${decimal}`)
  const [, sign, whole, fraction = ''] = match
  const nano = BigInt(whole!) * NANO + BigInt(fraction.padEnd(9, '0'))
  return sign ? -nano : nano
}

/** Dollars in decimal notation without trailing zeros: `'0.04'`. */
export function formatUsd(amount: Money): string {
  const absolute = amount < 0n ? -amount : amount
  const fraction = (absolute % NANO).toString().padStart(9, '0').replace(/0+$/, '')
  return `${amount < 0n ? '-' : ''}${absolute / NANO}${fraction && `.${fraction}`}`
}

/** For JSON outside: the number that prints as the exact decimal (0.04, never 0.039999999). */
export const toUsdNumber = (amount: Money): number => Number(formatUsd(amount))

/** From a JSON number of USD. Throws RangeError unless finite and exact to nine decimals. */
export function fromUsdNumber(value: number): Money {
  if (!Number.isFinite(value)) throw new RangeError(`not an amount of USD: ${value}`)
  const decimal = value.toFixed(9)
  if (Number(decimal) !== value) throw new RangeError(`more than nine decimals: ${value}`)
  return usd(decimal)
}

export const sum = (amounts: Iterable<Money>): Money => {
  let total = 0n
  for (const amount of amounts) total += amount
  return total
}
