import { setTimeout as sleep } from 'node:timers/promises'
import {
  ingestIdOf,
  Quota,
  settleReads,
  unlessAway,
  type IngestJob,
  type SubmittedBatch,
} from '@medialog/application'
import { refundOfJob, type Batch, type BatchJob, type JobOutcome } from '@medialog/domain'
import type { Uuid } from '@medialog/kernel'
import type { IngestPorts } from './ports.ts'
import { readBatch } from './read-batch.ts'
import type { BatchRef } from './refs.ts'
import { stateOf } from './state-of.ts'

/** How often a claim is looked at that another upload of the same content holds. */
const LOOK_AGAIN_MS = 100

/**
 * The steps of a batch besides those of the ingest saga that its jobs go through. Each may be run again: the batch's
 * stream decides how a job ended, once, and the ledger that it was refunded, once.
 */
export interface BatchSteps {
  /** What there is to do; from here on it is being done. @throws BatchNotFound */
  openBatch(batchId: Uuid): Promise<SubmittedBatch>
  /** `twin`: an earlier file of the batch with the same content, the one that brought it in if any has. */
  openJob(batch: BatchRef, job: BatchJob, twin: BatchJob | null): Promise<Standing>
  /**
   * The job as the saga takes it, its file there, while the account has room. `claims`: as it stood.
   * @throws ClaimLost; QuotaExceeded, UnreadableFile, UnsupportedFileType; Error when its staged file is gone
   */
  beginJob(batch: BatchRef, job: BatchJob, at: { ingestId: Uuid; claims: number }): Promise<IngestJob>
  /** Records how much of its file was worked on; while the log is unavailable it does not. */
  reportProgress(batch: BatchRef, job: BatchJob, percent: number): Promise<void>
  /** Waits until the job that ingests the same content right now has stored it or given up. @throws when `signal` aborts */
  claimEnds(job: BatchJob, signal?: AbortSignal): Promise<void>
  /**
   * Says how the job ended, unless that was said before (null: it was), pays back what was not delivered, and drops the staged
   * file. Answers how it ended.
   */
  closeJob(batch: BatchRef, job: BatchJob, outcome: JobOutcome | null): Promise<JobOutcome['status']>
  /** Every job has ended: the charge is final, then the batch has ended too. */
  endBatch(batch: BatchRef): Promise<void>
}

/**
 * How a job of a batch stands. `open`: it is at that ingest, whose claim was never released. `claims`: how often processes
 * claimed it that have ended since; 0 where this one did.
 */
export type Standing =
  | { status: 'ended' }
  | { status: 'recorded' }
  | { status: 'skipped' }
  | { status: 'open'; ingestId: Uuid; claims: number; cancelled: boolean }

/** `isShared`: see makeSteps. */
export function makeBatchSteps(ports: IngestPorts, { isShared = false } = {}): BatchSteps {
  const quota = new Quota(ports)
  /** Jobs that this process has begun. */
  const begun = new Set<Uuid>()

  const stateOfJobs = <T>(batchId: Uuid, select: (batch: Pick<Batch, 'status' | 'jobs'>) => T): Promise<T> =>
    stateOf(ports.streams, isShared, 'batch', batchId, select)

  /** The ingest that the job is at; what earlier ones left in the artifact store goes. */
  async function attemptOf(accountId: Uuid, { jobId, mediaId }: BatchJob) {
    for (let attempt = 0; ; attempt++) {
      const ingestId = ingestIdOf(jobId, attempt)
      const { selected } = await ports.streams.load('media', mediaId, ({ ended, claim }) => ({
        end: ended.get(ingestId),
        claims: claim?.ingestId === ingestId && !begun.has(jobId) ? claim.claims : 0,
      }))
      const { end, claims } = selected
      if (end !== 'released') return { ingestId, isRecorded: end === 'recorded', claims }
      await ports.artifacts.deleteIngest({ accountId, mediaId, ingestId })
    }
  }

  /** Claims the item once more for an ingest that a process which ended had claimed so often. */
  async function claimAgain(batch: BatchRef, job: BatchJob, ingestId: Uuid, claims: number): Promise<void> {
    const { accountId, batchId, overwrite, origin } = batch
    const { jobId, mediaId, sha256 } = job
    const ids = { accountId, ingestId, jobId, batchId, sha256 }
    const at = ports.clock.now()
    const command = { type: 'ClaimIngest', ...ids, overwrite, dead: null, after: claims, at } as const
    await ports.streams.execute('media', mediaId, command, origin)
  }

  /** What is stored was counted when the batch was made: where it cannot be counted now, its jobs go on. */
  async function requireQuota(accountId: Uuid): Promise<void> {
    const tier = await stateOf(ports.streams, isShared, 'account', accountId, (account) =>
      account.status === 'unopened' ? null : account.tier,
    )
    if (tier) await unlessAway(quota.require(accountId, tier))
  }

  /** The job as the saga takes it. */
  async function prepare(batch: BatchRef, job: BatchJob, ingestId: Uuid): Promise<IngestJob> {
    const { accountId, batchId, collection, overwrite, price, origin } = batch
    const { jobId, mediaId, filename, sha256 } = job
    const { head, ...reopened } = await ports.staging.reopen(job.stagedId)
    const staged = { ...reopened, sha256 }
    const format = ports.understanding.identify(filename, head)
    return {
      ...origin,
      requestId: batchId,
      requestStream: null,
      accountId,
      batchId,
      jobId,
      ingestId,
      mediaId,
      staged,
      filename,
      format,
      collection,
      overwrite,
      price,
    }
  }

  /** Waits (bounded) until readers see the item: a client that hears that the job succeeded will look for it. */
  async function shown({ mediaId }: BatchJob): Promise<void> {
    const { position } = await ports.streams.load('media', mediaId, () => undefined)
    await settleReads(ports, position, ['catalog'])
  }

  /** Says how the job ended, if that was not said before; answers what holds. */
  async function finishJob(
    { batchId, origin }: BatchRef,
    { jobId }: BatchJob,
    outcome: JobOutcome,
  ): Promise<JobOutcome['status']> {
    const command = { type: 'FinishJob', jobId, outcome, at: ports.clock.now() } as const
    const { selected } = await ports.streams.execute('batch', batchId, command, origin, {
      select: ({ jobs }) => jobs.get(jobId)!,
    })
    begun.delete(jobId)
    return selected
  }

  /** Pays the job's part of the batch's charge back. */
  async function refund(batch: BatchRef, { jobId }: BatchJob, reason: string): Promise<void> {
    const { accountId, batchId, price: lines, origin } = batch
    const of = { refundId: refundOfJob(jobId), chargeId: batchId }
    const command = { type: 'Refund', ...of, lines, reason, at: ports.clock.now() } as const
    await ports.streams.execute('ledger', accountId, command, origin)
  }

  return {
    async openBatch(batchId) {
      const batch = await readBatch(ports, batchId)
      const command = { type: 'StartBatch', at: ports.clock.now() } as const
      await ports.streams.execute('batch', batchId, command, batch.origin)
      return batch
    },

    async openJob({ accountId, batchId }, job, twin) {
      const { cancelled, outcome, stored } = await stateOfJobs(batchId, ({ status, jobs }) => ({
        cancelled: status === 'cancelled',
        outcome: jobs.get(job.jobId) ?? null,
        stored: twin !== null && jobs.get(twin.jobId) !== 'failed',
      }))
      if (outcome !== null) return { status: 'ended' }
      if (stored) return { status: 'skipped' }
      const { ingestId, isRecorded, claims } = await attemptOf(accountId, job)
      begun.add(job.jobId)
      return isRecorded ? { status: 'recorded' } : { status: 'open', ingestId, claims, cancelled }
    },

    async beginJob(batch, job, { ingestId, claims }) {
      if (claims > 0) await claimAgain(batch, job, ingestId, claims)
      await requireQuota(batch.accountId)
      return prepare(batch, job, ingestId)
    },

    async reportProgress({ batchId, origin }, { jobId }, percent) {
      const command = { type: 'ReportProgress', jobId, percent, at: ports.clock.now() } as const
      await unlessAway(ports.streams.execute('batch', batchId, command, origin))
    },

    async claimEnds({ mediaId }, signal) {
      const claimant = async (): Promise<Uuid | null> =>
        (await ports.streams.load('media', mediaId, ({ claim }) => claim?.ingestId ?? null)).selected
      const first = await claimant()
      while (first !== null && (await claimant()) === first) await sleep(LOOK_AGAIN_MS, undefined, { signal })
    },

    async closeJob(batch, job, outcome) {
      if (outcome?.status === 'succeeded') await shown(job)
      const status = outcome
        ? await finishJob(batch, job, outcome)
        : await stateOfJobs(batch.batchId, ({ jobs }) => jobs.get(job.jobId)!)
      if (status !== 'succeeded' && !job.duplicate) await refund(batch, job, status)
      await ports.staging.release(job.stagedId)
      return status
    },

    async endBatch({ accountId, batchId, charged, origin }) {
      const at = ports.clock.now()
      if (charged) {
        const settle = { type: 'Settle', chargeId: batchId, at } as const
        const { position } = await ports.streams.execute('ledger', accountId, settle, origin)
        // A batch that is shown as done is done in the bill too.
        await settleReads(ports, position, ['usage'])
      }
      await ports.streams.execute('batch', batchId, { type: 'EndBatch', at }, origin)
    },
  }
}
