import { decodeRecorded } from '@medialog/contract'
import type { BatchIntent } from '@medialog/domain'
import type { Uuid } from '@medialog/kernel'
import { originFrom } from '../core/origin.ts'
import type { Origin } from '../event-sourcing/executing.ts'
import { streamName } from '../event-sourcing/streams.ts'
import type { EventStore } from '../ports/index.ts'

/** A batch as it was asked for, and by whom. */
export interface SubmittedBatch {
  intent: BatchIntent
  origin: Origin
}

/** The batch as its first event has it; null where there is no such batch. For the names of its files see fileNamesOf. */
export async function submittedBatch(
  eventStore: Pick<EventStore, 'read'>,
  batchId: Uuid,
): Promise<SubmittedBatch | null> {
  for await (const recorded of eventStore.read(streamName('batch', batchId), { limit: 1 })) {
    const event = decodeRecorded(recorded)
    if (event.type !== 'BatchSubmitted') return null
    const { type: _, ...intent } = event
    return { intent, origin: originFrom(recorded.metadata) }
  }
  return null
}
