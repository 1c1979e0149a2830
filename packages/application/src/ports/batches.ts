import type { JobErrorCode } from '@medialog/domain'
import type { LogPosition, MediaType, Money, Uuid } from '@medialog/kernel'

/** What a batch may be seen as: an intent is no batch yet. */
export const SHOWN_BATCH_STATUSES = ['created', 'running', 'completed', 'failed', 'cancelled'] as const
export type ShownBatchStatus = (typeof SHOWN_BATCH_STATUSES)[number]

export interface BatchRecord {
  batchId: Uuid
  accountId: Uuid
  name: string | null
  /** Null: `default` or, when overwriting, where each item was. */
  collection: string | null
  overwrite: boolean
  status: ShownBatchStatus
  /** Milliseconds since the epoch. */
  createdAt: number
  startedAt: number | null
  /** When it completed, failed or was cancelled; never before the last of its jobs ended. */
  endedAt: number | null
  jobs: { total: number; processing: number; succeeded: number; skipped: number; failed: number }
  /** Jobs that take long, in the order of their files: how much of each was worked on, in percent. */
  atWork: { jobId: Uuid; percent: number }[]
  /** By the ledger. */
  charged: Money
  refunded: Money
}

export interface BatchJobRecord {
  jobId: Uuid
  mediaId: Uuid
  mediaType: MediaType
  sizeBytes: number
  status: 'pending' | 'processing' | 'succeeded' | 'skipped' | 'failed'
  error: { code: JobErrorCode; message: string } | null
  endedAt: number | null
}

/** What is still to be done of a batch. */
export interface OpenBatch {
  batchId: Uuid
  /** Those that have not ended, and the bytes of their staged files. */
  jobs: number
  bytes: number
}

/** Batches and their jobs as a read model. All answers are of one account. */
export interface Batches {
  batch(accountId: Uuid, batchId: Uuid): Promise<BatchRecord | null>
  /** Newest first. `offset` counts batches. */
  list(
    accountId: Uuid,
    filter: { status?: ShownBatchStatus },
    page: { offset: number; limit: number },
  ): Promise<{ batches: BatchRecord[]; total: number }>
  /** All jobs of a batch, in the order of its files; none for a batch that is not the account's. */
  jobs(accountId: Uuid, batchId: Uuid): Promise<BatchJobRecord[]>
  /** The batches that have jobs for these items, each pair once. */
  ofItems(accountId: Uuid, mediaIds: readonly Uuid[]): Promise<{ mediaId: Uuid; batchId: Uuid }[]>
  /** Batches with jobs that have not ended, intents and cancelled ones included. */
  open(accountId: Uuid): Promise<OpenBatch[]>
  /** Mean time that the files of the account's last jobs that succeeded were worked on, in milliseconds; null before the first. */
  meanJobMs(accountId: Uuid): Promise<number | null>
  position(): Promise<LogPosition>
}
