import { decodeRecorded, isKnownEvent } from '@medialog/contract'
import type { LogPosition, Revision, Uuid } from '@medialog/kernel'
import type { Ports } from '../core/ports.ts'
import { SYSTEM } from '../event-sourcing/executing.ts'
import { streamName } from '../event-sourcing/streams.ts'
import { fileNamesOf } from '../library/file-names.ts'

type NamePorts = Pick<Ports, 'eventStore' | 'streams' | 'clock'>

/**
 * Takes names out of those of a batch's files: of these jobs, or of all (null). Answers where the stream begins that is left,
 * for it to be truncated before that; null where the batch named no file.
 */
export async function eraseFileNames(
  { eventStore, streams, clock }: NamePorts,
  accountId: Uuid,
  batchId: Uuid,
  jobIds: readonly Uuid[] | null,
): Promise<{ revision: Revision; position: LogPosition } | null> {
  const by = { ...SYSTEM, accountId }
  const at = clock.now()
  const { selected: areNamed } = await streams.load('files', batchId, (files) => files !== null)
  if (!areNamed) {
    // A release before this stream existed wrote them into the batch's own, where they stay: no query shows them any more.
    const names = [...(await fileNamesOf(eventStore, batchId))].map(([jobId, filename]) => ({
      jobId,
      filename,
    }))
    if (names.length === 0) return null
    await streams.execute('files', batchId, { type: 'NameFiles', accountId, names, at }, by)
  }
  const command = { type: 'EraseFileNames', accountId, jobIds, at } as const
  return streams.execute('files', batchId, command, by)
}

/** By batch, the jobs whose files were the item that was deleted at that revision of its stream: their names go with it. */
export async function jobsOfDeleted(
  eventStore: NamePorts['eventStore'],
  { mediaId, revision }: { mediaId: Uuid; revision: Revision },
  batches: readonly Uuid[],
): Promise<Map<Uuid, Uuid[]>> {
  const stored = new Set<Uuid>()
  let deletedAt = 0
  for await (const recorded of eventStore.read(streamName('media', mediaId))) {
    if (recorded.revision > revision) break
    deletedAt = recorded.position
    const event = isKnownEvent(recorded) ? decodeRecorded(recorded) : null
    if (event?.type === 'MediaIngested' || event?.type === 'MediaOverwritten') stored.add(event.jobId)
  }
  const found = new Map<Uuid, Uuid[]>()
  for (const batchId of batches) {
    const jobs: Uuid[] = []
    for await (const recorded of eventStore.read(streamName('batch', batchId))) {
      const event = isKnownEvent(recorded) ? decodeRecorded(recorded) : null
      // What came after is another item's, even of the same content; but a batch says late that its job stored this one.
      const isBefore = recorded.position < deletedAt
      if (event?.type === 'BatchSubmitted' && isBefore)
        jobs.push(...event.jobs.flatMap((job) => (job.duplicate && job.mediaId === mediaId ? job.jobId : [])))
      if (event?.type !== 'JobSucceeded' && event?.type !== 'JobSkipped') continue
      if (event.mediaId === mediaId && (isBefore || stored.has(event.jobId))) jobs.push(event.jobId)
    }
    if (jobs.length > 0) found.set(batchId, jobs)
  }
  return found
}
