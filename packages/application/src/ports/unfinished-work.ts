import type { BatchStatus, Cause } from '@medialog/domain'
import type { LogPosition, Money, StreamName, Uuid } from '@medialog/kernel'

/** What the log shows as begun and not ended: where recovery starts after a crash. */
export interface UnfinishedWork {
  /** Claims that were neither recorded nor released. */
  ingests(): Promise<UnfinishedIngest[]>
  /** Charges neither settled nor wholly refunded. */
  charges(): Promise<UnfinishedCharge[]>
  /** Requests with an Idempotency-Key neither completed nor abandoned. */
  requests(): Promise<UnfinishedRequest[]>
  /** Batches submitted, created or running, and cancelled ones with jobs that have not ended. */
  batches(): Promise<{ batchId: Uuid; accountId: Uuid; status: BatchStatus }[]>
  /** Erasures with a receipt that is still owed. */
  erasures(): Promise<UnfinishedErasure[]>
  position(): Promise<LogPosition>
}

export interface UnfinishedRequest {
  stream: StreamName
  accountId: Uuid
  requestId: Uuid
  at: number
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
