import type { Uuid } from '@medialog/kernel'

/**
 * Ids of workflows are made from ours, so that the same work is found, and never begun twice by several processes.
 */
export const ingestWorkflowId = (jobId: Uuid): string => `ingest-${jobId}`
export const endIngestWorkflowId = (jobId: Uuid): string => `end-ingest-${jobId}`
export const batchWorkflowId = (batchId: Uuid): string => `batch-${batchId}`

/**
 * Where files of batches wait to be read. Apart from all other steps, so that a worker takes as many of them as it reads
 * at a time and none of the rest waits behind them.
 */
export const filesQueueOf = (taskQueue: string): string => `${taskQueue}-files`

/** How long a worker may be silent about a step before it counts as gone, in milliseconds. */
export const HEARTBEAT_TIMEOUT_MS = 10_000
