import { setTimeout as sleep } from 'node:timers/promises'
import {
  fileNamesOf,
  ingestIdOf,
  originFrom,
  OUTCOME_PATIENCE_MS,
  Quota,
  refundOf,
  settleReads,
  submittedBatch,
  SYSTEM,
  type IngestJob,
  unlessAway,
  type Background,
  type SubmittedBatch,
} from '@medialog/application'
import { BatchNotFound, type BatchJob, type JobOutcome } from '@medialog/domain'
import type { Uuid } from '@medialog/kernel'
import type { IngestPorts } from './ports.ts'
import type { BatchRef } from './refs.ts'
import { stateOf } from './state-of.ts'

/** How often a claim is looked at that another upload of the same content holds. */
const LOOK_AGAIN_MS = 100

/** The batch's own charge: what its jobs' refunds are taken from. */
const chargeIdOf = (batchId: Uuid): string => batchId

export type BatchSteps = ReturnType<typeof makeBatchSteps>

/**
 * The steps of a batch besides those of the ingest saga that its jobs go through. Each may be run again: the batch's
 * stream decides how a job ended, once, and the ledger that it was refunded, once. `isShared`: see makeSteps.
 */
export function makeBatchSteps(ports: IngestPorts, { isShared = false } = {}) {
  const quota = new Quota(ports)
  /** Jobs that this process has begun. */
  const begun = new Set<Uuid>()
  return {
    /** @throws BatchNotFound */
    async open(batchId: Uuid): Promise<SubmittedBatch> {
      const submitted = await submittedBatch(ports.eventStore, batchId)
      if (!submitted) throw new BatchNotFound()
      const { intent, origin } = submitted
      const names = await fileNamesOf(ports.eventStore, batchId)
      const jobs = intent.jobs.map((job) => ({ ...job, filename: names.get(job.jobId) ?? '' }))
      return { intent: { ...intent, jobs }, origin }
    },

    async start({ batchId, origin }: BatchRef): Promise<void> {
      const command = { type: 'StartBatch', at: ports.clock.now() } as const
      await ports.streams.execute('batch', batchId, command, origin)
    },

    /** The job's state in the batch's stream: whether the batch was cancelled, and how the job ended, if it has. */
    async job(
      { batchId }: BatchRef,
      { jobId }: BatchJob,
    ): Promise<{ cancelled: boolean; outcome: JobOutcome['status'] | null }> {
      return stateOf(ports.streams, isShared, 'batch', batchId, ({ status, jobs }) => ({
        cancelled: status === 'cancelled',
        outcome: jobs.get(jobId) ?? null,
      }))
    },

    /**
     * The ingest that the job is at: recorded already, or one whose claim was never released. What earlier ones left in
     * the artifact store goes. `claims`: how often processes claimed it that have ended since; 0 where this one did.
     */
    async attempt(
      { accountId }: BatchRef,
      { jobId, mediaId }: BatchJob,
    ): Promise<{ ingestId: Uuid; recorded: boolean; claims: number }> {
      for (let attempt = 0; ; attempt++) {
        const ingestId = ingestIdOf(jobId, attempt)
        const { selected } = await ports.streams.load('media', mediaId, ({ ended, claim }) => ({
          end: ended.get(ingestId),
          claims: claim?.ingestId === ingestId && !begun.has(jobId) ? claim.claims : 0,
        }))
        const { end, claims } = selected
        if (end !== 'released') {
          begun.add(jobId)
          return { ingestId, recorded: end === 'recorded', claims }
        }
        await ports.artifacts.deleteIngest({ accountId, mediaId, ingestId })
      }
    },

    /** Claims the item once more for an ingest that a process which ended had claimed so often. */
    async claimAgain(batch: BatchRef, job: BatchJob, ingestId: Uuid, claims: number): Promise<void> {
      const { accountId, batchId, overwrite, origin } = batch
      const { jobId, mediaId, sha256 } = job
      const ids = { accountId, ingestId, jobId, batchId, sha256 }
      const at = ports.clock.now()
      const command = { type: 'ClaimIngest', ...ids, overwrite, dead: null, after: claims, at } as const
      await ports.streams.execute('media', mediaId, command, origin)
    },

    /** The job as the saga takes it. @throws UnreadableFile, UnsupportedFileType; Error when its staged file is gone */
    async prepare(batch: BatchRef, job: BatchJob, ingestId: Uuid): Promise<IngestJob> {
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
    },

    /** What is stored was counted when the batch was made: where that cannot be told by now, its jobs go on. @throws QuotaExceeded */
    async requireQuota({ accountId }: BatchRef): Promise<void> {
      const tier = await stateOf(ports.streams, isShared, 'account', accountId, (account) =>
        account.status === 'unopened' ? null : account.tier,
      )
      if (tier) await unlessAway(quota.require(accountId, tier))
    },

    /** Waits until the job that ingests the same content right now has stored it or given up. @throws when `signal` aborts */
    async claimEnds({ mediaId }: BatchJob, signal?: AbortSignal): Promise<void> {
      const claimant = async (): Promise<Uuid | null> =>
        (await ports.streams.load('media', mediaId, ({ claim }) => claim?.ingestId ?? null)).selected
      const first = await claimant()
      while (first !== null && (await claimant()) === first) await sleep(LOOK_AGAIN_MS, undefined, { signal })
    },

    /** Waits (bounded) until readers see the item: a client that hears that the job succeeded will look for it. */
    async shown({ mediaId }: BatchJob): Promise<void> {
      const { position } = await ports.streams.load('media', mediaId, () => undefined)
      await settleReads(ports, position, ['catalog'])
    },

    /** Says how the job ended, if that was not said before; answers what holds. */
    async finish(
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
    },

    /** Pays the job's part of the charge back. */
    async refund(
      { accountId, batchId, price: lines, origin }: BatchRef,
      { jobId }: BatchJob,
      reason: string,
    ): Promise<void> {
      await ports.streams.execute(
        'ledger',
        accountId,
        {
          type: 'Refund',
          refundId: `refund-${jobId}`,
          chargeId: chargeIdOf(batchId),
          lines,
          reason,
          at: ports.clock.now(),
        },
        origin,
      )
    },

    releaseFile: ({ stagedId }: BatchJob): Promise<void> => ports.staging.release(stagedId),

    /** Every job has ended: the charge is final, then the batch has ended too. */
    async end({ accountId, batchId, charged, origin }: BatchRef): Promise<void> {
      const at = ports.clock.now()
      if (charged) {
        const settle = { type: 'Settle', chargeId: chargeIdOf(batchId), at } as const
        const { position } = await ports.streams.execute('ledger', accountId, settle, origin)
        // A batch that is shown as done is done in the bill too.
        await settleReads(ports, position, ['usage'])
      }
      await ports.streams.execute('batch', batchId, { type: 'EndBatch', at }, origin)
    },

    /**
     * Gives up an intent, unless it became a batch: rejected first, then what was charged is refunded and the staged
     * files go. `isRefused`: the request was refused already, and a batch that was not started is cancelled.
     */
    async abandon(
      batchId: Uuid,
      stagedIds: readonly Uuid[],
      reason: string,
      isRefused = false,
    ): Promise<'abandoned' | 'created'> {
      const submitted =
        (await submittedBatch(ports.eventStore, batchId)) ?? (await submittedUnheard(ports, batchId))
      if (submitted) {
        const origin = originFrom({ ...submitted.origin, ...SYSTEM })
        const { accountId } = submitted.intent
        const at = ports.clock.now()
        const reject = { type: 'RejectBatch', at } as const
        const { selected: status } = await ports.streams.execute('batch', batchId, reject, origin, {
          select: (batch) => batch.status,
        })
        if (status !== 'rejected') {
          const cancel = { type: 'CancelBatch', unlessStarted: true, at } as const
          if (isRefused) await ports.streams.execute('batch', batchId, cancel, origin)
          return 'created'
        }
        const chargeId = chargeIdOf(batchId)
        const refund = { type: 'RefundRest', refundId: refundOf(chargeId), chargeId, reason, at } as const
        await ports.streams.execute('ledger', accountId, refund, origin, { undoes: true })
      }
      await Promise.all(stagedIds.map((id) => ports.staging.release(id)))
      return 'abandoned'
    },
  }
}

/** See Orchestrator.abandonBatch. `start` works a batch off that it became after all. */
export async function abandonBatch(
  {
    background,
    batchSteps,
    start,
  }: {
    background: Background
    batchSteps: Pick<BatchSteps, 'abandon'>
    start: (batchId: Uuid) => void
  },
  batchId: Uuid,
  stagedIds: readonly Uuid[],
): Promise<'abandoned' | 'created'> {
  let isRefused = false
  const end = await background.untilDone(async () => {
    const end = await batchSteps.abandon(batchId, stagedIds, 'the batch could not be created', isRefused)
    if (end === 'created') start(batchId)
    return end
  }, OUTCOME_PATIENCE_MS)
  // What is tried again has been answered by then: an error keeps no money.
  isRefused = true
  return end ?? 'abandoned'
}

/** An intent whose append was reported as failed and may have succeeded: a decision on its stream finds that out. */
async function submittedUnheard(
  { streams, eventStore, clock }: IngestPorts,
  batchId: Uuid,
): Promise<SubmittedBatch | null> {
  try {
    await streams.execute('batch', batchId, { type: 'StartBatch', at: clock.now() }, SYSTEM, { undoes: true })
  } catch (error) {
    // So is one that is an intent still.
    if (!(error instanceof BatchNotFound)) throw error
  }
  return submittedBatch(eventStore, batchId)
}
