import type { ChargeLine, PriceKey } from '@medialog/domain'
import { usd, type Money } from '@medialog/kernel'

export type { PriceKey }

export const DEFAULT_PRICES = {
  DOCUMENT_PROCESSING: usd('0.03'),
  VECTOR_PROCESSING: usd('0.01'),
  BASIC_SEARCH: usd('0'),
  ADVANCED_SEARCH: usd('0.01'),
  SIMILARITY_SEARCH: usd('0.01'),
  RAG_QUERY: usd('0.01'),
  LLM_QUERY_: usd('0.01'),
  MEDIA_ANALYSIS: usd('0.03'),
} as const satisfies Prices

/** USD per operation by the specification's price keys: the one table of prices. */
export type Prices = Readonly<Record<PriceKey, Money>>

/** What `times` of an operation cost. */
export const priceLine = (prices: Prices, price: PriceKey, times = 1): ChargeLine => ({
  price,
  amount: prices[price] * BigInt(times),
})

/** What ingesting one file costs: processing and storage. */
export const ingestPrice = (prices: Prices): ChargeLine[] => [
  priceLine(prices, 'DOCUMENT_PROCESSING'),
  priceLine(prices, 'VECTOR_PROCESSING'),
]
