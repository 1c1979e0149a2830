import { usd, type Money } from '@medialog/kernel'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { DEFAULT_PRICES } from '../billing/prices.ts'
import { newId } from '../core/ids.ts'
import { repriceHistory, repricedCharge, type RepricedAccount } from './reprice.ts'
import { FILE, openBooks } from './testing/bookkeeping.ts'

const OTHERS = {
  ...DEFAULT_PRICES,
  DOCUMENT_PROCESSING: usd('0.02'),
  ADVANCED_SEARCH: usd('0.05'),
  RAG_QUERY: usd('0.03'),
}

describe('a charge under other prices', () => {
  const repriced = (operation: string, rest: Record<string, string>, file: Money | null = null) => {
    const left = new Map(Object.entries(rest).map(([key, amount]) => [key, usd(amount)]))
    const map = repricedCharge({ cause: { operation }, rest: left }, file, DEFAULT_PRICES, OTHERS)
    return map && Object.fromEntries(map)
  }
  const file = (count: bigint) => ({
    DOCUMENT_PROCESSING: usd('0.02') * count,
    VECTOR_PROCESSING: usd('0.01') * count,
  })

  test.each<[string, Record<string, string>, Money | null, object | null]>([
    ['upload', { DOCUMENT_PROCESSING: '0.03', VECTOR_PROCESSING: '0.01' }, null, file(1n)],
    // At whatever price it was.
    ['upload', { DOCUMENT_PROCESSING: '0.07' }, null, file(1n)],
    ['upload', {}, null, {}],
    ['batch', { DOCUMENT_PROCESSING: '0.09', VECTOR_PROCESSING: '0.03' }, usd('0.04'), file(3n)],
    ['batch', { DOCUMENT_PROCESSING: '0.10' }, usd('0.05'), file(2n)],
    ['batch', { DOCUMENT_PROCESSING: '0.09' }, usd('0.04'), null],
    ['batch', { DOCUMENT_PROCESSING: '0.09' }, null, null],
    ['analyze', { MEDIA_ANALYSIS: '0.5' }, null, { MEDIA_ANALYSIS: usd('0.03') }],
    ['similar', { SIMILARITY_SEARCH: '0.01' }, null, { SIMILARITY_SEARCH: usd('0.01') }],
    ['search', { ADVANCED_SEARCH: '0.03' }, null, { ADVANCED_SEARCH: usd('0.15') }],
    ['search', { ADVANCED_SEARCH: '0.015' }, null, null],
    ['ask', { RAG_QUERY: '0.01' }, null, { RAG_QUERY: usd('0.03') }],
    // Token charges stay.
    ['ask', { RAG_QUERY: '0.0312' }, null, { RAG_QUERY: usd('0.0512') }],
    ['ask', { RAG_QUERY: '0.005' }, null, null],
    ['of a later release', { RAG_QUERY: '0.005' }, null, null],
  ])('%s of %j', (operation, rest, fileThen, expected) => {
    expect(repriced(operation, rest, fileThen)).toEqual(expected)
  })
})

describe('history', () => {
  let books: Awaited<ReturnType<typeof openBooks>>
  beforeEach(async () => {
    books = await openBooks()
    await books.credit('10')
    await books.batch(2, 1)
    const search = newId()
    const level = { price: 'ADVANCED_SEARCH', amount: usd('0.01') }
    await books.charge(search, [{ ...level, amount: usd('0.03') }], {
      operation: 'search',
      requestId: search,
    })
    books.clock.time = Date.parse('2026-11-03')
    await books.refund(`unused-${search}`, search, [level])
    await books.settle(search)
    await books.paid('search', [{ ...level, amount: usd('0.007') }])
    await books.charge(newId(), [...FILE], { operation: 'upload' })
  })
  afterEach(() => books.close())

  const repriced = (from: string, until: string): Promise<RepricedAccount[]> =>
    repriceHistory(
      books.ports,
      { prices: OTHERS, from: Date.parse(from), until: Date.parse(until), accountId: null },
      () => undefined,
    )

  test('counts each charge at its own time, with what was refunded of it later', async () => {
    const [account] = await repriced('2026-10-01', '2026-11-01')
    expect(account).toMatchObject({ name: 'Acme', charges: 2, unexplained: { charges: 0, amount: 0n } })
    expect(Object.fromEntries(account!.operations)).toEqual({
      DOCUMENT_PROCESSING: { charged: usd('0.06'), repriced: usd('0.04') },
      VECTOR_PROCESSING: { charged: usd('0.02'), repriced: usd('0.02') },
      ADVANCED_SEARCH: { charged: usd('0.02'), repriced: usd('0.1') },
    })
  })

  test('counts what is still open, and charges of unknown quantity with what they cost', async () => {
    const [account] = await repriced('2026-11-01', '2026-12-01')
    expect(account).toMatchObject({ charges: 2, unexplained: { charges: 1, amount: usd('0.007') } })
    expect(Object.fromEntries(account!.operations)).toEqual({
      DOCUMENT_PROCESSING: { charged: usd('0.03'), repriced: usd('0.02') },
      VECTOR_PROCESSING: { charged: usd('0.01'), repriced: usd('0.01') },
      ADVANCED_SEARCH: { charged: usd('0.007'), repriced: usd('0.007') },
    })
  })

  test('leaves out accounts without a charge then; of no account it is not found', async () => {
    expect(await repriced('2027-01-01', '2027-02-01')).toEqual([])
    const nobody = { prices: {}, from: 0, until: 1, accountId: newId() }
    await expect(repriceHistory(books.ports, nobody, () => undefined)).rejects.toMatchObject({
      code: 'ACCOUNT_NOT_FOUND',
    })
  })
})
