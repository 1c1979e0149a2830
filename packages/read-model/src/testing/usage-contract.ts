import type { GroupBy, Usage } from '@medialog/application/ports'
import type { ChargeLine, LedgerEvent } from '@medialog/domain'
import { usd, type Money } from '@medialog/kernel'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { recorderOf, type ProjectedEngine, type ProjectedEngineFactory } from './projected.ts'

const ANN = '00000000-0000-4000-8000-00000000000a'
const BEN = '00000000-0000-4000-8000-00000000000b'
const HOUR = 3_600_000
const NOON = Date.parse('2026-11-20T12:00:00Z')
const EVER = { from: 0, to: Date.parse('2100-01-01T00:00:00Z') }
const cause = { operation: 'upload', mediaId: BEN }

const credited = (creditId: string, amount: string, at: number): LedgerEvent => ({
  type: 'BalanceCredited',
  creditId,
  amount: usd(amount),
  reference: `ref ${creditId}`,
  at,
})
const linesOf = (prices: Record<string, string>): ChargeLine[] =>
  Object.entries(prices).map(([price, amount]) => ({ price, amount: usd(amount) }))
const total = (lines: readonly ChargeLine[]): Money => lines.reduce((sum, { amount }) => sum + amount, 0n)
const charged = (chargeId: string, prices: Record<string, string>, at: number): LedgerEvent => {
  const lines = linesOf(prices)
  return { type: 'BalanceCharged', chargeId, amount: total(lines), lines, cause, at }
}
const refunded = (chargeId: string, prices: Record<string, string>, at: number): LedgerEvent => {
  const lines = linesOf(prices)
  const ids = { refundId: `refund-${chargeId}`, chargeId }
  return { type: 'BalanceRefunded', ...ids, amount: total(lines), lines, reason: 'failed', at }
}

/** What every Usage read model must do. `factory` is called once a test, for an empty one. */
export function describeUsageContract(name: string, factory: ProjectedEngineFactory<Usage>): void {
  describe(`usage: ${name}`, () => {
    let engine: ProjectedEngine<Usage>
    let log: ReturnType<typeof recorderOf>
    beforeEach(async () => {
      engine = await factory()
      log = recorderOf(engine)
    })
    afterEach(() => engine.close())

    test('an account without postings has nothing', async () => {
      const { port } = engine
      expect(await port.balance(ANN)).toBe(0n)
      expect(await port.costs(ANN, EVER)).toEqual(new Map())
      expect(await port.trends(ANN, EVER, 'day')).toEqual(new Map())
      expect(await port.transactions(ANN, { limit: 50 })).toEqual([])
      expect(await port.lastChargeAt(ANN)).toBeNull()
      expect(await port.credited(ANN, 'a')).toBeNull()
    })

    test('postings keep a running balance, newest first; a batch that comes twice counts once', async () => {
      await log.recordTwice(
        ['ledger', ANN, credited('a', '1', NOON)],
        ['ledger', ANN, charged('b', { UPLOAD: '0.03', VECTORS: '0.01' }, NOON + 1)],
        ['ledger', BEN, credited('a', '7', NOON + 1)],
        ['ledger', ANN, refunded('b', { VECTORS: '0.01' }, NOON + 2)],
      )
      expect(await engine.port.transactions(ANN, { limit: 2 })).toEqual([
        {
          at: NOON + 2,
          type: 'refund',
          amount: usd('0.01'),
          balance: usd('0.97'),
          cause,
          reference: 'failed',
        },
        { at: NOON + 1, type: 'charge', amount: -usd('0.04'), balance: usd('0.96'), cause, reference: null },
      ])
      expect((await engine.port.transactions(ANN, { limit: 50 })).at(-1)).toEqual({
        at: NOON,
        type: 'credit',
        amount: usd('1'),
        balance: usd('1'),
        cause: null,
        reference: 'ref a',
      })
      expect(await engine.port.balance(ANN)).toBe(usd('0.97'))
      expect(await engine.port.balance(BEN)).toBe(usd('7'))
      expect(await engine.port.credited(ANN, 'a')).toBe(usd('1'))
      expect(await engine.port.credited(ANN, 'b')).toBeNull()
    })

    test('postings are read from the first to the last, a page after the other', async () => {
      await log.recordTwice(
        ['ledger', ANN, credited('a', '1', NOON)],
        ['ledger', BEN, credited('a', '7', NOON)],
        ['ledger', ANN, charged('b', { UPLOAD: '0.04' }, NOON)],
        // A clock that ran back.
        ['ledger', ANN, refunded('b', { UPLOAD: '0.04' }, NOON - 5)],
      )
      const first = await engine.port.postings(ANN, { after: null, limit: 2 })
      const rest = await engine.port.postings(ANN, { after: first.at(-1)!, limit: 2 })
      expect([...first, ...rest]).toMatchObject([
        { id: 'a', type: 'credit', at: NOON, amount: usd('1'), balance: usd('1') },
        { id: 'b', type: 'charge', at: NOON, amount: -usd('0.04'), balance: usd('0.96') },
        { id: 'refund-b', type: 'refund', at: NOON, amount: usd('0.04'), balance: usd('1') },
      ])
      const positions = [...first, ...rest].map(({ position }) => position)
      expect(positions).toEqual(positions.toSorted((a, b) => a - b))
      expect(await engine.port.postings(ANN, { after: rest.at(-1)!, limit: 2 })).toEqual([])
    })

    test('counts what a clock a year ahead posted when the clock is right again', async () => {
      const YEAR = 365 * 24 * HOUR
      const ahead = NOON + YEAR
      await log.recordTwice(
        ['ledger', ANN, credited('a', '1', NOON)],
        ['ledger', ANN, charged('b', { UPLOAD: '0.04' }, ahead)],
        ['ledger', BEN, credited('a', '7', ahead)],
        ['ledger', ANN, charged('c', { UPLOAD: '0.04', VECTORS: '0.01' }, ahead + HOUR)],
      )
      const { port } = engine
      expect(await port.balance(ANN, ahead - 1)).toBe(usd('1'))
      await log.recordTwice(['ledger', ANN, charged('d', { UPLOAD: '0.02' }, NOON + HOUR)])
      await log.recordTwice(['ledger', ANN, refunded('c', { VECTORS: '0.01' }, NOON + 2 * HOUR)])
      const now = NOON + 3 * HOUR
      expect(await port.balance(ANN, now)).toBe(usd('0.9'))
      expect(await port.costs(ANN, { from: NOON, to: now })).toEqual(new Map([['UPLOAD', usd('0.1')]]))
      expect(await port.trends(ANN, EVER, 'hour')).toEqual(
        new Map([
          [
            '2026-11-20T13:00:00Z',
            new Map([
              ['UPLOAD', usd('0.1')],
              ['VECTORS', usd('0.01')],
            ]),
          ],
          ['2026-11-20T14:00:00Z', new Map([['VECTORS', -usd('0.01')]])],
        ]),
      )
      const postings = await port.postings(ANN, { after: null, limit: 9 })
      expect(postings.map(({ id, at }) => [id, at - NOON])).toEqual([
        ['a', 0],
        ['b', HOUR],
        ['c', HOUR],
        ['d', HOUR],
        ['refund-c', 2 * HOUR],
      ])
      expect(await port.lastChargeAt(ANN)).toBe(NOON + HOUR)
      expect(await port.balance(BEN, now)).toBe(0n)
    })

    test('answers as of a moment, that moment included', async () => {
      await log.record(
        'ledger',
        ANN,
        credited('a', '1', NOON),
        charged('b', { UPLOAD: '0.04' }, NOON + 10),
        charged('c', { UPLOAD: '0.04' }, NOON + 20),
      )
      const { port } = engine
      expect(await port.balance(ANN, NOON - 1)).toBe(0n)
      expect(await port.balance(ANN, NOON)).toBe(usd('1'))
      expect(await port.balance(ANN, NOON + 15)).toBe(usd('0.96'))
      expect(await port.lastChargeAt(ANN)).toBe(NOON + 20)
      expect(await port.lastChargeAt(ANN, NOON + 19)).toBe(NOON + 10)
      expect(await port.lastChargeAt(ANN, NOON)).toBeNull()
      expect(await port.transactions(ANN, { limit: 9, asOf: NOON + 10 })).toHaveLength(2)
    })

    test('amounts beyond what a double holds are exact', async () => {
      const amount = usd('9007199.254740993')
      await log.record('ledger', ANN, { ...credited('a', '0', NOON), amount } as LedgerEvent)
      await log.record('ledger', ANN, charged('b', { UPLOAD: '0.000000002' }, NOON))
      expect(await engine.port.balance(ANN)).toBe(amount - 2n)
    })

    test('costs are net of refunds, by price key, in half-open ranges', async () => {
      await log.record(
        'ledger',
        ANN,
        credited('a', '10', NOON),
        charged('b', { UPLOAD: '0.03', VECTORS: '0.01' }, NOON),
        charged('c', { UPLOAD: '0.03', VECTORS: '0.01' }, NOON + HOUR),
        refunded('c', { UPLOAD: '0.03', VECTORS: '0.01' }, NOON + 2 * HOUR),
        charged('d', { SEARCH: '0.01' }, NOON + 3 * HOUR),
      )
      const { port } = engine
      expect(await port.costs(ANN, EVER)).toEqual(
        new Map([
          ['UPLOAD', usd('0.03')],
          ['VECTORS', usd('0.01')],
          ['SEARCH', usd('0.01')],
        ]),
      )
      const upToSearch = { from: NOON + 1, to: NOON + 3 * HOUR }
      expect(await port.costs(ANN, upToSearch)).toEqual(new Map())
      expect(await port.costs(ANN, { from: NOON + 3 * HOUR, to: NOON + 3 * HOUR + 1 })).toEqual(
        new Map([['SEARCH', usd('0.01')]]),
      )
      expect(await port.costs(ANN, { from: NOON, to: NOON })).toEqual(new Map())
    })

    test('trends name their buckets in UTC', async () => {
      await log.record(
        'ledger',
        ANN,
        credited('a', '10', NOON),
        charged('b', { UPLOAD: '0.04' }, NOON + 5),
        charged('c', { UPLOAD: '0.04' }, NOON + HOUR),
        charged('d', { UPLOAD: '0.04' }, Date.parse('2026-12-01T00:00:00Z')),
      )
      const keys = async (groupBy: GroupBy) => [...(await engine.port.trends(ANN, EVER, groupBy)).keys()]
      expect(await keys('hour')).toEqual([
        '2026-11-20T12:00:00Z',
        '2026-11-20T13:00:00Z',
        '2026-12-01T00:00:00Z',
      ])
      expect(await keys('day')).toEqual(['2026-11-20', '2026-12-01'])
      const months = await engine.port.trends(ANN, EVER, 'month')
      expect(months).toEqual(
        new Map([
          ['2026-11', new Map([['UPLOAD', usd('0.08')]])],
          ['2026-12', new Map([['UPLOAD', usd('0.04')]])],
        ]),
      )
    })

    test('balances are those at the end of each bucket in which something was posted', async () => {
      const month = Date.parse('2026-12-01T00:00:00Z')
      await log.record(
        'ledger',
        ANN,
        credited('a', '10', NOON),
        charged('b', { UPLOAD: '0.04' }, NOON + 5),
        charged('c', { UPLOAD: '0.04' }, NOON + 5),
        charged('d', { UPLOAD: '0.04' }, NOON + HOUR),
        refunded('d', { UPLOAD: '0.04' }, NOON + 24 * HOUR),
        credited('e', '1', month),
      )
      await log.record('ledger', BEN, credited('a', '7', NOON))
      const { port } = engine
      expect([...(await port.balances(ANN, EVER, 'hour'))]).toEqual([
        ['2026-11-20T12:00:00Z', usd('9.92')],
        ['2026-11-20T13:00:00Z', usd('9.88')],
        ['2026-11-21T12:00:00Z', usd('9.92')],
        ['2026-12-01T00:00:00Z', usd('10.92')],
      ])
      expect([...(await port.balances(ANN, EVER, 'day'))]).toEqual([
        ['2026-11-20', usd('9.88')],
        ['2026-11-21', usd('9.92')],
        ['2026-12-01', usd('10.92')],
      ])
      expect([...(await port.balances(ANN, EVER, 'month'))]).toEqual([
        ['2026-11', usd('9.92')],
        ['2026-12', usd('10.92')],
      ])
      expect([...(await port.balances(ANN, { from: NOON + 1, to: NOON + 24 * HOUR }, 'day'))]).toEqual([
        ['2026-11-20', usd('9.88')],
      ])
      expect(await port.balances(ANN, { from: NOON, to: NOON }, 'day')).toEqual(new Map())
    })

    test('balances of thousands of hours are all there', async () => {
      const hours = Array.from({ length: 2_500 }, (_, hour) => hour)
      await log.record('ledger', ANN, ...hours.map((hour) => credited(`c${hour}`, '1', NOON + hour * HOUR)))
      const balances = await engine.port.balances(ANN, EVER, 'hour')
      expect([...balances.values()]).toEqual(hours.map((hour) => usd(String(hour + 1))))
    })

    test('costs of any range are the sum of the charges in it, and of its trends', async () => {
      const posting = fc.record({
        hours: fc.integer({ min: 0, max: 24 * 70 }),
        ms: fc.nat(HOUR - 1),
        price: fc.constantFrom('UPLOAD', 'SEARCH'),
        amount: fc.bigInt({ min: 1n, max: usd('5') }),
      })
      const postings = fc
        .sample(posting, 200)
        .map(({ hours, ms, ...of }) => ({ ...of, at: NOON + hours * HOUR + ms }))
      postings.sort((a, b) => a.at - b.at)
      const events = postings.map(({ at, price, amount }, index): LedgerEvent => {
        const lines = [{ price, amount }]
        return { type: 'BalanceCharged', chargeId: `c${index}`, amount, lines, cause, at }
      })
      await log.record('ledger', ANN, ...events)
      const moment = fc.integer({ min: NOON - 48 * HOUR, max: NOON + 75 * 24 * HOUR })
      await fc.assert(
        fc.asyncProperty(
          moment,
          moment,
          fc.constantFrom('hour', 'day', 'month'),
          async (from, to, groupBy) => {
            const expected = new Map<string, Money>()
            for (const { at, price, amount } of postings)
              if (at >= from && at < to) expected.set(price, (expected.get(price) ?? 0n) + amount)
            expect(await engine.port.costs(ANN, { from, to })).toEqual(expected)
            const summed = new Map<string, Money>()
            for (const prices of (await engine.port.trends(ANN, { from, to }, groupBy)).values())
              for (const [price, amount] of prices) summed.set(price, (summed.get(price) ?? 0n) + amount)
            expect(summed).toEqual(expected)
          },
        ),
      )
    })
  })
}
