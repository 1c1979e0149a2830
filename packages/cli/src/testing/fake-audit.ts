import type { LedgerReport, Posting } from '../client/answers.ts'
import { ok, TIME, type Reply, type Routes } from './wire.ts'

const POSTING: Posting = {
  revision: 1,
  event_id: 'e',
  hash: 'h',
  at: TIME,
  kind: 'charge',
  id: 'c',
  amount: -0.08,
  balance: 9.92,
  lines: [],
  cause: { operation: 'batch', batch_id: 'batch_1', filename: 'whales\u001b[31m.txt', actor: 'testtest' },
}

export const POSTINGS: Posting[] = [
  {
    ...POSTING,
    revision: 0,
    kind: 'credit',
    id: 'opening-credit',
    amount: 10,
    balance: 10,
    cause: { actor: 'operator', reference: 'opening' },
  },
  POSTING,
  {
    ...POSTING,
    revision: 2,
    kind: 'refund',
    id: 'r',
    amount: 0.04,
    balance: 9.96,
    cause: { ...POSTING.cause, filename: undefined, files: 2, reference: 'cancelled' },
  },
]

/** `broken`: a line of the proof does not hold, and another could not be looked at. */
export const reportOf = (broken: boolean): LedgerReport => ({
  account_id: 'a0000000-0000-4000-8000-000000000001',
  range: { from: null, until: null },
  opening_balance: 0,
  closing_balance: 9.96,
  totals: { credited: 10, charged: 0.08, refunded: 0.04 },
  costs: { DOCUMENT_PROCESSING: 0.04 },
  books: [],
  open_charges: {
    count: 1,
    amount: 0.04,
    first: [{ charge_id: 'open-charge', at: TIME, operation: 'upload', amount: 0.04, left: 0.04 }],
  },
  proof: {
    holds: !broken,
    lines: [
      {
        name: 'postings',
        statement: 'The read model has the same postings.',
        holds: !broken,
        checked: 1234,
        fault_count: broken ? 3 : 0,
        faults: broken ? [{ revision: 1, subject: 'c', reason: 'the read model has -0.07 USD' }] : [],
      },
      {
        name: 'costs',
        statement: 'And the same costs.',
        holds: broken ? null : true,
        ...(broken && { trouble: 'It is away.' }),
        checked: 0,
        fault_count: 0,
        faults: [],
      },
    ],
  },
})

const lines = (all: object[]): string => all.map((line) => `${JSON.stringify(line)}\n`).join('')

function ledger(month: string | null): Reply {
  const postings = POSTINGS.map((posting) => ({ posting }))
  const report = { report: reportOf(month === '2026-10') }
  const body = lines(month === '2026-09' ? postings : [...postings, report])
  return { status: 200, headers: { 'content-type': 'application/x-ndjson' }, body }
}

/** Of an account, its own and the operator's. October is broken, September breaks off. */
export const auditRoutes: Routes = [
  ['GET', /^\/(?:v1\/audit|admin\/accounts\/[^/]+)\/ledger$/, ({ query }) => ledger(query.get('month'))],
  [
    'GET',
    /^\/(?:v1\/audit|admin\/accounts\/[^/]+)\/statement$/,
    ({ query }) =>
      query.get('format') === 'json'
        ? ok({ month: query.get('month') ?? 'now', closing_balance: '9.96' })
        : { status: 200, headers: { 'content-type': 'text/plain' }, body: `a,b\r\n"1\n",2\r\n` },
  ],
  [
    'GET',
    /^\/v1\/usage\/diff$/,
    () =>
      ok({
        from: { at: TIME, balance: 10, usage_costs: {} },
        to: { at: TIME, balance: 9.96, tier: 'standard', usage_costs: { MEDIA_ANALYSIS: 0.04 } },
        difference: { balance: -0.04, usage_costs: { MEDIA_ANALYSIS: 0.04 } },
      }),
  ],
]

const REPRICED = { charged: 0.06, repriced: 0.04, difference: -0.02 }

/** What `audit-reprice` comes to. */
export const REPRICING = {
  accounts: ['dev', 'Research'].map((name) => ({
    account_id: name,
    name,
    charges: 3,
    unexplained: { charges: name === 'dev' ? 1 : 0, amount: 0 },
    operations: { DOCUMENT_PROCESSING: REPRICED },
    ...REPRICED,
  })),
  operations: { DOCUMENT_PROCESSING: { charged: 0.12, repriced: 0.08, difference: -0.04 } },
  charged: 0.12,
  repriced: 0.08,
  difference: -0.04,
}
