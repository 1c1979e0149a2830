import { originFrom } from '@medialog/application/core/origin'
import type { IngestJob, Origin, SubmittedBatch } from '@medialog/application'
import type { BatchIntent } from '@medialog/domain'
import type { Uuid } from '@medialog/kernel'

/** What it takes to end a job, known from the log alone after a crash. */
export interface JobRef {
  accountId: Uuid
  mediaId: Uuid
  jobId: Uuid
  ingestId: Uuid
  /** The batch that it was paid for with; null: it has a charge of its own. */
  batchId: Uuid | null
  /** The request stream that the job's outcome completes, if any. */
  requestStream: Uuid | null
  origin: Origin
}

export const jobRef = (job: IngestJob): JobRef => ({
  accountId: job.accountId,
  mediaId: job.mediaId,
  jobId: job.jobId,
  ingestId: job.ingestId,
  batchId: job.batchId,
  requestStream: job.requestStream,
  origin: originFrom(job),
})

/** What each of a batch's jobs needs to know of it: the jobs themselves are handed over one by one. */
export interface BatchRef extends Pick<
  BatchIntent,
  'accountId' | 'batchId' | 'collection' | 'overwrite' | 'price'
> {
  /** Whether it was paid for: one of nothing but duplicates is not. */
  charged: boolean
  origin: Origin
}

export const batchRef = ({ intent, origin }: SubmittedBatch): BatchRef => ({
  accountId: intent.accountId,
  batchId: intent.batchId,
  collection: intent.collection,
  overwrite: intent.overwrite,
  price: intent.price,
  charged: intent.jobs.some(({ duplicate }) => !duplicate),
  origin,
})
