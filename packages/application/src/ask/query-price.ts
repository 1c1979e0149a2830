import type { ChargeLine } from '@medialog/domain'
import type { Money } from '@medialog/kernel'
import { priceLine, type Prices } from '../billing/prices.ts'

/** Input of more tokens than that is refused. */
export const MOST_INPUT_TOKENS = 100_000
/** Up to so many tokens the base fee covers; beyond, all tokens of that kind are charged. */
const COVERED = { input: 10_000, output: 2_500 }
/** Nano-USD a token: 0.10 and 0.40 USD a million. */
const PER_TOKEN = { input: 100n, output: 400n }

export interface QueryPrice {
  lines: ChargeLine[]
  base: Money
  tokens: Money
  tier: 'minimum' | 'standard'
}

/** What a query costs: with an item RAG_QUERY, without LLM_QUERY_, its token charges under the same key. */
export function queryPrice(
  prices: Prices,
  grounded: boolean,
  counts: { input: number; output: number },
): QueryPrice {
  const { price, amount: base } = priceLine(prices, grounded ? 'RAG_QUERY' : 'LLM_QUERY_')
  const charged = (kind: 'input' | 'output'): Money =>
    counts[kind] > COVERED[kind] ? BigInt(counts[kind]) * PER_TOKEN[kind] : 0n
  const tokens = charged('input') + charged('output')
  return {
    lines: [{ price, amount: base + tokens }],
    base,
    tokens,
    tier: tokens > 0n ? 'standard' : 'minimum',
  }
}
