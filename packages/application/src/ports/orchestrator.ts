import type { ChargeLine } from '@medialog/domain'
import type { LogPosition, Money, Uuid } from '@medialog/kernel'
import type { StagedFile } from './artifact-store.ts'
import type { Format } from './understanding.ts'

/** One file to be ingested: everything the saga needs, so that it can be taken up again by another process. */
export interface IngestJob {
  accountId: Uuid
  /** API key id of the uploader. */
  actor: string
  requestId: Uuid
  correlationId?: string
  traceparent?: string
  /** A job ingests once: its claim, its artifacts and its record carry the same id. */
  jobId: Uuid
  /** The request stream that its outcome completes, where an Idempotency-Key came with it. */
  requestStream: Uuid | null
  batchId: Uuid | null
  mediaId: Uuid
  staged: StagedFile
  filename: string
  format: Format
  /** Null: where it is already, or `default`. */
  collection: string | null
  overwrite: boolean
  /** What one ingest costs, by price key. */
  price: ChargeLine[]
}

export interface IngestOutcome {
  mediaId: Uuid
  ingestId: Uuid
  /** Where it is stored. */
  collection: string
  /** Milliseconds since the epoch. */
  startedAt: number
  completedAt: number
  previousBalance: Money
  cost: Money
  newBalance: Money
  /** The log position that shows it. */
  position: LogPosition
}

/** Carries the ingest saga through, crash or not: claim → charge → understand → store → record → settle. */
export interface Orchestrator {
  /**
   * Resolves once the item is stored and charged. Rejects once nothing is left of it and what was charged is refunded:
   * @throws DuplicateMedia, IngestInProgress, InsufficientFunds, UnreadableFile, EngineUnavailable
   */
  ingest(job: IngestJob): Promise<IngestOutcome>
  /** Takes up what a crash left: settles what was recorded, releases and refunds the rest. Run before requests are served. */
  recover(): Promise<RecoveryReport>
  /** Stops taking work; resolves when what runs has ended or `signal` aborts. */
  drain(signal: AbortSignal): Promise<void>
  /** Jobs running and waiting. */
  load(): { running: number; waiting: number }
}

/** How many of each a crash had left. */
export interface RecoveryReport {
  /** Jobs that had been recorded. */
  settled: number
  /** Jobs and charges that had not. */
  refunded: number
  /** Idempotency-Keys set free again. */
  abandoned: number
}
