import type { BatchStatus, Cause } from '@medialog/domain'
import type { LogPosition, Money, StreamName, Uuid } from '@medialog/kernel'

/** What the log shows as begun and not ended: where recovery starts after a crash. */
export interface UnfinishedWork {
  /** Claims that were neither recorded nor released. */
  ingests(): Promise<UnfinishedIngest[]>
  /** Charges neither settled nor wholly refunded. */
  charges(): Promise<UnfinishedCharge[]>
  /** Requests with an Idempotency-Key neither completed nor abandoned. */
  requests(): Promise<{ stream: StreamName; accountId: Uuid; requestId: Uuid; at: number }[]>
  /** Batches submitted, created or running, and cancelled ones with jobs that have not ended. */
  batches(): Promise<{ batchId: Uuid; accountId: Uuid; status: BatchStatus }[]>
  /** Erasures with a receipt that is still owed. */
  erasures(): Promise<UnfinishedErasure[]>
  position(): Promise<LogPosition>
}

export interface UnfinishedErasure {
  accountId: Uuid
  erasureId: Uuid
}

export interface UnfinishedIngest {
  accountId: Uuid
  mediaId: Uuid
  ingestId: Uuid
  jobId: Uuid
  batchId: Uuid | null
  at: number
}

export interface UnfinishedCharge {
  accountId: Uuid
  chargeId: string
  /** What is left of it. */
  rest: Money
  cause: Cause
  at: number
}

/** What a projection tells the read model to do. */
export type WorkChange =
  | { type: 'OpenIngest'; ingest: UnfinishedIngest }
  | { type: 'CloseIngest'; accountId: Uuid; mediaId: Uuid; ingestId: Uuid }
  | { type: 'OpenCharge'; charge: UnfinishedCharge }
  | { type: 'RefundCharge'; accountId: Uuid; chargeId: string; amount: Money }
  | { type: 'SettleCharge'; accountId: Uuid; chargeId: string }
  /** Replaces what the stream had open. */
  | { type: 'OpenRequest'; stream: StreamName; accountId: Uuid; requestId: Uuid; at: number }
  | { type: 'CloseRequest'; stream: StreamName; accountId: Uuid; requestId: Uuid }
  | ({ type: 'OpenErasure' | 'CloseErasure' } & UnfinishedErasure)
  /** With the jobs that are to be worked on. */
  | { type: 'OpenBatch'; batchId: Uuid; accountId: Uuid; jobIds: readonly Uuid[] }
  | { type: 'SetBatchStatus'; batchId: Uuid; status: BatchStatus }
  | { type: 'EndJob'; batchId: Uuid; jobId: Uuid }
