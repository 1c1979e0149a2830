import { decodeRecorded, isKnownEvent } from '@medialog/contract'
import type { DomainEvent } from '@medialog/domain'
import type { LogPosition, RecordedEvent } from '@medialog/kernel'
import type { EventStore } from '../ports/index.ts'

/** Events that are read from the log at the same time. */
const READ_AT_ONCE = 16

export interface ReadEvent {
  recorded: RecordedEvent
  event: DomainEvent
}

/** The events at these places, in that order; what was erased meanwhile is left out. @throws UnreadableEvent */
export async function readEvents(
  eventStore: Pick<EventStore, 'eventAt'>,
  positions: readonly LogPosition[],
): Promise<ReadEvent[]> {
  const events: ReadEvent[] = []
  for (let start = 0; start < positions.length; start += READ_AT_ONCE) {
    const part = positions.slice(start, start + READ_AT_ONCE)
    for (const recorded of await Promise.all(part.map((position) => eventStore.eventAt(position))))
      if (recorded && isKnownEvent(recorded.type)) events.push({ recorded, event: decodeRecorded(recorded) })
  }
  return events
}
