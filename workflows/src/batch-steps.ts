import {
  ingestIdOf,
  originFrom,
  requireQuota,
  settleReads,
  submittedBatch,
  SYSTEM,
  type IngestJob,
  type SubmittedBatch,
} from '@medialog/application'
import { BatchNotFound, type BatchJob, type BatchStatus, type JobOutcome } from '@medialog/domain'
import type { Uuid } from '@medialog/kernel'
import type { IngestPorts } from './ports.ts'

/** The batch's own charge: what its jobs' refunds are taken from. */
const chargeIdOf = (batchId: Uuid): string => batchId

export type BatchSteps = ReturnType<typeof makeBatchSteps>

/**
 * The steps of a batch besides those of the ingest saga that its jobs go through. Each may be run again: the batch's
 * stream decides how a job ended, once, and the ledger that it was refunded, once.
 */
export const makeBatchSteps = (ports: IngestPorts) => ({
  /** @throws BatchNotFound */
  async open(batchId: Uuid): Promise<SubmittedBatch> {
    const submitted = await submittedBatch(ports.eventStore, batchId)
    if (!submitted) throw new BatchNotFound()
    return submitted
  },

  async start({ intent, origin }: SubmittedBatch): Promise<void> {
    const command = { type: 'StartBatch', at: ports.clock.now() } as const
    await ports.streams.execute('batch', intent.batchId, command, origin)
  },

  /** How things stand in the batch's stream; `ended` holds the jobs that have an outcome. */
  async state(batchId: Uuid): Promise<{ status: BatchStatus; ended: Map<Uuid, JobOutcome['status']> }> {
    const { selected } = await ports.streams.load('batch', batchId, ({ status, jobs }) => {
      const ended = new Map<Uuid, JobOutcome['status']>()
      for (const [jobId, outcome] of jobs) if (outcome) ended.set(jobId, outcome)
      return { status, ended }
    })
    return selected
  },

  /**
   * The ingest that the job is at: recorded already, or one whose claim was never released. What earlier ones left in
   * the artifact store goes.
   */
  async attempt(
    { intent: { accountId } }: SubmittedBatch,
    { jobId, mediaId }: BatchJob,
  ): Promise<{ ingestId: Uuid; recorded: boolean }> {
    for (let attempt = 0; ; attempt++) {
      const ingestId = ingestIdOf(jobId, attempt)
      const { selected: end } = await ports.streams.load('media', mediaId, (media) =>
        media.ended.get(ingestId),
      )
      if (end !== 'released') return { ingestId, recorded: end === 'recorded' }
      await ports.artifacts.deleteIngest({ accountId, mediaId, ingestId })
    }
  },

  /** The job as the saga takes it. @throws UnreadableFile, UnsupportedFileType; Error when its staged file is gone */
  async prepare({ intent, origin }: SubmittedBatch, job: BatchJob, ingestId: Uuid): Promise<IngestJob> {
    const { accountId, batchId, collection, overwrite, price } = intent
    const { jobId, mediaId, filename, sha256 } = job
    const staged = { ...(await ports.staging.reopen(job.stagedId)), sha256 }
    const format = ports.understanding.identify(filename, staged.head)
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

  /** @throws QuotaExceeded */
  async requireQuota({ intent: { accountId } }: SubmittedBatch): Promise<void> {
    const account = await ports.accounts.account(accountId)
    if (account) await requireQuota(ports, accountId, account.tier)
  },

  /** Who holds the claim on the item, if anybody. */
  async claimant({ mediaId }: BatchJob): Promise<Uuid | null> {
    const { selected } = await ports.streams.load('media', mediaId, ({ claim }) => claim?.ingestId ?? null)
    return selected
  },

  /** Waits (bounded) until readers see the item: whoever hears that the job succeeded will look for it. */
  async shown({ mediaId }: BatchJob): Promise<void> {
    const { position } = await ports.streams.load('media', mediaId, () => undefined)
    await settleReads(ports, position, ['catalog'])
  },

  /** Says how the job ended, if that was not said before; answers what holds. */
  async finish(
    { intent, origin }: SubmittedBatch,
    { jobId }: BatchJob,
    outcome: JobOutcome,
  ): Promise<JobOutcome['status']> {
    const command = { type: 'FinishJob', jobId, outcome, at: ports.clock.now() } as const
    const { selected } = await ports.streams.execute('batch', intent.batchId, command, origin, {
      select: ({ jobs }) => jobs.get(jobId)!,
    })
    return selected
  },

  /** Pays the job's part of the charge back. */
  async refund({ intent, origin }: SubmittedBatch, { jobId }: BatchJob, reason: string): Promise<void> {
    await ports.streams.execute(
      'ledger',
      intent.accountId,
      {
        type: 'Refund',
        refundId: `refund-${jobId}`,
        chargeId: chargeIdOf(intent.batchId),
        lines: intent.price,
        reason,
        at: ports.clock.now(),
      },
      origin,
    )
  },

  releaseFile: ({ stagedId }: BatchJob): Promise<void> => ports.staging.release(stagedId),

  /** Every job has ended: the charge is final, then the batch has ended too. */
  async end({ intent, origin }: SubmittedBatch): Promise<void> {
    const { accountId, batchId, jobs } = intent
    const at = ports.clock.now()
    if (jobs.some((job) => !job.duplicate)) {
      const settle = { type: 'Settle', chargeId: chargeIdOf(batchId), at } as const
      const { position } = await ports.streams.execute('ledger', accountId, settle, origin)
      // A batch that is shown as done is done in the bill too.
      await settleReads(ports, position, ['usage'])
    }
    await ports.streams.execute('batch', batchId, { type: 'EndBatch', at }, origin)
  },

  /**
   * Gives up an intent, unless it became a batch: rejected first, then what was charged is refunded and the staged
   * files go.
   */
  async abandon(batchId: Uuid, stagedIds: readonly Uuid[], reason: string): Promise<'abandoned' | 'created'> {
    const submitted = await submittedBatch(ports.eventStore, batchId)
    if (submitted) {
      const origin = originFrom({ ...submitted.origin, ...SYSTEM })
      const { accountId } = submitted.intent
      const at = ports.clock.now()
      const reject = { type: 'RejectBatch', at } as const
      const { selected: status } = await ports.streams.execute('batch', batchId, reject, origin, {
        select: (batch) => batch.status,
      })
      if (status !== 'rejected') return 'created'
      const chargeId = chargeIdOf(batchId)
      const refund = { type: 'RefundRest', refundId: `refund-${chargeId}`, chargeId, reason, at } as const
      await ports.streams.execute('ledger', accountId, refund, origin)
    }
    await Promise.all(stagedIds.map((id) => ports.staging.release(id)))
    return 'abandoned'
  },
})
