import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSqliteEventStore } from '@medialog/event-store'
import { systemClock, type Uuid } from '@medialog/kernel'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { newId } from '../core/ids.ts'
import { SYSTEM } from '../event-sourcing/executing.ts'
import { createStreams, type CommandOf, type Streams } from '../event-sourcing/streams.ts'
import { recordOf, SHA256 } from '../ingest/testing/record.ts'
import { hasUnsettledIngest } from './unsettled.ts'

const [accountId, mediaId] = [newId(), newId()]
const PRICE = [{ price: 'DOCUMENT_PROCESSING', amount: 3n }]
let folder: string
let eventStore: Awaited<ReturnType<typeof openSqliteEventStore>>
let streams: Streams
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'medialog-unsettled-'))
  eventStore = await openSqliteEventStore({ path: join(folder, 'events.sqlite') })
  streams = createStreams(eventStore, systemClock)
  await post({ type: 'Credit', creditId: 'c', amount: 10n, reference: null, at: 1 })
})
afterEach(async () => {
  await eventStore.close()
  await rm(folder, { recursive: true })
})

const post = (command: CommandOf<'ledger'>) => streams.execute('ledger', accountId, command, SYSTEM)
const charge = (chargeId: string) =>
  post({ type: 'Charge', chargeId, lines: PRICE, cause: { operation: 'upload' }, at: 1 })
/** Claimed and recorded; answers the revision of its record. */
async function ingest(jobId: Uuid, batchId: Uuid | null = null): Promise<number> {
  const ids = { accountId, ingestId: jobId, jobId, batchId, sha256: SHA256 }
  const claim = { type: 'ClaimIngest', ...ids, overwrite: true, dead: null, at: 1 } as const
  await streams.execute('media', mediaId, claim, SYSTEM)
  const place = { collection: 'default', generation: 0 }
  const command = { type: 'RecordIngest', place, keepPlace: false, record: recordOf(jobId) } as const
  return (await streams.execute('media', mediaId, command, SYSTEM)).revision
}
const isUnsettled = (revision: number) =>
  hasUnsettledIngest({ eventStore, streams }, { accountId, mediaId, revision })

test('an upload is unsettled while its charge is open, also after it was replaced', async () => {
  const [first, second] = [newId(), newId()]
  await charge(first)
  await ingest(first)
  await charge(second)
  const revision = await ingest(second)
  await post({ type: 'Settle', chargeId: second, at: 2 })
  expect(await isUnsettled(revision)).toBe(true)
  await post({ type: 'Settle', chargeId: first, at: 2 })
  expect(await isUnsettled(revision)).toBe(false)
})

test('a claim that came after is not looked at', async () => {
  const [first, second] = [newId(), newId()]
  await charge(first)
  const revision = await ingest(first)
  await post({ type: 'Settle', chargeId: first, at: 2 })
  await charge(second)
  await ingest(second)
  expect(await isUnsettled(revision + 1)).toBe(false)
})

test('a job of a batch is unsettled until the batch knows how it ended', async () => {
  const [batchId, jobId] = [newId(), newId()]
  const job = { jobId, mediaId, stagedId: newId(), filename: 'a.txt', mediaType: 'document' } as const
  const intent = { accountId, batchId, name: null, collection: null, overwrite: false, price: PRICE, at: 1 }
  const jobs = [{ ...job, sizeBytes: 1, sha256: SHA256, duplicate: false }]
  await streams.execute('batch', batchId, { type: 'SubmitBatch', ...intent, jobs }, SYSTEM)
  await streams.execute('batch', batchId, { type: 'CreateBatch', at: 1 }, SYSTEM)
  await charge(batchId)
  const revision = await ingest(jobId, batchId)
  expect(await isUnsettled(revision)).toBe(true)
  const outcome = { status: 'succeeded', mediaId, tookMs: 1 } as const
  await streams.execute('batch', batchId, { type: 'FinishJob', jobId, outcome, at: 2 }, SYSTEM)
  expect(await isUnsettled(revision)).toBe(false)
})
