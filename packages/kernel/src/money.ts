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

// https://tc39.es/proposal-json-parse-with-source/
declare global {
  interface JSON {
    rawJSON(text: string): { rawJSON: string }
  }
}

/** A double holds any decimal of so many digits. */
export const DOUBLE_DIGITS = 15

/**
 * For JSON outside: the number that prints as the exact decimal (0.04, never 0.039999999). Where no number does (above 9
 * million dollars), what `JSON.stringify` writes as that decimal: it is to be written and not computed with.
 */
export function toUsdNumber(amount: Money): number {
  const decimal = formatUsd(amount)
  const number = Number(decimal)
  return printed(number) === decimal ? number : (JSON.rawJSON(decimal) as unknown as number)
}

/** The decimal that a JSON number of USD prints. Throws RangeError unless finite and exact to nine decimals. */
export function fromUsdNumber(value: number): Money {
  if (!Number.isFinite(value)) throw new RangeError(`not an amount of USD: ${value}`)
  const decimal = printed(value)
  if (Number(decimal) !== value) throw new RangeError(`more than nine decimals: ${value}`)
  return usd(decimal)
}

/** Without an exponent, which a number below a millionth prints. */
function printed(value: number): string {
  return Math.abs(value) < 1e-6 ? value.toFixed(9).replace(/\.?0+$/, '') : String(value)
}

export const sum = (amounts: Iterable<Money>): Money => {
  let total = 0n
  for (const amount of amounts) total += amount
  return total
}
