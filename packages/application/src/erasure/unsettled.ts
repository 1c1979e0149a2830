import { decodeRecorded } from '@medialog/contract'
import type { Uuid } from '@medialog/kernel'
import type { Ports } from '../core/ports.ts'
import { streamName } from '../event-sourcing/streams.ts'

/**
 * Whether the money of an ingest of the item, claimed before that revision of its stream, is still to be decided: the charge
 * of an upload is open, or a batch does not know how its job ended. The item's stream decides it, so it must stay whole
 * until then.
 */
export async function hasUnsettledIngest(
  { eventStore, streams }: Pick<Ports, 'eventStore' | 'streams'>,
  { accountId, mediaId, revision }: { accountId: Uuid; mediaId: Uuid; revision: number },
): Promise<boolean> {
  const uploads: Uuid[] = []
  const ofBatches: { batchId: Uuid; jobId: Uuid }[] = []
  for await (const recorded of eventStore.read(streamName('media', mediaId))) {
    if (recorded.revision >= revision) break
    if (recorded.type !== 'IngestClaimed') continue
    const event = decodeRecorded(recorded)
    if (event.type !== 'IngestClaimed') continue
    const { batchId, jobId } = event
    if (batchId === null) uploads.push(jobId)
    else ofBatches.push({ batchId, jobId })
  }
  if (uploads.length > 0) {
    const { selected: isOpen } = await streams.load('ledger', accountId, ({ charges }) =>
      uploads.some((chargeId) => charges.get(chargeId)?.open),
    )
    if (isOpen) return true
  }
  for (const { batchId, jobId } of ofBatches) {
    const { selected: outcome } = await streams.load('batch', batchId, ({ jobs }) => jobs.get(jobId))
    if (outcome === null) return true
  }
  return false
}
