import type { LogPosition, Revision, Uuid } from '@medialog/kernel'

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

/** A page of the places of events in the log, and how many there are in all. */
export interface EventPage {
  positions: LogPosition[]
  total: number
}

/**
 * Which events of the log are about an item, or came of a request: places, and nothing of what stands there. All answers
 * are of one account, oldest first.
 */
export interface History {
  ofItem(accountId: Uuid, mediaId: Uuid, page: { offset: number; limit: number }): Promise<EventPage>
  ofRequest(accountId: Uuid, requestId: Uuid, page: { offset: number; limit: number }): Promise<EventPage>
  position(): Promise<LogPosition>
}
