import type { BatchAtWork, BatchJobView, BatchRecord, BatchView, CreatedBatch } from '@medialog/application'
import type { batchRoutes } from '@medialog/contract/http'
import { DEFAULT_COLLECTION, type JobErrorCode } from '@medialog/domain'
import { batchId, isoTime, jobId, MEDIA_TYPES, toUsdNumber, vectorId, type MediaType } from '@medialog/kernel'
import type { z } from 'zod'
import { paginationOf } from './pagination.ts'

type DataOf<Id extends keyof typeof batchRoutes> = z.input<(typeof batchRoutes)[Id]['answer']>['data']
type Results = DataOf<'readBatchResults'>

const MEGABYTE = 1_000_000
const megabytes = (bytes: number): number => Math.round(bytes) / MEGABYTE
/** With one decimal; 0 of nothing. */
const percent = (part: number, whole: number): number =>
  whole === 0 ? 0 : Math.round((part / whole) * 1000) / 10
const timeOrNull = (milliseconds: number | null): string | null =>
  milliseconds === null ? null : isoTime(milliseconds)

/** What to do about a failed file. */
const RESOLUTIONS: Record<JobErrorCode, string> = {
  validation_error: 'Send a file within the limits of its format.',
  format_error: 'Send a file of a supported format.',
  corrupted_file: 'Repair the file, or remove its password, and send it again.',
  processing_error: 'Send the file again; if it stays, report the request id.',
  storage_error: 'Send the file again later.',
  timeout_error: 'Send a smaller or simpler file.',
  resource_error: 'Send a smaller or simpler file.',
  quota_exceeded: 'Delete items or ask for a larger tier, then send the file again.',
  cancelled: 'Send the file again in another batch.',
}

/** How many of each, by what they have in common. */
function grouped<T, Key extends string>(values: readonly T[], keyOf: (value: T) => Key): Map<Key, T[]> {
  const groups = new Map<Key, T[]>()
  for (const value of values) groups.set(keyOf(value), [...(groups.get(keyOf(value)) ?? []), value])
  return groups
}

const mapped = <Key extends string, T, U>(groups: Map<Key, T[]>, of: (values: T[]) => U) =>
  Object.fromEntries([...groups].map(([key, values]) => [key, of(values)])) as { [K in Key]?: U }

export const mediaTypeCounts = (of: readonly { mediaType: MediaType }[]): { [T in MediaType]?: number } =>
  mapped(
    grouped(of, ({ mediaType }) => mediaType),
    (values) => values.length,
  )

export function batchCreation(created: CreatedBatch): DataOf<'createBatch'> {
  const { intent, collection, charged, estimatedSeconds } = created
  const processing = MEDIA_TYPES.map((type) => [type, toUsdNumber(charged.processing[type] ?? 0n)])
  return {
    batch_id: batchId.format(created.batchId),
    status: 'created',
    total_items: intent.jobs.length,
    created_at: isoTime(intent.at),
    estimated_completion_seconds: estimatedSeconds,
    estimated_completion: isoTime(intent.at + estimatedSeconds * 1000),
    collection,
    cost_estimate: {
      total: toUsdNumber(charged.total),
      breakdown: {
        processing: Object.fromEntries(processing) as Record<MediaType, number>,
        storage: toUsdNumber(charged.storage),
      },
    },
    settings: {
      force_overwrite: intent.overwrite,
      collection_id: collection,
      media_count: intent.jobs.length,
    },
  }
}

const named = ({ name }: Pick<BatchRecord, 'name'>) => (name === null ? {} : { batch_name: name })

export function batchView(batch: BatchView): DataOf<'readBatch'> {
  const { total, processing, succeeded, skipped, failed } = batch.jobs
  const done = succeeded + skipped + failed
  const partly = batch.atWork.reduce((sum, job) => sum + job.percent, 0) / 100
  return {
    batch_id: batchId.format(batch.batchId),
    ...named(batch),
    status: batch.status,
    collection: batch.collection ?? DEFAULT_COLLECTION,
    created_at: isoTime(batch.createdAt),
    started_at: timeOrNull(batch.startedAt),
    completed_at: timeOrNull(batch.endedAt),
    total_items: total,
    progress: {
      successful: succeeded,
      skipped,
      failed,
      pending: total - done - processing,
      processing,
      percent: percent(done + partly, total),
    },
    cost: {
      charged: toUsdNumber(batch.charged),
      refunded: toUsdNumber(batch.refunded),
      net: toUsdNumber(batch.charged - batch.refunded),
    },
    estimated_completion: timeOrNull(batch.estimatedCompletion),
  }
}

/** With the files at work that take long, while there are any. */
export const batchAtWork = (batch: BatchAtWork): DataOf<'readBatch'> => ({
  ...batchView(batch),
  ...(batch.atWork.length > 0 && {
    processing_jobs: batch.atWork.map((job) => ({
      job_id: jobId.format(job.jobId),
      ...(job.filename !== null && { filename: job.filename }),
      percent: job.percent,
    })),
  }),
})

type EndedJob = BatchJobView & { status: 'succeeded' | 'skipped' | 'failed'; endedAt: number }
const hasEnded = (job: BatchJobView): job is EndedJob => job.endedAt !== null

/** The outcome of the files: all statistics are of the whole batch, the jobs of one page. */
export function batchResults(
  { batch, jobs }: { batch: BatchRecord; jobs: readonly BatchJobView[] },
  { page, page_size: pageSize }: { page: number; page_size: number },
): Results {
  const ended = jobs.filter(hasEnded)
  const failed = ended.filter((job) => job.status === 'failed')
  const created = ended.filter((job) => job.status === 'succeeded')
  const successful = ended.length - failed.length
  const bytes = jobs.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
  return {
    batch_summary: {
      batch_id: batchId.format(batch.batchId),
      ...named(batch),
      collection: batch.collection ?? DEFAULT_COLLECTION,
      status: batch.status,
      timeline: timelineOf(batch),
      completion: {
        successful,
        failed: failed.length,
        total_items: jobs.length,
        completion_rate: percent(ended.length, jobs.length),
      },
    },
    job_results: ended.slice((page - 1) * pageSize, page * pageSize).map((job) => jobResult(batch, job)),
    statistics: {
      media_distribution: {
        by_type: mediaTypeCounts(jobs),
        total_created_media_items: created.length,
        media_ids_by_type: mapped(
          grouped(created, ({ mediaType }) => mediaType),
          (values) => values.map(({ mediaId }) => vectorId(mediaId)),
        ),
      },
      completion: {
        successful,
        failed: failed.length,
        total: jobs.length,
        success_rate: percent(successful, jobs.length),
      },
      resources: { total_files_size_bytes: bytes, total_files_size_mb: megabytes(bytes) },
      ...(failed.length > 0 && { error_summary: errorSummary(failed) }),
    },
    pagination: paginationOf({ page, pageSize }, ended.length),
  }
}

function timelineOf({ createdAt, startedAt, endedAt }: BatchRecord): Results['batch_summary']['timeline'] {
  return {
    created_at: isoTime(createdAt),
    started_at: timeOrNull(startedAt),
    completed_at: timeOrNull(endedAt),
    total_duration_seconds: endedAt === null ? null : Math.max(0, endedAt - (startedAt ?? createdAt)) / 1000,
  }
}

function jobResult({ createdAt }: BatchRecord, job: EndedJob): Results['job_results'][number] {
  const { filename, mediaType, sizeBytes, status, error } = job
  const named = filename !== null && { filename }
  return {
    job_id: jobId.format(job.jobId),
    media_id: status === 'failed' ? null : vectorId(job.mediaId),
    ...named,
    media_type: mediaType,
    status: status === 'skipped' ? 'processed' : status,
    file_info: { size_bytes: sizeBytes, size_mb: megabytes(sizeBytes) },
    processing_info: { created_at: isoTime(createdAt), completed_at: isoTime(job.endedAt) },
    ...(error && { error: { ...error, details: { ...named, resolution: RESOLUTIONS[error.code] } } }),
  }
}

function errorSummary(failed: readonly EndedJob[]): Results['statistics']['error_summary'] {
  return [...grouped(failed, (job) => job.error!.code)].map(([code, jobs]) => ({
    error_type: code,
    count: jobs.length,
    affected_files: jobs.flatMap(({ filename }) => filename ?? []),
    resolution: RESOLUTIONS[code],
  }))
}
