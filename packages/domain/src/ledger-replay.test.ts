import { fold } from '@medialog/kernel'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { LedgerReplay, type LedgerFault, type Replayed } from './ledger-replay.ts'
import { ledger, type LedgerEvent } from './ledger.ts'
import { CAUSE, charged, credited, lines, on, refunded, settled } from './testing/ledger-entries.ts'
import { commands, logOf } from './testing/ledger-histories.ts'

function replay(events: readonly LedgerEvent[]): {
  replay: LedgerReplay
  steps: Replayed[]
  faults: LedgerFault[]
} {
  const replayed = new LedgerReplay()
  const steps = events.map((event) => replayed.apply(event))
  return { replay: replayed, steps, faults: steps.flatMap((step) => step.faults) }
}

const PAID = { DOCUMENT_PROCESSING: 3n, VECTOR_PROCESSING: 1n }
const OPEN = { chargeId: 'a', amount: 4n, rest: lines({ DOCUMENT_PROCESSING: 3n }) }
const BOOKS: LedgerEvent = {
  type: 'BooksClosed',
  month: '2026-04',
  balance: 7n,
  totals: { credited: 10n, charged: 4n, refunded: 1n },
  openCharges: [{ ...OPEN, refundIds: ['r'] }],
}
const BEFORE = [
  credited('c', 10n, on('03-01')),
  charged('a', PAID, on('03-02')),
  refunded('r', 'a', { VECTOR_PROCESSING: 1n }, on('03-03')),
]

test('each posting has its running balance, a refund the cause of its charge', () => {
  const { replay: replayed, steps, faults } = replay([...BEFORE, settled('a', on('03-04'))])
  expect(faults).toEqual([])
  expect(steps.map(({ posting }) => posting)).toEqual([
    {
      kind: 'credit',
      id: 'c',
      chargeId: null,
      at: on('03-01'),
      amount: 10n,
      balance: 10n,
      lines: [],
      cause: null,
      reference: null,
    },
    {
      kind: 'charge',
      id: 'a',
      chargeId: null,
      at: on('03-02'),
      amount: -4n,
      balance: 6n,
      lines: lines(PAID),
      cause: CAUSE,
      reference: null,
    },
    {
      kind: 'refund',
      id: 'r',
      chargeId: 'a',
      at: on('03-03'),
      amount: 1n,
      balance: 7n,
      lines: lines({ VECTOR_PROCESSING: 1n }),
      cause: CAUSE,
      reference: 'failed',
    },
    null,
  ])
  expect(steps.at(-1)!.ended).toMatchObject({ chargeId: 'a', rest: new Map([['DOCUMENT_PROCESSING', 3n]]) })
  expect([...replayed.openCharges]).toEqual([])
})

test('a charge that was wholly refunded has ended with that', () => {
  const { steps } = replay([...BEFORE, refunded('s', 'a', { DOCUMENT_PROCESSING: 3n }, on('03-04'))])
  expect(steps.at(-1)!.ended).toMatchObject({ chargeId: 'a', rest: new Map() })
})

test('a clock that runs back does not turn the order of postings', () => {
  const { steps } = replay([credited('c', 1n, on('03-02')), credited('d', 1n, on('03-01'))])
  expect(steps.map(({ posting }) => posting!.at)).toEqual([on('03-02'), on('03-02')])
})

const LATER = charged('b', { RAG_QUERY: 1n }, on('04-01'))

test.each<[string, LedgerEvent[], LedgerFault[]]>([
  [
    'a charge whose lines are not its amount',
    [credited('c', 10n, on('03-01')), { ...charged('a', PAID, on('03-01')), amount: 5n } as LedgerEvent],
    [{ rule: 'sums', reason: 'its lines add up to 0.000000004, not to 0.000000005 USD' }],
  ],
  [
    'a negative line',
    [credited('c', 10n, on('03-01')), charged('a', { RAG_QUERY: -1n }, on('03-01'))],
    [{ rule: 'sums', reason: 'it has a negative line' }],
  ],
  [
    'a balance below zero',
    [charged('a', PAID, on('03-01'))],
    [{ rule: 'sums', reason: 'it takes the balance to -0.000000004 USD' }],
  ],
  [
    'a balance below zero, once for each posting that lowers it',
    [charged('a', PAID, on('03-01')), credited('c', 1n, on('03-01')), refunded('r', 'a', PAID, on('03-01'))],
    [{ rule: 'sums', reason: 'it takes the balance to -0.000000004 USD' }],
  ],
  [
    'a charge of nothing below zero',
    [charged('a', PAID, on('03-01')), charged('b', {}, on('03-01'))],
    [{ rule: 'sums', reason: 'it takes the balance to -0.000000004 USD' }],
  ],
  ['all that there is', [credited('c', 4n, on('03-01')), charged('a', PAID, on('03-01'))], []],
  [
    'another balance at the end',
    [credited('c', 10n, on('03-01')), { type: 'LedgerClosed', balance: 9n, at: on('03-02') }],
    [
      {
        rule: 'sums',
        reason: 'it closes with 0.000000009 USD, the events add up to 0.00000001',
      },
    ],
  ],
  [
    'the balance at the end',
    [credited('c', 10n, on('03-01')), { type: 'LedgerClosed', balance: 10n, at: on('03-02') }],
    [],
  ],
  ['a credit of nothing', [credited('c', 0n, on('03-01'))], [{ rule: 'sums', reason: 'it credits nothing' }]],
  [
    'a refund without a charge',
    [refunded('r', 'a', { RAG_QUERY: 1n }, on('03-01'))],
    [{ rule: 'refunds', reason: 'its charge a is not open' }],
  ],
  [
    'a refund of what is settled',
    [...BEFORE, settled('a', on('03-04')), refunded('s', 'a', { DOCUMENT_PROCESSING: 3n }, on('03-05'))],
    [{ rule: 'refunds', reason: 'its charge a is not open' }],
  ],
  [
    'a refund of more than is left of a price',
    [...BEFORE, refunded('s', 'a', { VECTOR_PROCESSING: 1n }, on('03-04'))],
    [
      {
        rule: 'refunds',
        reason: 'it pays 0.000000001 USD of VECTOR_PROCESSING back, of which 0 is left',
      },
    ],
  ],
  [
    'two refunds under one id',
    [...BEFORE, refunded('r', 'a', { DOCUMENT_PROCESSING: 1n }, on('03-04'))],
    [{ rule: 'refunds', reason: 'its charge was refunded under its id before' }],
  ],
  [
    'a charge made twice',
    [...BEFORE, charged('a', PAID, on('03-04'))],
    [{ rule: 'refunds', reason: 'a charge with its id is open already' }],
  ],
  [
    'a settlement of nothing',
    [...BEFORE, settled('z', on('03-04'))],
    [{ rule: 'refunds', reason: 'it settles a charge that is not open' }],
  ],
  ['books that carry over what there is', [...BEFORE, BOOKS, LATER], []],
  [
    'books with another balance',
    [...BEFORE, { ...BOOKS, balance: 8n }, LATER],
    [
      {
        rule: 'books',
        reason: 'it carries over a balance of 0.000000008, the events add up to 0.000000007',
      },
    ],
  ],
  [
    'books with another total',
    [...BEFORE, { ...BOOKS, totals: { credited: 10n, charged: 5n, refunded: 1n } }, LATER],
    [
      {
        rule: 'books',
        reason: 'it carries over charged in all of 0.000000005, the events add up to 0.000000004',
      },
    ],
  ],
  [
    'books without an open charge',
    [...BEFORE, { ...BOOKS, openCharges: [] }, LATER],
    [
      {
        rule: 'books',
        reason:
          'it carries over the open charges none, the events add up to a of 0.000000004 (DOCUMENT_PROCESSING 0.000000003), refunded by r',
      },
    ],
  ],
  [
    'books without a refund of an open charge',
    [...BEFORE, { ...BOOKS, openCharges: [{ ...OPEN, refundIds: [] }] }, LATER],
    [
      {
        rule: 'books',
        reason:
          'it carries over the open charges a of 0.000000004 (DOCUMENT_PROCESSING 0.000000003), the events add up to a of 0.000000004 (DOCUMENT_PROCESSING 0.000000003), refunded by r',
      },
    ],
  ],
  ['books of the first release, which do not say', [...BEFORE, { ...BOOKS, openCharges: [OPEN] }, LATER], []],
  [
    'books that name open charges in another order',
    [
      ...BEFORE,
      charged('b', { RAG_QUERY: 1n }, on('03-05')),
      {
        ...BOOKS,
        balance: 6n,
        totals: { credited: 10n, charged: 5n, refunded: 1n },
        openCharges: [
          { chargeId: 'b', amount: 1n, rest: [{ price: 'RAG_QUERY', amount: 1n }], refundIds: [] },
          { ...OPEN, refundIds: ['r'] },
        ],
      },
    ],
    [],
  ],
  [
    'books of the month that is open',
    [...BEFORE, { ...BOOKS, month: '2026-03' }],
    [{ rule: 'books', reason: 'it opens 2026-03 after 2026-03' }],
  ],
  [
    'a month that begins without books',
    [...BEFORE, LATER],
    [{ rule: 'books', reason: 'it is of 2026-04, and the books of 2026-03 were not closed' }],
  ],
])('%s', (_name, events, faults) => {
  expect(replay(events).faults).toEqual(faults)
})

test('whatever the decider lets happen keeps every rule, and comes to what the decider has', () => {
  fc.assert(
    fc.property(commands, (steps) => {
      const log = logOf(steps)
      // The decider knows ids for two months, the replay for as long as a charge is open; the service gives none twice.
      const refunds = log.flatMap((event) => (event.type === 'BalanceRefunded' ? [event.refundId] : []))
      fc.pre(new Set(refunds).size === refunds.length)
      const { replay: replayed, faults } = replay(log)
      const state = fold(ledger, log)
      expect(faults).toEqual([])
      expect([replayed.balance, replayed.totals]).toEqual([state.balance, state.totals])
      expect([...replayed.openCharges].map(({ chargeId }) => chargeId).sort()).toEqual(
        [...state.charges].flatMap(([id, { open }]) => (open ? [id] : [])).sort(),
      )
    }),
    { numRuns: 200 },
  )
})

test('a copy goes its own way', () => {
  const all = [...BEFORE, refunded('s', 'a', { DOCUMENT_PROCESSING: 1n }, on('03-04')), LATER, BOOKS]
  for (let at = 0; at <= BEFORE.length; at++) {
    const { replay: original } = replay(all.slice(0, at))
    const copy = original.clone()
    const end = (of: LedgerReplay) => ({
      steps: all.slice(at).map((event) => of.apply(event)),
      left: [of.balance, of.totals, of.at, ...of.openCharges],
    })
    expect(end(copy)).toEqual(end(original))
  }
})

test('keeps nothing that has ended', () => {
  const replayed = new LedgerReplay()
  replayed.apply(credited('c', 1_000_000n, on('03-01')))
  for (let n = 0; n < 1_000; n++) {
    replayed.apply(charged(`${n}`, PAID, on('03-02')))
    replayed.apply(settled(`${n}`, on('03-02')))
  }
  expect([...replayed.openCharges]).toEqual([])
  expect(replayed.balance).toBe(996_000n)
})
