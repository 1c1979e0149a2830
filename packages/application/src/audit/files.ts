import { decodeRecorded, isKnownEvent } from '@medialog/contract'
import { refundOfJob, type Posting } from '@medialog/domain'
import type { LogPosition, Uuid } from '@medialog/kernel'
import { streamName } from '../event-sourcing/streams.ts'
import type { EventStore } from '../ports/index.ts'
import type { BatchOutcomes } from './batch-outcomes.ts'

/** What files a posting is about. */
export interface PostedFiles {
  jobId: Uuid | null
  /** Null where it is about none or several, or the name was erased with its item. */
  filename: string | null
  /** How many it was charged for or pays back; null where it is not about files that come in, or its batch was erased. */
  files: number | null
}

/** The files of one posting, as far as the log still knows them. */
export async function filesOf(
  eventStore: Pick<EventStore, 'read'>,
  batches: BatchOutcomes,
  { id, kind, cause }: Posting,
  position: LogPosition,
): Promise<PostedFiles> {
  const { jobId = null, mediaId, batchId } = cause ?? {}
  if (batchId) {
    const intent = (await batches.of(batchId))?.intent
    const charged = (intent?.jobs ?? []).filter(({ duplicate }) => !duplicate)
    // A file's part is paid back under an id made of its job's.
    const jobs = kind === 'refund' ? charged.filter((job) => id === refundOfJob(job.jobId)) : charged
    const [job] = jobs.length === 1 ? jobs : []
    return {
      jobId: job?.jobId ?? null,
      filename: (job && (await batches.names(batchId)).get(job.jobId)) ?? null,
      files: (job ? 1 : charged.length) || null,
    }
  }
  const filename = mediaId ? await filenameOf(eventStore, mediaId, jobId, position) : null
  return { jobId, filename, files: jobId ? 1 : null }
}

/** What the job called the item; without a job, what it was called when the posting was made. */
async function filenameOf(
  eventStore: Pick<EventStore, 'read'>,
  mediaId: Uuid,
  jobId: Uuid | null,
  position: LogPosition,
): Promise<string | null> {
  for await (const recorded of eventStore.read(streamName('media', mediaId), { direction: 'backwards' })) {
    if (!isKnownEvent(recorded)) continue
    const event = decodeRecorded(recorded)
    if (event.type !== 'MediaIngested' && event.type !== 'MediaOverwritten') continue
    if (jobId ? event.jobId === jobId : recorded.position < position) return event.filename
  }
  return null
}
