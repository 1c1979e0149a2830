import { setImmediate as nextTurn } from 'node:timers/promises'
import { usd } from '@medialog/kernel'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { newId } from '../core/ids.ts'
import type { LedgerEntry } from './ledger.ts'
import { ledgerQueries } from './queries.ts'
import { all, openBooks } from './testing/bookkeeping.ts'

const EVER = { from: 0, until: Infinity }

let books: Awaited<ReturnType<typeof openBooks>>
let queries: ReturnType<typeof ledgerQueries>
beforeEach(async () => {
  books = await openBooks()
  queries = ledgerQueries(books.ports)
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

  test('of a month that is over has its postings and none of the next', async () => {
    const { postings, report, ...statement } = await queries.statement(books.accountId, '2026-10')
    expect(statement).toEqual({
      accountId: books.accountId,
      name: 'Acme',
      month: '2026-10',
      from: Date.parse('2026-10-01'),
      until: Date.parse('2026-11-01'),
      madeAt: books.clock.time,
      final: true,
      checkpoint: null,
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

  describe('is not final while events of the month can still come', () => {
    const END = Date.parse('2026-12-01')
    const isFinal = async () => (await queries.statement(books.accountId, '2026-11')).final

    test('what was under way when it ended is in the next one', async () => {
      books.clock.time = END + 5
      const { final, until, report } = await queries.statement(books.accountId, '2026-11')
      expect([final, until, report.closing]).toEqual([false, END, usd('9.93')])
      books.clock.time = END - 1
      await books.paid('analyze', [{ price: 'MEDIA_ANALYSIS', amount: usd('0.03') }])
      books.clock.time = END + 6
      expect(await queries.statement(books.accountId, '2026-11')).toMatchObject({
        final: false,
        report: { closing: usd('9.90') },
      })
    })

    test('an hour after its end nothing is under way', async () => {
      books.clock.time = END + 3_599_999
      expect(await isFinal()).toBe(false)
      books.clock.time++
      expect(await isFinal()).toBe(true)
    })

    test('nothing comes before what was posted later; a settlement is no posting', async () => {
      const chargeId = newId()
      await books.charge(chargeId, [{ price: 'MEDIA_ANALYSIS', amount: usd('0.03') }], {
        operation: 'analyze',
      })
      books.clock.time = END
      await books.settle(chargeId)
      expect(await isFinal()).toBe(false)
      await books.credit('1')
      expect(await isFinal()).toBe(true)
    })

    test('by the clock of this process, whatever another one posted', async () => {
      books.clock.time = END - 1
      await books.credit('1')
      books.clock.time = END - 5
      expect(await queries.statement(books.accountId, '2026-11')).toMatchObject({
        final: false,
        until: END - 4,
        report: { isOver: true, closing: usd('9.93') },
      })
    })

    test('nothing comes once the ledger is closed', async () => {
      books.clock.time = END
      expect(await isFinal()).toBe(false)
      books.clock.time = END - 1
      await books.closeLedger()
      expect(await isFinal()).toBe(true)
      books.clock.time = END
      expect(await isFinal()).toBe(true)
    })
  })

  test('is refused for a month that has not begun, or was before the account', async () => {
    const of = (month: string) => queries.statement(books.accountId, month)
    await expect(of('2026-12')).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      details: { parameter: 'month' },
    })
    await expect(of('2026-09')).rejects.toMatchObject({ code: 'ACCOUNT_NOT_FOUND' })
    books.clock.time = Date.parse('2026-12-01')
    expect((await of('2026-12')).report).toMatchObject({ opening: usd('9.93'), postings: 4 })
  })
})

describe('pages of a ledger', () => {
  const page = async (offset: number, limit = 700) => {
    const replayed = queries.ledger(books.accountId, { ...EVER, window: { offset, limit } })
    const entries: LedgerEntry[] = []
    for (;;) {
      const { done, value } = await replayed.next()
      if (done) return { entries, report: value }
      entries.push(...value)
    }
  }
  /** How many events of the ledger were read. */
  async function readBy<T>(work: () => Promise<T>): Promise<[number, T]> {
    let count = 0
    const { store } = books
    const real = store.read.bind(store)
    vi.spyOn(store, 'read').mockImplementation(async function* (...of) {
      for await (const event of real(...of)) {
        if (event.stream.startsWith('ledger-')) count++
        yield event
      }
    })
    const value = await work()
    vi.restoreAllMocks()
    return [count, value]
  }
  const fill = async () => {
    for (let n = 0; n < 1_200; n++) {
      const id = newId()
      await books.charge(id, [{ price: 'RAG_QUERY', amount: 2n }], { operation: 'ask' })
      await books.refund(`part of ${id}`, id, [{ price: 'RAG_QUERY', amount: 1n }])
      if (n % 100 > 0) await books.settle(id)
    }
  }

  test('replay it once, and are together what it is', async () => {
    await books.credit('1')
    await fill()
    const whole = await page(0, 5_000)
    queries = ledgerQueries(books.ports)
    const [all, first] = await readBy(() => page(0))
    expect(all).toBeGreaterThan(3_500)
    const entries = [...first.entries]
    for (let offset = 700; offset < 2_401; offset += 700) {
      const [some, next] = await readBy(() => page(offset))
      expect(some).toBeLessThan(2_700)
      expect(next.report).toEqual(first.report)
      entries.push(...next.entries)
    }
    expect(entries).toEqual(whole.entries)
    expect((await page(2_401)).entries).toEqual([])
    expect((await readBy(() => page(2_100)))[0]).toBeLessThan(800)
  })

  test('replay it again once something was posted, and after a minute', async () => {
    await books.credit('1')
    expect((await page(0, 1)).report.closing).toBe(usd('1'))
    await books.credit('1')
    expect((await page(1, 1)).report.closing).toBe(usd('2'))
    expect((await page(1, 1)).entries).toHaveLength(1)
    expect((await readBy(() => page(1, 1)))[0]).toBe(3)
    // The first page replays it again.
    expect((await readBy(() => page(0, 1)))[0]).toBe(3)
    books.clock.time += 60_000
    expect((await readBy(() => page(1, 1)))[0]).toBe(3)
  })
})
