import { formatUsd } from '@medialog/kernel'
import { expect, test } from 'vitest'
import { DEFAULT_PRICES } from '../billing/prices.ts'
import { queryPrice } from './query-price.ts'

test.each([
  [0, 0, '0', 'minimum'],
  [10_000, 2_500, '0', 'minimum'],
  [10_001, 2_500, '0.0010001', 'standard'],
  [10_000, 2_501, '0.0010004', 'standard'],
  [100_000, 4_096, '0.0116384', 'standard'],
])('%i tokens in and %i out cost %s besides the base fee: %s', (input, output, tokens, tier) => {
  const price = queryPrice(DEFAULT_PRICES, true, { input, output })
  expect(formatUsd(price.tokens)).toBe(tokens)
  expect(price.tier).toBe(tier)
  expect(price.lines).toEqual([{ price: 'RAG_QUERY', amount: price.base + price.tokens }])
})

test('a query without an item is charged under LLM_QUERY_', () => {
  const { lines, base } = queryPrice(DEFAULT_PRICES, false, { input: 10, output: 10 })
  expect(lines).toEqual([{ price: 'LLM_QUERY_', amount: base }])
})
