import { fold, sum, type Money } from '@medialog/kernel'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ledger, LEDGER_FOLD_START, type LedgerCommand, type LedgerEvent } from './ledger.ts'
import { charge, credit, on, refund, refundRest, settle } from './testing/ledger-entries.ts'
import { attempt, carryOut, commands, IDS, logOf } from './testing/ledger-histories.ts'

const RUNS = { numRuns: 400 }

const amountsOf = (log: LedgerEvent[], type: LedgerEvent['type']): Money =>
  sum(log.map((event) => (event.type === type && 'amount' in event ? event.amount : 0n)))

test('the balance is what was credited, less what was charged, plus what was refunded, and never negative', () => {
  fc.assert(
    fc.property(commands, (steps) =>
      carryOut(steps, (state, log) => {
        const totals = {
          credited: amountsOf(log, 'BalanceCredited'),
          charged: amountsOf(log, 'BalanceCharged'),
          refunded: amountsOf(log, 'BalanceRefunded'),
        }
        expect(state.totals).toStrictEqual(totals)
        expect(state.balance).toBe(totals.credited - totals.charged + totals.refunded)
        expect(state.balance >= 0n).toBe(true)
      }),
    ),
    RUNS,
  )
})

/** Refunds of more than was left, at any price, or of a charge that was not open. */
function excessiveRefunds(log: LedgerEvent[]): LedgerEvent[] {
  const open = new Map<string, Map<string, Money>>()
  return log.filter((event) => {
    if (event.type === 'BalanceCharged')
      open.set(event.chargeId, new Map(event.lines.map((line) => [line.price, line.amount])))
    if (event.type === 'ChargeSettled') open.delete(event.chargeId)
    if (event.type !== 'BalanceRefunded') return false
    const left = open.get(event.chargeId)
    if (!left) return true
    for (const { price, amount } of event.lines) left.set(price, (left.get(price) ?? 0n) - amount)
    return [...left.values()].some((amount) => amount < 0n)
  })
}

test('no charge is refunded beyond what it took, price by price, nor after it ended', () => {
  fc.assert(
    fc.property(commands, (steps) => {
      const log = logOf(steps)
      expect(excessiveRefunds(log)).toStrictEqual([])
      for (const event of log.filter((event) => 'lines' in event))
        expect(event.amount).toBe(sum(event.lines.map((line) => line.amount)))
    }),
    RUNS,
  )
})

test('a command that was just carried out causes nothing when it is repeated', () => {
  fc.assert(
    fc.property(commands, (steps) =>
      carryOut(steps, (state, log, command) => {
        const repeated = attempt(command, state)
        // A refused one may be refused again, as long as it leaves nothing behind.
        expect(typeof repeated === 'string' ? [] : repeated).toStrictEqual([])
        expect(state).toStrictEqual(fold(ledger, log))
      }),
    ),
    RUNS,
  )
})

/**
 * Ids that counted again while they are remembered: those of credits in this month's books and the last's, those of
 * charges and their refunds until the charge has ended, and as long after.
 */
function countedTwice(log: LedgerEvent[]): string[] {
  const lastSeen = new Map<string, number>()
  const left = new Map<string, Money>()
  const chargeOf = new Map<string, string>()
  const twice: string[] = []
  let books = 0
  const use = (id: string, again: boolean) => {
    if (again || books - (lastSeen.get(id) ?? -2) < 2) twice.push(id)
    lastSeen.set(id, books)
  }
  const end = (chargeId: string) => {
    left.delete(chargeId)
    lastSeen.set(chargeId, books)
    for (const [refundId, of] of chargeOf) if (of === chargeId) lastSeen.set(refundId, books)
  }
  for (const event of log) {
    if (event.type === 'BooksClosed') books++
    if (event.type === 'BalanceCredited') use(event.creditId, false)
    if (event.type === 'BalanceCharged') {
      use(event.chargeId, left.has(event.chargeId))
      for (const [refundId, of] of chargeOf) if (of === event.chargeId) chargeOf.delete(refundId)
      left.set(event.chargeId, event.amount)
    }
    if (event.type === 'ChargeSettled') end(event.chargeId)
    if (event.type === 'BalanceRefunded') {
      use(event.refundId, left.has(chargeOf.get(event.refundId) ?? ''))
      chargeOf.set(event.refundId, event.chargeId)
      const rest = left.get(event.chargeId)! - event.amount
      if (rest === 0n) end(event.chargeId)
      else left.set(event.chargeId, rest)
    }
  }
  return twice
}

test('within this month and the last, no id counts twice', () => {
  fc.assert(
    fc.property(commands, (steps) => {
      expect(countedTwice(logOf(steps))).toStrictEqual([])
    }),
    RUNS,
  )
})

const every: LedgerCommand[] = IDS.flatMap((of) => [
  credit(`credit ${of}`, 3n, 0),
  charge(of, { DOCUMENT_PROCESSING: 1n, RAG_QUERY: 0n }, 0),
  charge(of, { VECTOR_PROCESSING: 1000n }, 0),
  settle(of, 0),
  refundRest(`another refund ${of}`, of, 0),
  ...IDS.map((from) => refund(`refund ${of}`, from, { DOCUMENT_PROCESSING: 1n }, 0)),
  ...IDS.map((from) => refundRest(`refund ${of}`, from, 0)),
  ...[0n, 1n, 2n, 6n].map((amount) =>
    refund('another', of, { DOCUMENT_PROCESSING: amount, VECTOR_PROCESSING: 0n }, 0),
  ),
])

/** The end of the log from where a fold may start. */
function fromFoldStart(log: LedgerEvent[]): LedgerEvent[] {
  const starts = log.flatMap((event, index) => (event.type === LEDGER_FOLD_START.type ? [index] : []))
  return log.slice(starts.at(-LEDGER_FOLD_START.count) ?? 0)
}

test('a fold from the last closed books but one decides every command as one from the beginning does', () => {
  let shortened = 0
  fc.assert(
    fc.property(commands, (steps) => {
      const seen = logOf(steps)
      const tail = fromFoldStart(seen)
      if (tail.length < seen.length) shortened++
      const whole = fold(ledger, seen)
      const short = fold(ledger, tail)
      const { month, balance, totals } = whole
      expect(short).toMatchObject({ month, balance, totals })
      for (const at of [on('01-15'), on('08-15'), on('12-15')])
        for (const command of every)
          expect(attempt({ ...command, at }, short)).toStrictEqual(attempt({ ...command, at }, whole))
    }),
    { numRuns: 150 },
  )
  expect(shortened).toBeGreaterThan(50)
})
