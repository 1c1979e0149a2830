import { decodeRecorded, isKnownEvent } from '@medialog/contract'
import type { FileName } from '@medialog/domain'
import type { Uuid } from '@medialog/kernel'
import { submittedBatch } from '../batches/submitted-batch.ts'
import { lastEvent, streamName } from '../event-sourcing/streams.ts'
import type { EventStore } from '../ports/index.ts'

/** What the files of a batch were called, by the ids of their jobs: those whose items are still there, and those that failed. */
export async function fileNamesOf(
  eventStore: Pick<EventStore, 'read'>,
  batchId: Uuid,
): Promise<ReadonlyMap<Uuid, string>> {
  const last = await lastEvent(eventStore, streamName('files', batchId))
  const event = last && isKnownEvent(last) ? decodeRecorded(last) : null
  const names: readonly FileName[] =
    event?.type === 'FilesNamed' || event?.type === 'FileNamesErased'
      ? event.names
      : ((await submittedBatch(eventStore, batchId))?.intent.jobs ?? [])
  return new Map(names.flatMap(({ jobId, filename }) => (filename ? [[jobId, filename]] : [])))
}
