import type { LogPosition, MediaType, Uuid } from '@medialog/kernel'

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
 * and none of the content. All answers are of one account; events oldest first.
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
