import { decodeRecorded, isKnownEvent } from '@medialog/contract'
import type {
  AccountEvent,
  ArtifactDigests,
  DomainEvent,
  LibraryEvent,
  MediaEvent,
  Place,
} from '@medialog/domain'
import type { LogPosition, RecordedEvent, Uuid } from '@medialog/kernel'
import { idIn } from '../event-sourcing/streams.ts'
import type { EventStore } from '../ports/index.ts'

/** An item in the log that was not deleted. */
export interface StoredItem {
  accountId: Uuid
  mediaId: Uuid
  ingestId: Uuid
  /** When its content was recorded, in milliseconds since the epoch. */
  at: number
  /** The event that names the artifacts it rests on. */
  recorded: LogPosition
  /** When the collection that it was in was deleted, whether or not it was deleted itself yet; else null. */
  endedAt: number | null
}

/** That an item was deleted, without a word about what it was. */
export interface DeletedItem {
  accountId: Uuid
  mediaId: Uuid
  /** What it was made of when it was deleted. */
  ingestId: Uuid
  /** When, in milliseconds since the epoch. */
  at: number
}

interface Kept extends Omit<StoredItem, 'mediaId' | 'endedAt'> {
  place: Place
}

/** What is stored, what was deleted and which accounts were closed, by the events alone, in a few hundred bytes an item. */
export class StoredItems {
  readonly #kept = new Map<Uuid, Kept>()
  readonly #deleted = new Map<Uuid, DeletedItem>()
  /** The last generation of a collection that ended, and when. */
  readonly #ended = new Map<string, { generation: number; at: number }>()
  readonly #open = new Set<Uuid>()
  readonly #closed = new Set<Uuid>()

  /** The event after those that were applied. @throws UnreadableEvent */
  apply(recorded: RecordedEvent): void {
    if (!TELLING.has(recorded.type) || !isKnownEvent(recorded)) return
    const event = decodeRecorded(recorded) as AccountEvent | LibraryEvent | MediaEvent
    // Of the item or the account that the stream is of.
    const id = idIn(recorded.stream)
    switch (event.type) {
      case 'MediaIngested':
      case 'MediaOverwritten': {
        const { accountId, ingestId, at } = event
        const place = event.place ?? this.#kept.get(id)?.place ?? DEFAULT
        this.#kept.set(id, { accountId, ingestId, at, place, recorded: recorded.position })
        return
      }
      case 'MediaReembedded': {
        const kept = this.#kept.get(id)
        if (kept?.ingestId === event.ingestId) kept.recorded = recorded.position
        return
      }
      case 'MediaDeleted': {
        const { accountId, ingestId, at } = event
        this.#kept.delete(id)
        this.#deleted.set(id, { accountId, mediaId: id, ingestId, at })
        return
      }
      case 'ItemsMoved':
        return this.#move(event)
      case 'CollectionDeleted':
        this.#ended.set(keyOf(event.accountId, event.place.collection), {
          generation: event.place.generation,
          at: event.at,
        })
        return
      case 'AccountOpened':
        this.#open.add(id)
        return
      case 'AccountClosed':
      case 'AccountErased':
        this.#open.delete(id)
        this.#closed.add(id)
        return
      default:
    }
  }

  #move({ accountId, mediaIds, place }: Extract<LibraryEvent, { type: 'ItemsMoved' }>): void {
    for (const mediaId of mediaIds) {
      const kept = this.#kept.get(mediaId)
      if (kept?.accountId === accountId) kept.place = place
    }
  }

  #endOf({ accountId, place }: Kept): number | null {
    const ended = this.#ended.get(keyOf(accountId, place.collection))
    return ended && place.generation <= ended.generation ? ended.at : null
  }

  *items(): Generator<StoredItem> {
    for (const [mediaId, kept] of this.#kept) {
      const { place: _, ...item } = kept
      yield { ...item, mediaId, endedAt: this.#endOf(kept) }
    }
  }

  /** Accounts that are open, and those that were closed. */
  get openAccounts(): ReadonlySet<Uuid> {
    return this.#open
  }
  get closedAccounts(): ReadonlySet<Uuid> {
    return this.#closed
  }

  /** Those that are not dead with their collection. */
  get alive(): number {
    return this.items().reduce((count, { endedAt }) => count + Number(endedAt === null), 0)
  }

  /** The last deletion of every item that ever had one; what its collection took with it counts as deleted then. */
  *deleted(): Generator<DeletedItem> {
    yield* this.#deleted.values()
    for (const { accountId, mediaId, ingestId, endedAt } of this.items())
      if (endedAt !== null) yield { accountId, mediaId, ingestId, at: endedAt }
  }
}

const TELLING = new Set<string>([
  'MediaIngested',
  'MediaOverwritten',
  'MediaReembedded',
  'MediaDeleted',
  'ItemsMoved',
  'CollectionDeleted',
  'AccountOpened',
  'AccountClosed',
  'AccountErased',
] satisfies DomainEvent['type'][])

/** Of an item whose record was erased with an earlier life of it, which no log should have. */
const DEFAULT: Place = { collection: 'default', generation: 0 }

const keyOf = (accountId: Uuid, collection: string): string => `${accountId}/${collection}`

/**
 * Whether what is stored is what was deleted, in a log without the deletion. What was uploaded again after it
 * is not: times tell, since positions of two histories of a log that was restored cannot be compared.
 */
export const isDeletedBy = (
  { ingestId, at }: Pick<StoredItem, 'ingestId' | 'at'>,
  deleted: Pick<DeletedItem, 'ingestId' | 'at'>,
): boolean => ingestId === deleted.ingestId || at <= deleted.at

/** What the item rests on, by name. @throws UnreadableEvent */
export async function recordedArtifacts(
  log: Pick<EventStore, 'eventAt'>,
  { recorded }: Pick<StoredItem, 'recorded'>,
): Promise<ArtifactDigests> {
  const event = await log.eventAt(recorded)
  return event === null ? {} : (decodeRecorded(event) as { artifacts: ArtifactDigests }).artifacts
}
