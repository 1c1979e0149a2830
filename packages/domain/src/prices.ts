/** What is paid for, in the specification's spelling: a charge is made of lines of these. */
export const PRICE_KEYS = [
  'DOCUMENT_PROCESSING',
  'VECTOR_PROCESSING',
  'BASIC_SEARCH',
  'ADVANCED_SEARCH',
  'SIMILARITY_SEARCH',
  'RAG_QUERY',
  'LLM_QUERY_',
  'MEDIA_ANALYSIS',
] as const
export type PriceKey = (typeof PRICE_KEYS)[number]

export const isPriceKey = (key: string): key is PriceKey => (PRICE_KEYS as readonly string[]).includes(key)
