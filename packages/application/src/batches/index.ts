import type { Uuid } from '@medialog/kernel'
import type { Quota } from '../billing/quota.ts'
import type { RequestContext } from '../core/context.ts'
import type { Written } from '../core/written.ts'
import type { BatchRecord, ShownBatchStatus } from '../ports/index.ts'
import { Backlog, type BacklogPorts } from './backlog.ts'
import { cancelBatch, type CancelPorts } from './cancel-batch.ts'
import { createBatch, type CreateBatch, type CreatedBatch, type CreatePorts } from './create-batch.ts'
import {
  listBatches,
  readBatch,
  readBatchResults,
  type BatchAtWork,
  type BatchJobView,
  type BatchView,
  type ListBatches,
  type ReadingPorts,
} from './read-batches.ts'

/** Whatever names a batch @throws BatchNotFound */
export interface BatchUseCases {
  /**
   * Counts the files of a batch while they arrive, until `end`, against what its account may have staged. `add` @throws
   * BacklogFull
   */
  receive(context: RequestContext): { add(bytes: number): Promise<void>; end(): void }
  /**
   * Makes a batch of staged files, which are its own from then on or else released; its jobs run after the answer.
   * @throws UnsupportedFileType, UnreadableFile, InsufficientFunds, QuotaExceeded, BacklogFull, AccountSuspended,
   *   IdempotencyKeyReused, RequestInProgress, EngineUnavailable
   */
  create(context: RequestContext, command: CreateBatch): Promise<CreatedBatch>
  list(context: RequestContext, query: ListBatches): Promise<{ batches: BatchView[]; total: number }>
  read(context: RequestContext, id: string): Promise<BatchAtWork>
  /** With all its jobs, in the order of its files. */
  results(context: RequestContext, id: string): Promise<{ batch: BatchRecord; jobs: BatchJobView[] }>
  /** A batch that has ended stays as it is. */
  cancel(
    context: RequestContext,
    id: string,
  ): Promise<Written<{ batchId: Uuid; previous: ShownBatchStatus; current: ShownBatchStatus; at: number }>>
}

type BatchPorts = BacklogPorts & CreatePorts & ReadingPorts & CancelPorts

export function batches(ports: BatchPorts, quota: Quota): BatchUseCases {
  const backlog = new Backlog(ports)
  return {
    receive: ({ principal, requestId }) => backlog.receive(principal, requestId),
    create: (context, command) => createBatch(ports, { backlog, quota }, context, command),
    list: (context, query) => listBatches(ports, context, query),
    read: (context, id) => readBatch(ports, context, id),
    results: (context, id) => readBatchResults(ports, context, id),
    cancel: (context, id) => cancelBatch(ports, context, id),
  }
}
