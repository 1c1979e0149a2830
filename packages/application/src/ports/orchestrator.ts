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
  jobId: Uuid
  /**
   * What its claim, its artifacts and its record carry. A job ingests once; one that is taken up again after its claim
   * was released has a new one.
   */
  ingestId: Uuid
  /** The request stream that its outcome completes, where an Idempotency-Key came with it. */
  requestStream: Uuid | null
  /** The batch that it was paid for with; null: it pays for itself. */
  batchId: Uuid | null
  mediaId: Uuid
  staged: Omit<StagedFile, 'head'>
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
   * Where `signal` aborts before the item is recorded, it is given up; later it changes nothing.
   * @throws DuplicateMedia, IngestInProgress, InsufficientFunds, UnreadableFile, EngineUnavailable; the signal's reason
   */
  ingest(job: IngestJob, signal?: AbortSignal): Promise<IngestOutcome>
  /** Works a created batch off, from the log alone, until every job has ended. Told twice, it is done once. */
  startBatch(batchId: Uuid): void
  /** Ends what is under way of a cancelled batch; resolves once every job has ended, or when `signal` aborts. */
  stopBatch(batchId: Uuid, signal: AbortSignal): Promise<void>
  /**
   * Gives up an intent that may not have become a batch: rejected first, refunded after, its staged files go. Tried
   * until it is done, in the background where the log is unavailable. `created` says that it was too late for that. What the
   * background finds comes after the request was refused: there a batch that was not started is cancelled.
   */
  abandonBatch(batchId: Uuid, stagedIds: readonly Uuid[]): Promise<'abandoned' | 'created'>
  /** How many jobs of batches are worked on at a time. */
  readonly batchJobsAtOnce: number
  /**
   * Takes up what a crash left: settles what was recorded, releases and refunds the rest. Run before requests are served.
   * Where other processes share the log it only begins to look for what those leave, and goes on until it is drained.
   */
  recover(): Promise<RecoveryReport>
  /** Stops taking work; resolves when what runs has ended or `signal` aborts. */
  drain(signal: AbortSignal): Promise<void>
  /** @throws EngineUnavailable where the engine that carries its work does not answer */
  check(): Promise<void>
  /** What keeps it from working, a sentence for the operator; null: nothing does. Never rejects. */
  trouble(): Promise<string | null>
  /** Jobs running and waiting. */
  load(): { running: number; waiting: number }
}

/** How many of each a crash had left. */
export interface RecoveryReport {
  /** Jobs that had been recorded. */
  settled: number
  /** Jobs, charges and intents of batches that had not. */
  refunded: number
  /** Batches that go on. */
  resumed: number
  /** Idempotency-Keys set free again. */
  abandoned: number
}
