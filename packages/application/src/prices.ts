import type { ChargeLine } from '@medialog/domain'
import { usd, type Money } from '@medialog/kernel'

/** USD per operation by the specification's price keys: the one table of prices. */
export type Prices = ReadonlyMap<string, Money>

export const DEFAULT_PRICES: Prices = new Map([
  ['DOCUMENT_PROCESSING', usd('0.03')],
  ['VECTOR_PROCESSING', usd('0.01')],
  ['BASIC_SEARCH', usd('0')],
  ['ADVANCED_SEARCH', usd('0.01')],
  ['SIMILARITY_SEARCH', usd('0.01')],
  ['RAG_QUERY', usd('0.01')],
  ['LLM_QUERY_', usd('0.01')],
  ['MEDIA_ANALYSIS', usd('0.03')],
])

const line = (prices: Prices, price: string): ChargeLine => ({ price, amount: prices.get(price)! })

/** What ingesting one file costs: processing and storage. */
export const ingestPrice = (prices: Prices): ChargeLine[] => [
  line(prices, 'DOCUMENT_PROCESSING'),
  line(prices, 'VECTOR_PROCESSING'),
]
