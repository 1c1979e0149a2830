import { dollars, type UsageAnswer } from '@medialog/cli'
import { fromUsdNumber, sum, usd } from '@medialog/kernel'

const UPLOAD_PRICE = usd('0.04')

/** Says how the bill adds up. Throws unless it does, to the last nano-dollar. */
export function addsUp(opening: UsageAnswer, closing: UsageAnswer, uploads: number): string {
  const before = fromUsdNumber(opening.billing_summary.current_balance)
  const after = fromUsdNumber(closing.billing_summary.current_balance)
  const used = sum(Object.values(closing.billing_summary.usage_costs).map(fromUsdNumber))
  const expected = UPLOAD_PRICE * BigInt(uploads)
  const equation = `${dollars(before)} − ${uploads} × ${dollars(UPLOAD_PRICE)} = ${dollars(after)}`
  if (used !== expected || before - expected !== after)
    throw new Error(`The bill does not add up: ${equation}, of which ${dollars(used)} are listed.`)
  return `It adds up to the cent: ${equation}.`
}
