import {
  answerKeptFor,
  EngineUnavailable,
  idIn,
  SYSTEM,
  type RecoveryReport,
  type UnfinishedCharge,
} from '@medialog/application'
import { refundOfCharge, type Cause } from '@medialog/domain'
import type { Uuid } from '@medialog/kernel'
import { abandonIntent } from './abandon-batch.ts'
import type { RecoveryPorts } from './ports.ts'
import { readBatch } from './read-batch.ts'
import type { JobRef } from './refs.ts'
import type { Steps } from './steps.ts'

const REASON = 'the service stopped before it was done'
/** How long the read models may take to show all of the log. */
const CATCH_UP_MS = 10_000

/** What other processes of the same log may be at: it is left to them. */
export interface OtherProcesses {
  /** Whether a request that began then (milliseconds since the epoch) may still be under way. */
  mayBeAt(since: number): boolean
  /** Whether the upload is being carried. @throws EngineUnavailable where that cannot be known */
  carry(jobId: Uuid): Promise<boolean>
}

export interface RecoveryOptions {
  /** A batch that was created is to go on; false where it does already. */
  resume: (batchId: Uuid) => boolean | Promise<boolean>
  others?: OtherProcesses
  /**
   * Carries out one piece of recovery. One that fails holds up none of the others: it is tried again, in the background or
   * by the next recovery, and answers undefined.
   */
  attempt?: <T>(work: () => Promise<T>) => Promise<T | undefined>
}

/** Of the one process that the log has: what is unfinished at its start is left over. */
export const NO_OTHERS: OtherProcesses = {
  mayBeAt: () => false,
  carry: async () => false,
}

/**
 * Takes up what a crash left: every unfinished upload ends by what its item's stream says, charges of requests that died
 * are refunded (settled where the answer was kept already), their Idempotency-Keys are released, staged files are removed.
 * A client that repeats a request with such a key still finds the outcome: `once` asks the streams.
 * Batches that were created go on; what they need stays staged. May be run at any time, by several processes, and
 * on a request that was only slow: the streams decide between it and a late writer. What goes wrong with one account,
 * item or file is tried again in the background, or by `attempt`. @throws EngineUnavailable where the read models are behind
 */
export async function recover(
  ports: RecoveryPorts,
  steps: Pick<Steps, 'end'>,
  { resume, others = NO_OTHERS, attempt = (work) => ports.background.untilDone(work) }: RecoveryOptions,
): Promise<RecoveryReport> {
  const { work, staging, streams, clock } = ports
  await requireReadModels(ports)
  const report: RecoveryReport = { settled: 0, refunded: 0, resumed: 0, abandoned: 0 }
  const requests = new Map((await work.requests()).map((request) => [request.requestId, request]))

  for (const [jobId, { accountId, mediaId }] of await unfinishedUploads(ports)) {
    if (await others.carry(jobId)) continue
    // A single upload's job has the id of its request.
    const request = requests.get(jobId)
    const requestStream = request ? idIn(request.stream) : null
    const job: JobRef = {
      accountId,
      mediaId,
      jobId,
      ingestId: jobId,
      batchId: null,
      requestStream,
      origin: { ...SYSTEM, accountId, requestId: jobId },
    }
    const end = await attempt(() => steps.end(job, REASON))
    if (end) report[end === 'recorded' ? 'settled' : 'refunded']++
  }
  for (const charge of await work.charges()) {
    const { cause, at: since } = charge
    if (cause.jobId || cause.batchId || others.mayBeAt(since)) continue
    await attempt(() => endCharge(ports, charge, report))
  }
  const takeUp = async (batchId: Uuid): Promise<void> => {
    if (await mayBeMade(ports, batchId, others)) return
    if ((await abandonIntent(ports, batchId, [], REASON)) === 'abandoned') report.refunded++
    else if (await resume(batchId)) report.resumed++
  }
  for (const batchId of await unfinishedBatches(ports)) await attempt(() => takeUp(batchId))
  for (const { stream, accountId, requestId, at } of requests.values()) {
    if (others.mayBeAt(at) || (await others.carry(requestId))) continue
    const command = { type: 'AbandonRequest', requestId, at: clock.now() } as const
    const origin = { ...SYSTEM, accountId, requestId }
    const id = idIn(stream)
    const executed = await attempt(() => streams.execute('request', id, command, origin))
    report.abandoned += executed?.events.length ?? 0
  }
  // Which files a damaged batch needs is not known: all stay until it is mended.
  await attempt(() => staging.sweep((stagedIds) => neededOf(ports, others, stagedIds)))
  // The next read shows what was refunded.
  if (Object.values(report).some((count) => count > 0)) await areReached(ports)
  return report
}

/** Settles or refunds what a request was charged with that died. */
async function endCharge(
  ports: RecoveryPorts,
  { accountId, chargeId, cause }: UnfinishedCharge,
  report: RecoveryReport,
): Promise<void> {
  const { streams, clock } = ports
  const answered = await isAnswered(ports, cause, report)
  const at = clock.now()
  const { events } = await streams.execute(
    'ledger',
    accountId,
    answered
      ? { type: 'Settle', chargeId, at }
      : { type: 'RefundRest', refundId: refundOfCharge(chargeId), chargeId, reason: REASON, at },
    { ...SYSTEM, accountId },
  )
  // The first posting of a month closes the books of the one before: an event more.
  if (events.length > 0) report[answered ? 'settled' : 'refunded']++
}

/** All of them: one that is being rebuilt must not be taken for an empty one. @throws EngineUnavailable */
async function requireReadModels(ports: RecoveryPorts): Promise<void> {
  if (!(await areReached(ports)))
    throw new EngineUnavailable('projections', 'The read models did not catch up with the log.')
}

async function areReached({ projections, eventStore }: RecoveryPorts): Promise<boolean> {
  return projections.reached(await eventStore.head(), { timeoutMs: CATCH_UP_MS })
}

/**
 * Whether a repeat of the request will be given its answer. Its key is set free if not, before anything is refunded: an
 * answer that comes late is not kept any more.
 */
async function isAnswered(
  { streams, clock }: RecoveryPorts,
  { requestStream, requestId }: Cause,
  report: RecoveryReport,
): Promise<boolean> {
  if (requestStream === undefined || requestId === undefined) return false
  const command = { type: 'AbandonRequest', requestId, at: clock.now() } as const
  const select = answerKeptFor(requestId)
  const { selected, events } = await streams.execute('request', requestStream, command, SYSTEM, { select })
  report.abandoned += events.length
  return selected !== null
}

/** Whether the batch is an intent that another process may be making a batch of right now. */
async function mayBeMade(ports: RecoveryPorts, batchId: Uuid, others: OtherProcesses): Promise<boolean> {
  const { selected: status } = await ports.streams.load('batch', batchId, (batch) => batch.status)
  return status === 'submitted' && others.mayBeAt((await readBatch(ports, batchId)).intent.at)
}

/** Batches that have not ended, intents included, and those whose charge is still open. */
async function unfinishedBatches({ work }: RecoveryPorts): Promise<Set<Uuid>> {
  const batchIds = new Set((await work.batches()).map(({ batchId }) => batchId))
  for (const { cause } of await work.charges()) if (cause.batchId) batchIds.add(cause.batchId)
  return batchIds
}

/**
 * Which staged files work waits for whose processes are gone: those of batches, by the state of the log, and those of
 * uploads that are carried; a single upload's file has the id of its job.
 */
async function neededOf(
  ports: RecoveryPorts,
  others: OtherProcesses,
  stagedIds: readonly Uuid[],
): Promise<ReadonlySet<Uuid>> {
  await requireReadModels(ports)
  const needed = new Set<Uuid>()
  for (const batchId of await unfinishedBatches(ports))
    for (const stagedId of await filesToRead(ports, batchId)) needed.add(stagedId)
  for (const id of stagedIds) if (!needed.has(id) && (await others.carry(id))) needed.add(id)
  return needed
}

/** Staged files of jobs that are still to be worked on. */
async function filesToRead(ports: RecoveryPorts, batchId: Uuid): Promise<Uuid[]> {
  const { selected: waiting } = await ports.streams.load('batch', batchId, ({ status, jobs }) =>
    status === 'cancelled'
      ? new Set<Uuid>()
      : new Set([...jobs.keys()].filter((id) => jobs.get(id) === null)),
  )
  const { intent } = await readBatch(ports, batchId)
  return intent.jobs.filter(({ jobId }) => waiting.has(jobId)).map(({ stagedId }) => stagedId)
}

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
