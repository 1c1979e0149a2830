import type { Uuid } from '@medialog/kernel'
import type { UploadedMedia } from '../application.ts'
import { decodeUnderstood } from '../artifacts/encoding.ts'
import type { IngestAnswer } from '../ingest-answer.ts'
import type { Dependencies } from '../dependencies.ts'
import { ReplayGone } from '../errors.ts'
import { recordedIngest } from './recorded-ingest.ts'

/**
 * What one ingest made, from the log and its artifacts: right whether or not the read models have caught up, and the
 * same for the first answer and every replay. @throws ReplayGone where it was deleted or replaced since
 */
export async function readIngest(
  { eventStore, artifacts }: Pick<Dependencies, 'eventStore' | 'artifacts'>,
  accountId: Uuid,
  answer: IngestAnswer,
): Promise<Omit<UploadedMedia, 'replayed'>> {
  const { mediaId, ingestId } = answer
  const recorded = await recordedIngest(eventStore, mediaId, ingestId)
  if (!recorded || recorded.superseded) throw new ReplayGone()
  const { record } = recorded
  const files = new Map<string, Uint8Array>()
  for (const name of Object.keys(record.artifacts)) {
    const bytes = await artifacts.get({ accountId, mediaId, ingestId }, name)
    if (!bytes) throw new ReplayGone()
    files.set(name, bytes)
  }
  const { extraction, enrichment, vectors } = decodeUnderstood(files)
  const { text: _, ...described } = extraction
  return {
    requestId: answer.requestId,
    jobId: record.jobId,
    item: {
      ...record,
      accountId,
      mediaId,
      collection: answer.collection,
      createdAt: record.at,
      processedAt: record.at,
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
