import { fold } from '@medialog/kernel'
import { describe, expect, test } from 'vitest'
import { AccountIsClosed } from './account.ts'
import {
  CreditReferenceReused,
  InsufficientFunds,
  ledger,
  LedgerRefusal,
  MOST_BALANCE,
  type LedgerCommand,
  type LedgerEvent,
} from './ledger.ts'
import { given } from './testing/given-when-then.ts'
import {
  charge,
  charged,
  credit,
  credited,
  on,
  refund,
  refunded,
  refundRest,
  settle,
  settled,
} from './testing/ledger-entries.ts'

const day = on('03-01')
const funds = credited('c1', 100n, day)
const upload = { DOCUMENT_PROCESSING: 30n, VECTOR_PROCESSING: 10n }
const uploadCharged = charged('a', upload, day)
const exceeds = { code: 'REFUND_EXCEEDS_CHARGE', details: { charge_id: 'a' } }
const unknown = { code: 'CHARGE_NOT_FOUND', details: { charge_id: 'a' } }
const invalid = { code: 'VALIDATION_ERROR' }

describe('a credit', () => {
  test('counts once', () => {
    given(ledger)
      .when(credit('c1', 100n, day))
      .then(funds)
    given(ledger, funds)
      .when(credit('c2', 1n, day))
      .then(credited('c2', 1n, day))
    given(ledger, funds)
      .when(credit('c1', 100n, day))
      .thenNothing()
  })

  test('of another amount under the same id is refused', () => {
    given(ledger, funds)
      .when(credit('c1', 99n, day))
      .thenFails(CreditReferenceReused, {
        code: 'CREDIT_REFERENCE_REUSED',
        details: { credited_amount: 0.0000001, amount: 0.000000099 },
      })
  })

  test('of more than an account may hold is refused, with what refunds may bring back', () => {
    const full = credited('c1', MOST_BALANCE, day)
    given(ledger, full)
      .when(credit('c2', 1n, day))
      .thenFails(LedgerRefusal, { ...invalid, details: { current_balance: Number(MOST_BALANCE) / 1e9 } })
    given(ledger, full, uploadCharged)
      .when(credit('c2', 40n, day))
      .thenFails(LedgerRefusal, invalid)
    given(ledger, full, uploadCharged, settled('a', day))
      .when(credit('c2', 40n, day))
      .then(credited('c2', 40n, day))
    given(ledger, full)
      .when(credit('c1', MOST_BALANCE, day))
      .thenNothing()
  })

  test('of nothing or less is refused', () => {
    given(ledger)
      .when(credit('c1', 0n, day))
      .thenFails(LedgerRefusal, invalid)
    given(ledger, funds)
      .when(credit('c2', -1n, day))
      .thenFails(LedgerRefusal, invalid)
  })
})

describe('a charge', () => {
  test('is made once, whatever became of it', () => {
    given(ledger, funds)
      .when(charge('a', upload, day))
      .then(uploadCharged)
    given(ledger, funds, uploadCharged)
      .when(charge('a', upload, day))
      .thenNothing()
    given(ledger, funds, uploadCharged, settled('a', day))
      .when(charge('a', upload, day))
      .thenNothing()
    given(ledger, funds, uploadCharged, refunded('r', 'a', upload, day))
      .when(charge('a', upload, day))
      .thenNothing()
  })

  test('may take all there is, and not a nano-dollar more', () => {
    given(ledger, funds)
      .when(charge('a', { RAG_QUERY: 100n }, day))
      .then(charged('a', { RAG_QUERY: 100n }, day))
    given(ledger, funds)
      .when(charge('a', { RAG_QUERY: 101n }, day))
      .thenFails(InsufficientFunds, { required: 101n, balance: 100n })
    given(ledger)
      .when(charge('a', upload, day))
      .thenFails(InsufficientFunds, { required: 40n, balance: 0n })
  })

  test('says in dollars what is missing', () => {
    given(ledger, credited('c1', 10_000_000n, day))
      .when(charge('a', { RAG_QUERY: 40_000_000n }, day))
      .thenFails(InsufficientFunds, {
        code: 'INSUFFICIENT_FUNDS',
        details: { required_amount: 0.04, current_balance: 0.01, shortfall: 0.03 },
      })
  })

  test('with a negative line, or a price named twice, is refused', () => {
    given(ledger, funds)
      .when(charge('a', { A: 5n, B: -5n }, day))
      .thenFails(LedgerRefusal, invalid)
    const twice = [
      { price: 'A', amount: 1n },
      { price: 'A', amount: 1n },
    ]
    given(ledger, funds)
      .when({ type: 'Charge', chargeId: 'a', lines: twice, cause: { operation: 'x' }, at: day })
      .thenFails(LedgerRefusal, invalid)
  })

  test('of nothing is open like any other', () => {
    given(ledger)
      .when(charge('a', {}, day))
      .then(charged('a', {}, day))
    given(ledger, charged('a', {}, day))
      .when(settle('a', day))
      .then(settled('a', day))
    given(ledger, charged('a', {}, day))
      .when(refundRest('r', 'a', day))
      .then(refunded('r', 'a', {}, day))
    given(ledger, charged('a', {}, day), refunded('r', 'a', {}, day))
      .when(settle('a', day))
      .thenNothing()
  })
})

test('a charge that ended keeps its amount, and no prices: a refund that is in the log changes the balance alone', () => {
  const ended = [uploadCharged, settled('a', day), charged('b', upload, day), settled('b', day)]
  const { balance, charges } = fold(ledger, [
    funds,
    ...ended,
    refunded('r', 'a', { VECTOR_PROCESSING: 4n }, day),
  ])
  expect(balance).toBe(24n)
  for (const id of ['a', 'b'])
    expect(charges.get(id)).toMatchObject({ amount: 40n, rest: new Map(), open: false })
})

describe('settling', () => {
  test('ends a charge once', () => {
    given(ledger, funds, uploadCharged).when(settle('a', day)).then(settled('a', day))
    given(ledger, funds, uploadCharged, settled('a', day)).when(settle('a', day)).thenNothing()
  })

  test('a charge that was refunded in part is possible, in whole has nothing to end', () => {
    const part = refunded('r', 'a', { VECTOR_PROCESSING: 4n }, day)
    given(ledger, funds, uploadCharged, part).when(settle('a', day)).then(settled('a', day))
    given(ledger, funds, uploadCharged, refunded('r', 'a', upload, day))
      .when(settle('a', day))
      .thenNothing()
  })

  test('what was never charged is refused', () => {
    given(ledger, funds).when(settle('a', day)).thenFails(LedgerRefusal, unknown)
  })
})

describe('a refund', () => {
  const part = { VECTOR_PROCESSING: 4n }

  test('counts once', () => {
    given(ledger, funds, uploadCharged)
      .when(refund('r', 'a', part, day))
      .then(refunded('r', 'a', part, day))
    given(ledger, funds, uploadCharged, refunded('r', 'a', part, day))
      .when(refund('r', 'a', part, day))
      .thenNothing()
    given(ledger, funds, uploadCharged, refunded('r', 'a', upload, day))
      .when(refund('r', 'a', upload, day))
      .thenNothing()
  })

  test('under another id is another one, up to what is left of each price', () => {
    const history = [funds, uploadCharged, refunded('r', 'a', part, day)]
    given(ledger, ...history)
      .when(refund('s', 'a', { VECTOR_PROCESSING: 6n }, day))
      .then(refunded('s', 'a', { VECTOR_PROCESSING: 6n }, day))
    given(ledger, ...history)
      .when(refund('s', 'a', { VECTOR_PROCESSING: 7n }, day))
      .thenFails(LedgerRefusal, exceeds)
    given(ledger, ...history)
      .when(refund('s', 'a', { DOCUMENT_PROCESSING: 1n, VECTOR_PROCESSING: 7n }, day))
      .thenFails(LedgerRefusal, exceeds)
    given(ledger, ...history)
      .when(refund('s', 'a', { RAG_QUERY: 1n }, day))
      .thenFails(LedgerRefusal, exceeds)
  })

  test('of a charge that ended is refused', () => {
    given(ledger, funds, uploadCharged, settled('a', day))
      .when(refund('r', 'a', part, day))
      .thenFails(LedgerRefusal, exceeds)
    given(ledger, funds, uploadCharged, refunded('r', 'a', upload, day))
      .when(refund('s', 'a', part, day))
      .thenFails(LedgerRefusal, exceeds)
  })

  test('of what was never charged is refused', () => {
    given(ledger, funds)
      .when(refund('r', 'a', part, day))
      .thenFails(LedgerRefusal, unknown)
  })

  test('with a negative line, or a price named twice, is refused', () => {
    given(ledger, funds, uploadCharged)
      .when(refund('r', 'a', { DOCUMENT_PROCESSING: 5n, VECTOR_PROCESSING: -5n }, day))
      .thenFails(LedgerRefusal, invalid)
    const twice = [
      { price: 'VECTOR_PROCESSING', amount: 6n },
      { price: 'VECTOR_PROCESSING', amount: 6n },
    ]
    given(ledger, funds, uploadCharged)
      .when({ type: 'Refund', refundId: 'r', chargeId: 'a', lines: twice, reason: 'failed', at: day })
      .thenFails(LedgerRefusal, invalid)
  })

  test('leaves out lines of nothing, and is nothing without any other', () => {
    given(ledger, funds, uploadCharged)
      .when(refund('r', 'a', { ...part, DOCUMENT_PROCESSING: 0n, RAG_QUERY: 0n }, day))
      .then(refunded('r', 'a', part, day))
    given(ledger, funds, uploadCharged)
      .when(refund('r', 'a', { RAG_QUERY: 0n }, day))
      .thenNothing()
    given(ledger, funds, uploadCharged)
      .when(refund('r', 'a', {}, day))
      .thenNothing()
  })
})

describe('refunding the rest', () => {
  test('pays back what is left, by price', () => {
    given(ledger, funds, uploadCharged)
      .when(refundRest('r', 'a', day))
      .then(refunded('r', 'a', upload, day))
    given(ledger, funds, uploadCharged, refunded('r', 'a', { DOCUMENT_PROCESSING: 30n }, day))
      .when(refundRest('s', 'a', day))
      .then(refunded('s', 'a', { VECTOR_PROCESSING: 10n }, day))
  })

  test('finds nothing left of a charge that ended, or was never made', () => {
    given(ledger, funds)
      .when(refundRest('r', 'a', day))
      .thenNothing()
    given(ledger, funds, uploadCharged, settled('a', day))
      .when(refundRest('r', 'a', day))
      .thenNothing()
    given(ledger, funds, uploadCharged, refunded('r', 'a', upload, day))
      .when(refundRest('r', 'a', day))
      .thenNothing()
    given(ledger, funds, uploadCharged, refunded('r', 'a', upload, day))
      .when(refundRest('s', 'a', day))
      .thenNothing()
  })

  test('under the id of a refund that was made does nothing', () => {
    given(ledger, funds, uploadCharged, refunded('r', 'a', { VECTOR_PROCESSING: 1n }, day))
      .when(refundRest('r', 'a', day))
      .thenNothing()
  })
})

describe('closing the books', () => {
  const left = { VECTOR_PROCESSING: 6n }
  const march = [
    funds,
    charged('settled', { RAG_QUERY: 20n }, day),
    settled('settled', day),
    charged('a', { VECTOR_PROCESSING: 10n }, day),
    refunded('r', 'a', { VECTOR_PROCESSING: 4n }, day),
  ]
  const closed = (month: string): Extract<LedgerEvent, { type: 'BooksClosed' }> => ({
    type: 'BooksClosed',
    month,
    balance: 74n,
    totals: { credited: 100n, charged: 30n, refunded: 4n },
    openCharges: [
      { chargeId: 'a', amount: 10n, rest: [{ price: 'VECTOR_PROCESSING', amount: 6n }], refundIds: ['r'] },
    ],
  })

  test('happens with the first entry of a later month, before it', () => {
    given(ledger, ...march)
      .when(settle('a', on('04-01')))
      .then(closed('2026-04'), settled('a', on('04-01')))
    given(ledger, ...march)
      .when(refundRest('s', 'a', on('07-09')))
      .then(closed('2026-07'), refunded('s', 'a', left, on('07-09')))
  })

  test('happens once a month', () => {
    given(ledger, ...march, closed('2026-04'))
      .when(settle('a', on('04-30')))
      .then(settled('a', on('04-30')))
  })

  test('does not happen before the first entry, for a repeated or a refused command', () => {
    given(ledger)
      .when(credit('c1', 1n, on('04-01')))
      .then(credited('c1', 1n, on('04-01')))
    given(ledger, ...march)
      .when(settle('settled', on('04-01')))
      .thenNothing()
    given(ledger, ...march)
      .when(charge('b', { RAG_QUERY: 75n }, on('04-01')))
      .thenFails(InsufficientFunds)
  })

  test('does not happen for a clock that runs behind', () => {
    given(ledger, ...march, closed('2026-04'))
      .when(settle('a', on('03-31')))
      .then(settled('a', on('03-31')))
  })

  test('keeps what ended this month or the last in mind, and forgets what ended before', () => {
    const april = [...march, closed('2026-04'), credited('c2', 1n, on('04-01'))]
    given(ledger, ...april)
      .when(credit('c1', 100n, on('04-02')))
      .thenNothing()
    given(ledger, ...april)
      .when(settle('settled', on('04-02')))
      .thenNothing()
    const may: LedgerEvent[] = [...april, { ...closed('2026-05'), balance: 75n }]
    const state = fold(ledger, may)
    expect([...state.charges.keys()]).toStrictEqual(['a'])
    expect([...state.credits.keys()]).toStrictEqual(['c2'])
    expect([...state.refunds.keys()]).toStrictEqual(['r'])
    const june = fold(ledger, [...may, settled('a', on('05-02')), { ...closed('2026-06'), openCharges: [] }])
    expect([...june.charges.keys()]).toStrictEqual(['a'])
    const july = fold(ledger, [{ ...closed('2026-07'), openCharges: [] }], june)
    expect([...july.charges.keys(), ...july.refunds.keys()]).toStrictEqual([])
  })

  test('carries over what was refunded of an open charge, however many months it stays open', () => {
    const books = ['2026-04', '2026-05', '2026-06'].map(closed)
    for (const past of [[...march, ...books], books, books.slice(-2), books.slice(-1)])
      given(ledger, ...past)
        .when(refund('r', 'a', { VECTOR_PROCESSING: 4n }, on('06-02')))
        .thenNothing()
  })

  test('after books that do not say what was refunded does not say so either', () => {
    const open = { chargeId: 'a', amount: 10n, rest: [{ price: 'VECTOR_PROCESSING', amount: 6n }] }
    const silent = { ...closed('2026-04'), openCharges: [open] }
    given(ledger, silent)
      .when(settle('a', on('05-02')))
      .then({ ...silent, month: '2026-05' }, settled('a', on('05-02')))
  })

  test('gives a fold its start: an open charge can be refunded, price by price', () => {
    given(ledger, closed('2026-04'))
      .when(refundRest('s', 'a', on('04-02')))
      .then(refunded('s', 'a', left, on('04-02')))
    given(ledger, closed('2026-04'))
      .when(refund('s', 'a', { VECTOR_PROCESSING: 7n }, on('04-02')))
      .thenFails(LedgerRefusal, exceeds)
    given(ledger, closed('2026-04'), refunded('s', 'a', { ...left, DOCUMENT_PROCESSING: 0n }, on('04-02')))
      .when(settle('a', on('04-02')))
      .thenNothing()
    given(ledger, closed('2026-04'))
      .when(charge('a', left, on('04-02')))
      .thenNothing()
    given(ledger, closed('2026-04'))
      .when(charge('b', { RAG_QUERY: 75n }, on('04-02')))
      .thenFails(InsufficientFunds, { balance: 74n })
  })
})

describe('closing the ledger', () => {
  const close = (day: string): LedgerCommand => ({ type: 'CloseLedger', at: on(day) })

  test('waits for open charges, and happens once', () => {
    const history = [credited('c', 100n, on('03-01')), charged('a', { RAG_QUERY: 10n }, on('03-02'))]
    const ended = { type: 'LedgerClosed', balance: 90n, at: on('03-03') } as const
    given(ledger, ...history)
      .when(close('03-03'))
      .thenNothing()
    const settled = { type: 'ChargeSettled', chargeId: 'a', at: on('03-02') } as const
    given(ledger, ...history, charged('b', { RAG_QUERY: 0n }, on('03-02')), settled)
      .when(close('03-03'))
      .thenNothing()
    given(ledger, ...history, settled)
      .when(close('03-03'))
      .then(ended)
    given(ledger, ...history, settled, ended)
      .when(close('03-03'))
      .thenNothing()
  })

  test('refuses what comes later, and answers repeats of what came before', () => {
    const history: LedgerEvent[] = [
      credited('c', 100n, on('03-01')),
      { type: 'LedgerClosed', balance: 100n, at: on('03-03') },
    ]
    given(ledger, ...history)
      .when(charge('b', { RAG_QUERY: 1n }, on('03-04')))
      .thenFails(AccountIsClosed, { code: 'ACCOUNT_CLOSED' })
    given(ledger, ...history)
      .when(credit('d', 1n, on('03-04')))
      .thenFails(AccountIsClosed, { code: 'ACCOUNT_CLOSED' })
    given(ledger, ...history)
      .when(credit('c', 100n, on('03-04')))
      .thenNothing()
  })
})
