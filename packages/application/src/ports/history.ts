import type { PastLife } from '@medialog/domain'
import type { LogPosition, MediaType, Revision, Uuid } from '@medialog/kernel'

/** What a projection tells the read model to do; applying the same change twice changes nothing more. */
export type HistoryChange =
  /** An event of the account, by the place in the log that it is applied at. */
  | {
      type: 'AddEvent'
      accountId: Uuid
      requestId: Uuid | null
      /** The items that it names. */
      mediaIds: readonly Uuid[]
      /** Those of the first of these subjects that is known, besides. */
      subjects: readonly string[]
      /** Where it is in the stream of the item that it is an event of: erasing that item takes it out of the log. */
      own: { mediaId: Uuid; revision: Revision } | null
    }
  /** What later events are about that name a job or a charge alone. */
  | { type: 'KnowSubject'; accountId: Uuid; subject: string; mediaIds: readonly Uuid[] }
  /** The item's own events before that revision are gone, or are to go. */
  | { type: 'ForgetEvents'; accountId: Uuid; mediaId: Uuid; before: Revision }
  /** An item is there, or was replaced. `placeId` null: where it was. */
  | {
      type: 'StoreItem'
      accountId: Uuid
      mediaId: Uuid
      mediaType: MediaType
      placeId: Uuid | null
      at: number
    }
  | { type: 'MoveItems'; accountId: Uuid; mediaIds: readonly Uuid[]; placeId: Uuid; at: number }
  /** Everything in it is gone. */
  | { type: 'EndPlace'; accountId: Uuid; placeId: Uuid; at: number }
  /** It was deleted: all that is known from here on of its own past. */
  | { type: 'EndLives'; accountId: Uuid; mediaId: Uuid; lives: PastLife[] }

/** A page of the places of events in the log, and how many there are in all. */
export interface EventPage {
  positions: LogPosition[]
  total: number
}

/** An item as it was stored at a moment. Times are milliseconds since the epoch. */
export interface StoredThen {
  mediaId: Uuid
  mediaType: MediaType
  createdAt: number
  /** When it was deleted, or its collection was; null where it is still there. */
  erasedAt: number | null
  /** Where the log has the events that made it what it was and put it where it was; null where they are gone. */
  ingestPosition: LogPosition | null
  placePosition: LogPosition | null
}

export interface StoredThenPage {
  items: StoredThen[]
  total: number
  /** How many items were deleted after that moment of which it is not known since when they were there. */
  undated: number
}

/**
 * Which events of the log are about an item, or came of a request, and which items were stored when: places, ids and times,
 * and nothing of what stands there. All answers are of one account; events oldest first.
 */
export interface History {
  ofItem(accountId: Uuid, mediaId: Uuid, page: { offset: number; limit: number }): Promise<EventPage>
  ofRequest(accountId: Uuid, requestId: Uuid, page: { offset: number; limit: number }): Promise<EventPage>
  /** What was stored at that moment, its own events included, newest first (createdAt, then id). `placeIds`: in one of them. */
  storedAt(
    accountId: Uuid,
    asOf: number,
    filter: { mediaType?: MediaType; placeIds?: readonly Uuid[] },
    page: { offset: number; limit: number },
  ): Promise<StoredThenPage>
  position(): Promise<LogPosition>
}
