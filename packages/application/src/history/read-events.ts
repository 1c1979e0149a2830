import { decodeRecorded, isKnownEvent } from '@medialog/contract'
import type { DomainEvent } from '@medialog/domain'
import type { LogPosition, RecordedEvent } from '@medialog/kernel'
import type { EventStore } from '../ports/index.ts'

/** Events that are read, and looked around, at the same time. */
const AT_ONCE = 16

export interface ReadEvent {
  recorded: RecordedEvent
  event: DomainEvent
}

/** The events at these places, in that order; what was erased meanwhile is left out. @throws UnreadableEvent */
export async function readEvents(
  eventStore: Pick<EventStore, 'eventAt'>,
  positions: readonly LogPosition[],
): Promise<ReadEvent[]> {
  const found = await inParts(positions, (position) => eventStore.eventAt(position))
  return found.flatMap((recorded) =>
    recorded && isKnownEvent(recorded) ? [{ recorded, event: decodeRecorded(recorded) }] : [],
  )
}

/** Some at the same time, in order: a page may be long, and an engine far away. */
export async function inParts<From, To>(
  all: readonly From[],
  work: (one: From) => Promise<To>,
): Promise<To[]> {
  const done: To[] = []
  for (let start = 0; start < all.length; start += AT_ONCE)
    done.push(...(await Promise.all(all.slice(start, start + AT_ONCE).map(work))))
  return done
}
