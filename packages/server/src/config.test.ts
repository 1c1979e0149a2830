import { usd } from '@medialog/kernel'
import { expect, test } from 'vitest'
import { InvalidConfiguration, readConfig } from './config.ts'

test('prices that are not named keep their defaults', () => {
  const { prices } = readConfig({ MEDIALOG_PRICES: 'ADVANCED_SEARCH=0.025, MEDIA_ANALYSIS=1,BASIC_SEARCH=0' })
  expect(prices).toMatchObject({
    ADVANCED_SEARCH: usd('0.025'),
    MEDIA_ANALYSIS: usd('1'),
    BASIC_SEARCH: 0n,
    SIMILARITY_SEARCH: usd('0.01'),
    DOCUMENT_PROCESSING: usd('0.03'),
  })
  expect(readConfig({ MEDIALOG_PRICES: '' }).prices.ADVANCED_SEARCH).toBe(usd('0.01'))
})

test.each([
  'ADVANCED_SEARCH=cheap',
  'ADVANCED_SEARCH=-1',
  'SEARCH=1',
  'ADVANCED_SEARCH',
  'RAG_QUERY=0.0000000001',
  ',',
])('prices %s stop the start with one line', (MEDIALOG_PRICES) => {
  expect(() => readConfig({ MEDIALOG_PRICES })).toThrow(InvalidConfiguration)
  expect(() => readConfig({ MEDIALOG_PRICES })).toThrow(/^MEDIALOG_PRICES must read like [^\n]*$/)
})
