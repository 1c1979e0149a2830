import { decodeRecorded, isKnownEvent } from '@medialog/contract'
import type { IngestRecord, Place } from '@medialog/domain'
import type { LogPosition, Uuid } from '@medialog/kernel'
import { streamName } from '../event-sourcing/streams.ts'
import type { EventStore } from '../ports/index.ts'

export interface RecordedIngest {
  record: IngestRecord
  /** Null: it stayed where the item was. */
  place: Place | null
  position: LogPosition
  /** When the job claimed the item; null where that event was erased. */
  claimedAt: number | null
  /** The item was overwritten or deleted since. */
  superseded: boolean
}

/** The record of one ingest of an item; null where it was never recorded, or its record was erased. */
export async function recordedIngest(
  eventStore: EventStore,
  mediaId: Uuid,
  ingestId: Uuid,
): Promise<RecordedIngest | null> {
  let found: RecordedIngest | null = null
  let superseded = false
  /** Its artifacts since it was embedded again. */
  let artifacts: IngestRecord['artifacts'] | null = null
  for await (const recorded of eventStore.read(streamName('media', mediaId), { direction: 'backwards' })) {
    if (!isKnownEvent(recorded)) continue
    const event = decodeRecorded(recorded)
    if (event.type === 'MediaIngested' || event.type === 'MediaOverwritten') {
      const { type: _, place, ...record } = event
      if (event.ingestId === ingestId)
        found = {
          record: artifacts ? { ...record, artifacts } : record,
          place,
          position: recorded.position,
          claimedAt: null,
          superseded,
        }
      superseded = true
    } else if (event.type === 'MediaReembedded') {
      if (event.ingestId === ingestId) artifacts ??= event.artifacts
    } else if (event.type === 'MediaDeleted') superseded = true
    else if (found && event.type === 'IngestClaimed' && event.ingestId === ingestId)
      return { ...found, claimedAt: event.at }
  }
  return found
}
