import type { LedgerEntry, LedgerQuery, LedgerReport, ReplayedLedger, Statement } from '@medialog/application'
import { InvalidInput, monthRange } from '@medialog/application'
import { usd } from '@medialog/kernel'
import { ACCOUNT, BATCH, NOW } from './fixtures.ts'

const JOB = '00000000-0000-7000-8000-000000000001'
const LINES = [{ price: 'DOCUMENT_PROCESSING', amount: usd('0.03') }]

/** A credit, and a charge of a batch whose file's name is what somebody hostile would choose. */
export const ledgerEntries = (): LedgerEntry[] => [
  {
    kind: 'credit',
    id: 'opening',
    chargeId: null,
    at: NOW,
    amount: usd('12345678.123456789'),
    balance: usd('12345678.123456789'),
    lines: [],
    cause: null,
    reference: '=HYPERLINK("https://evil.example","invoice")',
    ...about(0, 'operator'),
  },
  {
    kind: 'refund',
    id: `refund-${JOB}`,
    chargeId: BATCH,
    at: NOW + 1000,
    amount: usd('0.03'),
    balance: usd('12345678.153456789'),
    lines: LINES,
    cause: { operation: 'batch', batchId: BATCH, requestId: BATCH },
    reference: 'corrupted',
    ...about(3, 'keyall00'),
    jobId: JOB,
    filename: '-1+1 <b>"x"</b>\r\n,.txt',
    files: 1,
    correlationId: '@sum',
  },
]

const about = (revision: number, actor: string) => ({
  revision,
  position: revision * 100 + 7,
  eventId: `event-${revision}`,
  hash: String(revision).repeat(64),
  actor,
  correlationId: null,
  jobId: null,
  filename: null,
  files: null,
})

export const ledgerReport = (): LedgerReport => ({
  accountId: ACCOUNT,
  revision: 3,
  hash: 'ef'.repeat(32),
  postings: 2,
  shown: 2,
  opening: 0n,
  closing: usd('12345678.153456789'),
  totals: { credited: usd('12345678.123456789'), charged: 0n, refunded: usd('0.03') },
  costs: new Map([['DOCUMENT_PROCESSING', -usd('0.03')]]),
  books: [
    {
      into: '2026-11',
      balance: 0n,
      totals: { credited: 0n, charged: 0n, refunded: 0n },
      revision: 1,
      position: 50,
    },
  ],
  isOver: false,
  isClosed: false,
  openCharges: {
    count: 1,
    rest: usd('0.01'),
    first: [
      {
        chargeId: BATCH,
        cause: { operation: 'batch', batchId: BATCH },
        at: NOW,
        amount: usd('0.04'),
        rest: new Map([['VECTOR_PROCESSING', usd('0.01')]]),
      },
    ],
  },
  proof: [
    {
      name: 'postings',
      statement: 'The read model has the same postings.',
      holds: false,
      trouble: null,
      checked: 2,
      faultCount: 1,
      faults: [{ revision: 3, position: 307, subject: 'refund-1', reason: 'it is <not> there' }],
    },
    {
      name: 'costs',
      statement: 'And the same costs.',
      holds: null,
      trouble: 'It is away.',
      checked: 0,
      faultCount: 0,
      faults: [],
    },
  ],
  holds: false,
})

/** Pages of one posting each; `asked` hears what was asked for. */
export async function* fakeLedger(query: LedgerQuery, asked: LedgerQuery[]): ReplayedLedger {
  asked.push(query)
  const { offset = 0, limit = Infinity } = query.window ?? {}
  for (const entry of ledgerEntries().slice(offset, offset + limit)) yield [entry]
  return ledgerReport()
}

export function fakeStatement(month = '2026-11'): Statement {
  if (month > '2026-11') throw new InvalidInput('VALIDATION_ERROR', `month ${month} has not begun`)
  return {
    accountId: ACCOUNT,
    name: 'Acme <Ltd> & Co',
    month,
    ...monthRange(month),
    madeAt: NOW,
    final: month < '2026-11',
    report: ledgerReport(),
    checkpoint: 'medialog/a\n12\nroot=\n\n— medialog/a signature\n',
    postings: () => fakeLedger({ from: 0, until: NOW }, []),
  }
}
