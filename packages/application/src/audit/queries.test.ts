import { setImmediate as nextTurn } from 'node:timers/promises'
import { usd } from '@medialog/kernel'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { newId } from '../ids.ts'
import { auditQueries } from './queries.ts'
import { all, openBooks } from './testing/bookkeeping.ts'

const EVER = { from: 0, until: Infinity }

let books: Awaited<ReturnType<typeof openBooks>>
let queries: ReturnType<typeof auditQueries>
beforeEach(async () => {
  books = await openBooks()
  queries = auditQueries(books.dependencies)
})
afterEach(() => books.close())

test('an account has one replay at a time; one that is left ends', async () => {
  await books.credit('1')
  const first = queries.ledger(books.accountId, EVER)
  expect((await first.next()).value).toHaveLength(1)
  let second = 0
  const waiting = all(queries.ledger(books.accountId, EVER)).then((pages) => (second = pages.length))
  await expect(queries.ledger(newId(), EVER).next()).rejects.toMatchObject({ code: 'ACCOUNT_NOT_FOUND' })
  for (let turn = 0; turn < 20; turn++) await nextTurn()
  expect(second).toBe(0)
  await first.return(undefined as never)
  expect(await waiting).toBe(1)
})

test('what is no account’s id is not found', async () => {
  await expect(queries.ledger('../ledger', EVER).next()).rejects.toMatchObject({ code: 'ACCOUNT_NOT_FOUND' })
  await expect(queries.statement('all')).rejects.toMatchObject({ code: 'ACCOUNT_NOT_FOUND' })
  await expect(queries.statement(newId())).rejects.toMatchObject({ code: 'ACCOUNT_NOT_FOUND' })
})

describe('a statement', () => {
  beforeEach(async () => {
    await books.open()
    await books.credit('10', 'opening')
    await books.batch(1, 1)
    books.clock.time = Date.parse('2026-11-05T09:00:00Z')
    await books.paid('analyze', [{ price: 'MEDIA_ANALYSIS', amount: usd('0.03') }])
  })

  test('of a month that is over has its postings and nothing of the next', async () => {
    const { postings, report, ...statement } = await queries.statement(books.accountId, '2026-10')
    expect(statement).toEqual({
      accountId: books.accountId,
      name: 'Acme',
      month: '2026-10',
      from: Date.parse('2026-10-01'),
      until: Date.parse('2026-11-01'),
      madeAt: books.clock.time,
      final: true,
    })
    expect(report).toMatchObject({
      opening: 0n,
      closing: usd('9.96'),
      totals: { credited: usd('10'), charged: usd('0.08'), refunded: usd('0.04') },
      holds: true,
    })
    expect((await all(postings())).flat().map(({ kind }) => kind)).toEqual(['credit', 'charge', 'refund'])
  })

  test('of the current month ends with the moment it is made; what comes later is not in it', async () => {
    const { postings, ...statement } = await queries.statement(books.accountId)
    await books.credit('5')
    expect(statement).toMatchObject({
      month: '2026-11',
      final: false,
      until: books.clock.time + 1,
      report: { opening: usd('9.96'), closing: usd('9.93') },
    })
    expect((await all(postings())).flat()).toMatchObject([{ kind: 'charge', amount: -usd('0.03') }])
  })

  test('of a month that has not begun, or was before the account, there is none', async () => {
    const of = (month: string) => queries.statement(books.accountId, month)
    await expect(of('2026-12')).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      details: { parameter: 'month' },
    })
    await expect(of('2026-09')).rejects.toMatchObject({ code: 'ACCOUNT_NOT_FOUND' })
  })
})
