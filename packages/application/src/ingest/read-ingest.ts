import type { IngestRecord } from '@medialog/domain'
import type { Uuid, LogPosition, Money } from '@medialog/kernel'
import { decodeUnderstood } from '../artifacts/encoding.ts'
import { ReplayGone } from '../core/errors.ts'
import type { Ports } from '../core/ports.ts'
import type { IngestJob, Understood, CatalogItem, ItemVectors } from '../ports/index.ts'
import type { IngestAnswer } from './ingest-answer.ts'
import { recordedIngest } from './recorded-ingest.ts'

export interface UploadedMedia {
  /** The request that did the work: another one than the caller's when `replayed`. */
  requestId: Uuid
  replayed: boolean
  item: Omit<CatalogItem, 'revision'>
  vectors: ItemVectors
  startedAt: number
  completedAt: number
  jobId: Uuid
  previousBalance: Money
  cost: Money
  newBalance: Money
  position: LogPosition
}

type Uploaded = Omit<UploadedMedia, 'replayed'>

/**
 * What one ingest made, from the log and its artifacts: right whether or not the read models have caught up, and the
 * same for the first answer and every replay. @throws ReplayGone where a replay finds it deleted or replaced, and the first
 * answer finds it erased
 */
export async function readIngest(
  { eventStore, artifacts }: Pick<Ports, 'eventStore' | 'artifacts'>,
  accountId: Uuid,
  answer: IngestAnswer,
  { replayed }: { replayed: boolean },
): Promise<Uploaded> {
  const { mediaId, ingestId } = answer
  const recorded = await recordedIngest(eventStore, mediaId, ingestId)
  if (!recorded || (replayed && recorded.superseded)) throw new ReplayGone()
  const { record } = recorded
  const files = new Map<string, Uint8Array>()
  for (const name of Object.keys(record.artifacts)) {
    const bytes = await artifacts.get({ accountId, mediaId, ingestId }, name)
    if (!bytes) throw new ReplayGone()
    files.set(name, bytes)
  }
  return uploadedOf({ ...record, accountId }, answer, decodeUnderstood(files))
}

/**
 * What the job made, where the item that it stored was erased before the first answer was read: from its file, which is
 * staged until then.
 */
export async function readAnew(
  { understanding }: Pick<Ports, 'understanding'>,
  job: IngestJob,
  answer: IngestAnswer,
): Promise<Uploaded> {
  const { accountId, staged, filename, format } = job
  const file = { path: staged.path, filename, size: staged.size, format }
  const understood = await understanding.understand(file, { accountId })
  const made = {
    accountId,
    ingestId: job.ingestId,
    jobId: job.jobId,
    mediaType: format.mediaType,
    format: understood.extraction.format,
    filename,
    sizeBytes: staged.size,
    sha256: staged.sha256,
    vectorCount: { hd: 1 + understood.vectors.chunks.length, ld: 1 },
    durationMs: answer.completedAt - answer.startedAt,
    at: answer.completedAt,
  }
  return uploadedOf(made, answer, understood)
}

function uploadedOf(
  { at, jobId, ...record }: Omit<IngestRecord, 'artifacts' | 'embedder' | 'enricher'> & { accountId: Uuid },
  answer: IngestAnswer,
  { extraction, enrichment, vectors }: Understood,
): Uploaded {
  const { text: _, ...described } = extraction
  const { mediaId, collection } = answer
  return {
    requestId: answer.requestId,
    jobId,
    item: {
      ...record,
      mediaId,
      collection,
      createdAt: at,
      processedAt: at,
      extraction: described,
      enrichment,
    },
    vectors,
    startedAt: answer.startedAt,
    completedAt: answer.completedAt,
    previousBalance: BigInt(answer.previousBalance),
    cost: BigInt(answer.cost),
    newBalance: BigInt(answer.newBalance),
    position: answer.position,
  }
}
