import { encodeEvent } from '@medialog/contract'
import type { BatchJob, DomainEvent, LedgerEvent } from '@medialog/domain'
import { formatUsd, usd, type RecordedEvent, type StreamName } from '@medialog/kernel'
import { expect, test } from 'vitest'
import type { EventStore, History } from '../ports/index.ts'
import { Charges } from './charges.ts'
import { entryOf } from './entry.ts'

const ANN = '00000000-0000-4000-8000-00000000000a'
const BATCH = '00000000-0000-7000-8000-00000000ba7c'
const AT = Date.parse('2026-11-20T10:00:00Z')
const media = (n: number): string => `00000000-0000-5000-8000-00000000000${n}`
const job = (n: number, mediaId: string, duplicate = false): BatchJob => ({
  jobId: `00000000-0000-7000-8001-00000000000${n}`,
  mediaId,
  stagedId: `00000000-0000-7000-8002-00000000000${n}`,
  filename: `${n}.txt`,
  mediaType: 'document',
  sizeBytes: 1,
  sha256: 'a'.repeat(64),
  duplicate,
})
/** The same file twice, another one, and one that was there already. */
const JOBS = [job(1, media(1)), job(2, media(1)), job(3, media(2)), job(4, media(3), true)]
const lines = (files: bigint) => [
  { price: 'DOCUMENT_PROCESSING', amount: usd('0.03') * files },
  { price: 'VECTOR_PROCESSING', amount: usd('0.01') * files },
]

const recorded = (stream: StreamName, position: number, event: DomainEvent): RecordedEvent => ({
  id: `event-${position}`,
  ...encodeEvent(event),
  stream,
  revision: 0,
  position,
  prev: '',
  hash: '',
  metadata: { timestamp: new Date(AT).toISOString(), actor: 'system', accountId: ANN },
})

const intent = { accountId: ANN, batchId: BATCH, name: null, collection: null, overwrite: false, at: AT }
const submitted = recorded(`batch-${BATCH}`, 1, {
  type: 'BatchSubmitted',
  ...intent,
  price: lines(1n),
  jobs: JOBS,
})
const charged: LedgerEvent & { type: 'BalanceCharged' } = {
  type: 'BalanceCharged',
  chargeId: BATCH,
  amount: usd('0.12'),
  lines: lines(3n),
  cause: { operation: 'batch', requestId: BATCH, batchId: BATCH },
  at: AT,
}
const charge = recorded(`ledger-${ANN}`, 2, charged)
const refunded = (refundId: string, files: bigint): LedgerEvent & { type: 'BalanceRefunded' } => ({
  type: 'BalanceRefunded',
  refundId,
  chargeId: BATCH,
  amount: usd('0.04') * files,
  lines: lines(files),
  reason: 'failed',
  at: AT,
})

const log = [submitted, charge]
const eventStore = {
  async *read(stream: StreamName) {
    yield* log.filter((event) => event.stream === stream)
  },
  eventAt: async (position: number) => log.find((event) => event.position === position) ?? null,
} as Partial<EventStore> as EventStore
const history = {
  ofRequest: async (account: string, id: string) =>
    account === ANN && id === BATCH ? { positions: [1, 2], total: 2 } : { positions: [], total: 0 },
} as Partial<History> as History

test.each([
  ['the charge', charged, { 1: -0.08, 2: -0.04, 3: 0 }],
  ['a refund of all of it', refunded(`refund-${BATCH}`, 3n), { 1: 0.08, 2: 0.04, 3: 0 }],
  ['a refund of one file', refunded(`refund-${JOBS[2]!.jobId}`, 1n), { 2: 0.04 }],
] as const)('%s of a batch is shared by the files that it is for', async (_, event, shares) => {
  const charges = new Charges({ history, eventStore }, ANN)
  const entry = await charges.explain(event, entryOf(recorded(`ledger-${ANN}`, 3, event), event))
  for (const [n, share] of Object.entries(shares)) {
    const { amount } = await charges.share(event, entry, media(Number(n)))
    expect(Number(formatUsd(amount)), n).toBe(share)
  }
})

test('a refund names the batch and the item of its charge', async () => {
  const charges = new Charges({ history, eventStore }, ANN)
  const event = refunded(`refund-${JOBS[2]!.jobId}`, 1n)
  const entry = entryOf(recorded(`ledger-${ANN}`, 3, event), event)
  expect(await charges.explain(event, entry)).toMatchObject({
    operation: 'batch',
    requestId: BATCH,
    batchId: BATCH,
    jobId: JOBS[2]!.jobId,
    mediaIds: [media(2)],
  })
  const unknown = { ...event, chargeId: 'opening' }
  expect(await charges.explain(unknown, entry)).toEqual(entry)
})
