import {
  batchAnswer,
  EngineUnavailable,
  SYSTEM,
  type RecoveryReport,
  type UnfinishedWork,
} from '@medialog/application'
import type { Cause } from '@medialog/domain'
import type { Uuid } from '@medialog/kernel'
import type { BatchSteps } from './batch-steps.ts'
import { endJob } from './end-job.ts'
import type { RecoveryPorts } from './ports.ts'
import type { JobRef } from './refs.ts'
import type { Steps } from './steps.ts'

const REASON = 'the service stopped before it was done'
const CATCH_UP_MS = 600_000

/**
 * Takes up what a crash left, before any request is served: every unfinished upload ends by what its item's stream says,
 * charges of requests that died are refunded (settled where the answer was kept already), their Idempotency-Keys are free
 * again, staged files go. Batches that were created are to go on; what they need stays staged.
 */
export async function recover(
  ports: RecoveryPorts,
  steps: Steps,
  batchSteps: BatchSteps,
  batchJobsAtOnce: number,
): Promise<{ report: RecoveryReport; batchIds: Uuid[] }> {
  const { work, projections, eventStore, staging, streams, clock } = ports
  // All of them: one that is being made anew must not be taken for an empty one.
  if (!(await projections.reached(await eventStore.head(), { timeoutMs: CATCH_UP_MS })))
    throw new EngineUnavailable('projections', 'The read models did not catch up with the log.')
  const report: RecoveryReport = { settled: 0, refunded: 0, resumed: 0, abandoned: 0 }
  const requests = new Map((await work.requests()).map((request) => [request.requestId, request]))

  for (const [jobId, { accountId, mediaId }] of await unfinishedUploads(ports)) {
    // A single upload's job has the id of its request.
    const requestStream = requests.get(jobId)?.stream.slice('request-'.length) ?? null
    const job: JobRef = {
      accountId,
      mediaId,
      jobId,
      ingestId: jobId,
      batchId: null,
      requestStream,
      origin: { ...SYSTEM, accountId, requestId: jobId },
    }
    report[await endJob(steps, job, REASON)]++
  }
  for (const { accountId, chargeId, cause } of await work.charges()) {
    if (cause.jobId || cause.batchId) continue
    const answered = await wasAnswered(ports, cause)
    const at = clock.now()
    const { events } = await streams.execute(
      'ledger',
      accountId,
      answered
        ? { type: 'Settle', chargeId, at }
        : { type: 'RefundRest', refundId: `refund-${chargeId}`, chargeId, reason: REASON, at },
      { ...SYSTEM, accountId },
    )
    report[answered ? 'settled' : 'refunded'] += events.length
  }
  const batchIds: Uuid[] = []
  const needed = new Set<Uuid>()
  for (const batchId of await unfinishedBatches(ports)) {
    if ((await batchSteps.abandon(batchId, [], REASON)) === 'abandoned') {
      report.refunded++
      continue
    }
    batchIds.push(batchId)
    report.resumed++
    for (const stagedId of await filesToRead(ports, batchSteps, batchId)) needed.add(stagedId)
    const request = requests.get(batchId)
    if (request) await completeCreation(ports, batchSteps, request, batchJobsAtOnce)
  }
  for (const { stream, accountId, requestId } of requests.values()) {
    const command = { type: 'AbandonRequest', requestId, at: clock.now() } as const
    const origin = { ...SYSTEM, accountId, requestId }
    const { events } = await streams.execute('request', stream.slice('request-'.length), command, origin)
    report.abandoned += events.length
  }
  await staging.sweep(needed)
  return { report, batchIds }
}

/** Whether a repeat of the request will be given its answer. */
async function wasAnswered(
  { streams }: RecoveryPorts,
  { requestStream, requestId }: Cause,
): Promise<boolean> {
  if (requestStream === undefined) return false
  const { selected } = await streams.load(
    'request',
    requestStream,
    ({ current }) => current !== null && current.requestId === requestId && current.answer !== null,
  )
  return selected
}

/** Batches that have not ended, intents included, and those whose charge is still open. */
async function unfinishedBatches({ work }: RecoveryPorts): Promise<Set<Uuid>> {
  const batchIds = new Set((await work.batches()).map(({ batchId }) => batchId))
  for (const { cause } of await work.charges()) if (cause.batchId) batchIds.add(cause.batchId)
  return batchIds
}

/** Staged files of jobs that are still to be worked on. */
async function filesToRead(
  { streams }: RecoveryPorts,
  batchSteps: BatchSteps,
  batchId: Uuid,
): Promise<Uuid[]> {
  const { selected: waiting } = await streams.load('batch', batchId, ({ status, jobs }) =>
    status === 'cancelled'
      ? new Set<Uuid>()
      : new Set([...jobs.keys()].filter((id) => jobs.get(id) === null)),
  )
  const { intent } = await batchSteps.open(batchId)
  return intent.jobs.filter(({ jobId }) => waiting.has(jobId)).map(({ stagedId }) => stagedId)
}

/** The client never heard of its batch: whoever sends the same Idempotency-Key again does. */
async function completeCreation(
  { streams, batches, clock }: RecoveryPorts,
  batchSteps: BatchSteps,
  { stream, accountId, requestId }: UnfinishedRequest,
  batchJobsAtOnce: number,
): Promise<void> {
  const { intent, origin } = await batchSteps.open(requestId)
  const { position } = await streams.load('batch', requestId, () => undefined)
  const answer = batchAnswer(intent, await batches.meanJobMs(accountId), batchJobsAtOnce, position)
  const command = { type: 'CompleteRequest', requestId, answer, at: clock.now() } as const
  await streams.execute('request', stream.slice('request-'.length), command, origin)
}

type UnfinishedRequest = Awaited<ReturnType<UnfinishedWork['requests']>>[number]

/** Single uploads with an open claim, or with a charge that is neither settled nor refunded, by job. */
async function unfinishedUploads({
  work,
}: RecoveryPorts): Promise<Map<Uuid, { accountId: Uuid; mediaId: Uuid }>> {
  const jobs = new Map<Uuid, { accountId: Uuid; mediaId: Uuid }>()
  for (const { jobId, batchId, accountId, mediaId } of await work.ingests())
    if (batchId === null) jobs.set(jobId, { accountId, mediaId })
  for (const { accountId, cause } of await work.charges())
    if (cause.jobId && cause.mediaId && !cause.batchId)
      jobs.set(cause.jobId, { accountId, mediaId: cause.mediaId })
  return jobs
}
