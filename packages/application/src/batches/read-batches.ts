import { BatchNotFound } from '@medialog/domain'
import { batchId as batchIds, type Uuid } from '@medialog/kernel'
import type { RequestContext } from '../core/context.ts'
import type { Ports } from '../core/ports.ts'
import { unlessAway } from '../core/unless-away.ts'
import { fileNamesOf } from '../library/file-names.ts'
import type { BatchRecord, BatchJobRecord, ShownBatchStatus } from '../ports/index.ts'
import { estimatedSeconds } from './batch-estimate.ts'

export interface ListBatches {
  status?: ShownBatchStatus
  page: number
  pageSize: number
}

export interface BatchJobView extends BatchJobRecord {
  /** Null once it was erased with its item, and while the log is unavailable. */
  filename: string | null
}

export interface BatchView extends BatchRecord {
  /** Milliseconds since the epoch, by measured times; null once it has ended. */
  estimatedCompletion: number | null
}

/** A batch with the names of the files that it works on; null as in BatchJobView. */
export interface BatchAtWork extends BatchView {
  atWork: (BatchView['atWork'][number] & { filename: string | null })[]
}

export type ReadingPorts = Pick<Ports, 'batches' | 'eventStore' | 'orchestrator' | 'clock'>

/** @throws BatchNotFound for what is no batch's id */
export function parseBatchId(id: string): Uuid {
  const batchId = batchIds.parse(id)
  if (batchId === null) throw new BatchNotFound()
  return batchId
}

/** One page of the account's batches, newest first. */
export async function listBatches(
  ports: ReadingPorts,
  { principal: { accountId } }: RequestContext,
  { page, pageSize, status }: ListBatches,
): Promise<{ batches: BatchView[]; total: number }> {
  const { batches: readModel } = ports
  const window = { offset: (page - 1) * pageSize, limit: pageSize }
  const { batches, total } = await readModel.list(accountId, { ...(status && { status }) }, window)
  const mean = await readModel.meanJobMs(accountId)
  return { batches: batches.map((batch) => viewOf(ports, batch, mean)), total }
}

/** @throws BatchNotFound */
export async function readBatch(
  ports: ReadingPorts,
  { principal: { accountId } }: RequestContext,
  id: string,
): Promise<BatchAtWork> {
  const { batches, eventStore } = ports
  const batchId = parseBatchId(id)
  const batch = await batches.batch(accountId, batchId)
  if (!batch) throw new BatchNotFound()
  const view = viewOf(ports, batch, await batches.meanJobMs(accountId))
  const names = batch.atWork.length > 0 ? await unlessAway(fileNamesOf(eventStore, batchId)) : null
  return { ...view, atWork: named(batch.atWork, names) }
}

/** The batch with all its jobs, in the order of its files. @throws BatchNotFound */
export async function readBatchResults(
  { batches, eventStore }: Pick<Ports, 'batches' | 'eventStore'>,
  { principal: { accountId } }: RequestContext,
  id: string,
): Promise<{ batch: BatchRecord; jobs: BatchJobView[] }> {
  const batchId = parseBatchId(id)
  // The batch first: one that has ended is never shown with a job that has not.
  const batch = await batches.batch(accountId, batchId)
  if (!batch) throw new BatchNotFound()
  const jobs = await batches.jobs(accountId, batchId)
  const names = await unlessAway(fileNamesOf(eventStore, batchId))
  return { batch, jobs: named(jobs, names) }
}

const named = <T extends { jobId: Uuid }>(jobs: readonly T[], names: ReadonlyMap<Uuid, string> | null) =>
  jobs.map((job) => ({ ...job, filename: names?.get(job.jobId) ?? null }))

function viewOf(
  { orchestrator, clock }: ReadingPorts,
  batch: BatchRecord,
  meanJobMs: number | null,
): BatchView {
  const { total, succeeded, skipped, failed } = batch.jobs
  const left = total - succeeded - skipped - failed
  const seconds = estimatedSeconds(left, meanJobMs, orchestrator.batchJobsAtOnce)
  return { ...batch, estimatedCompletion: batch.endedAt === null ? clock.now() + seconds * 1000 : null }
}
