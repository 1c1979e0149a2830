import { decodeRecorded } from '@medialog/contract'
import { DEFAULT_COLLECTION, type LibraryEvent, type MediaEvent, type Place } from '@medialog/domain'
import type { LogPosition, RecordedEvent, Uuid } from '@medialog/kernel'
import { collectionErasureIdOf } from '../core/ids.ts'
import type { Ports } from '../core/ports.ts'
import { namedIngest } from '../erasure/named-ingest.ts'
import { extendErasure } from '../erasure/request.ts'
import type { Origin } from '../event-sourcing/executing.ts'
import { streamName } from '../event-sourcing/streams.ts'
import { WrongExpectedRevision, type IngestRef } from '../ports/index.ts'

type EndedPorts = Pick<Ports, 'streams' | 'eventStore' | 'clock'>

/** Where an ingest is that readers see, or would see if its collection had not ended. */
interface Shown {
  place: Place
  isEnded: boolean
  /** Where one belongs that was recorded after its collection had ended; null where it was recorded before. */
  lateFor: string | null
  /** Of the last event that was looked at: reads that reached it show the ingest there. */
  position: LogPosition
}

/**
 * Moves an item that was recorded into a generation of a collection that had ended before: the deletion stands first in the
 * log, so it did not count the item, and the item belongs to what the collection is now (one that was to stay where it was:
 * to `default`). May be run by several at once: the library's stream decides.
 * Answers the collection that the item is in, also where another process moved it, and the position that shows it there. Null
 * where the item is dead: it was deleted or replaced, or ended with its collection.
 */
export async function moveLateItem(
  ports: EndedPorts,
  ingest: IngestRef,
  origin: Origin,
): Promise<{ collection: string; position: LogPosition } | null> {
  const { streams, eventStore, clock } = ports
  const { accountId, mediaId } = ingest
  for (;;) {
    const library = await streams.load('library', accountId, () => undefined)
    const shown = await lookFor(eventStore, ingest)
    if (shown && !shown.isEnded) return { collection: shown.place.collection, position: shown.position }
    const collection = shown?.lateFor
    if (!collection) return null
    const mediaIds = [mediaId]
    const command = { type: 'MoveItems' as const, accountId, collection, mediaIds, at: clock.now() }
    try {
      const { position } = await streams.execute('library', accountId, command, origin, {
        at: library.revision,
      })
      return { collection, position }
    } catch (error) {
      // Somebody else may have moved it.
      if (!(error instanceof WrongExpectedRevision)) throw error
    }
  }
}

/**
 * Names an ingest that ended with its collection in the erasure of that, where one is open. To be done before it is deleted:
 * after, its stream tells nothing more of it.
 */
export async function nameEndedItem(ports: EndedPorts, ingest: IngestRef): Promise<void> {
  const { streams, eventStore, clock } = ports
  const shown = await lookFor(eventStore, ingest)
  if (!shown?.isEnded) return
  const named = await namedIngest(streams, ingest.mediaId, ingest.ingestId)
  const erasureId = collectionErasureIdOf(ingest.accountId, shown.place)
  if (named) await extendErasure({ streams, clock }, erasureId, async () => [named])
}

/** Null where the ingest was deleted or replaced. Reads the item's stream and the whole library. */
async function lookFor(
  eventStore: EndedPorts['eventStore'],
  { accountId, mediaId, ingestId }: IngestRef,
): Promise<Shown | null> {
  let shown: { ingestId: Uuid; position: LogPosition; asked: Place | null } | null = null
  let place: Place = { collection: DEFAULT_COLLECTION, generation: 0 }
  const ended = new Map<string, LogPosition>()
  const events = await inOrder(eventStore, accountId, mediaId)
  for (const { event, position } of events)
    switch (event.type) {
      case 'MediaIngested':
      case 'MediaOverwritten':
        place = event.place ?? place
        shown = { ingestId: event.ingestId, position, asked: event.place }
        break
      case 'MediaDeleted':
        shown = null
        break
      case 'ItemsMoved':
        if (event.mediaIds.includes(mediaId)) place = event.place
        break
      case 'CollectionDeleted':
        ended.set(keyOf(event.place), position)
        break
      default:
    }
  if (shown?.ingestId !== ingestId) return null
  const endedAt = ended.get(keyOf(place))
  const isLate = endedAt !== undefined && endedAt < shown.position
  return {
    place,
    isEnded: endedAt !== undefined,
    lateFor: isLate ? (shown.asked?.collection ?? DEFAULT_COLLECTION) : null,
    position: events.at(-1)!.position,
  }
}

const keyOf = ({ collection, generation }: Place): string => `${generation} ${collection}`

/** What happened to the item and to the account's collections, in the order of the log. */
async function inOrder(
  eventStore: EndedPorts['eventStore'],
  accountId: Uuid,
  mediaId: Uuid,
): Promise<{ event: MediaEvent | LibraryEvent; position: LogPosition }[]> {
  const recorded: RecordedEvent[] = []
  for (const stream of [streamName('media', mediaId), streamName('library', accountId)])
    for await (const event of eventStore.read(stream)) recorded.push(event)
  return recorded
    .sort((a, b) => a.position - b.position)
    .map((event) => ({ event: decodeRecorded(event) as MediaEvent | LibraryEvent, position: event.position }))
}
