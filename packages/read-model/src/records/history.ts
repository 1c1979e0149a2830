import { placeIdOf } from '@medialog/application/core/ids'
import type { EventPage, History, StoredThen } from '@medialog/application/ports'
import type { DecodedEvent } from '@medialog/contract'
import { refundedJob } from '@medialog/domain'
import { UUID_PATTERN, type JsonObject, type LogPosition, type Revision, type Uuid } from '@medialog/kernel'
import {
  kindOf,
  type DocumentQueries,
  type Documents,
  type RecordModel,
  type Where,
  type Field,
} from '../documents.ts'
import { earliest, staysOf, toldBy, undatedUntil, type Stay, type Telling, type ToldItem } from './stays.ts'

/** An event that came of a request. Documents of events hold positions, and no content. */
interface RequestEvent {
  accountId: Uuid
  requestId: Uuid
  position: LogPosition
}

/** An event that is about an item. */
interface ItemEvent {
  accountId: Uuid
  mediaId: Uuid
  position: LogPosition
}

/** The items that a job or a charge is about. */
interface Subject {
  mediaIds: Uuid[]
}

/** What the log has told of an item's stays. */
interface Told {
  accountId: Uuid
  undatedUntil: number | null
  item: ToldItem
}

interface StoredStay extends Stay {
  accountId: Uuid
  mediaId: Uuid
}

/** A collection's generation that ended. */
interface EndedPlace {
  accountId: Uuid
  placeId: Uuid
  at: number
}

const requestEvents = kindOf<RequestEvent>('request_event', {
  fields: { accountId: 'keyword', requestId: 'keyword', position: 'long' },
  indexes: [['requestId', 'accountId', 'position']],
})
const itemEvents = kindOf<ItemEvent>('item_event', {
  fields: { accountId: 'keyword', mediaId: 'keyword', position: 'long' },
  indexes: [['mediaId', 'accountId', 'position']],
})
const subjects = kindOf<Subject>('subject', { fields: {} })
const toldItems = kindOf<Told>('told_item', {
  fields: { accountId: 'keyword', undatedUntil: 'long' },
  indexes: [['accountId', 'undatedUntil']],
  // Its stays are made of it.
  isWrittenLast: true,
})
const stays = kindOf<StoredStay>('stay', {
  fields: {
    accountId: 'keyword',
    mediaId: 'keyword',
    createdAt: 'long',
    from: 'long',
    until: 'long',
    mediaType: 'keyword',
    placeId: 'keyword',
  },
  indexes: [['accountId', 'createdAt', 'mediaId', 'from', 'until', 'placeId', 'mediaType']],
})
const endedPlaces = kindOf<EndedPlace>('ended_place', {
  fields: { accountId: 'keyword', placeId: 'keyword' },
  indexes: [['accountId', 'placeId']],
})

/** Which events are about an item, which came of a request, and which items were stored when. */
export const historyModel: RecordModel = {
  name: 'history',
  kinds: [requestEvents, itemEvents, subjects, toldItems, stays, endedPlaces],
  reducers: { media: ofMedia, ledger: ofLedger, batch: ofBatch, library: ofLibrary, request: ofRequest },
}

/** An event as history knows it. */
interface Noted {
  accountId: Uuid
  requestId: Uuid | null
  mediaIds: readonly Uuid[]
  /** A document's id. In an item's own stream, of which a deletion knows revisions alone, it is by revision. */
  key: string
}

const ownKey = (mediaId: Uuid, revision: Revision): string => `own/${mediaId}/${revision}`
const itemEventId = (mediaId: Uuid, key: string): string => `${mediaId}/${key}`

function note(
  documents: Documents,
  { recorded }: Pick<DecodedEvent, 'recorded'>,
  noted: Pick<Noted, 'accountId'> & Partial<Noted>,
): void {
  const { position, metadata } = recorded
  const { accountId, requestId = metadata.requestId ?? null, mediaIds = [], key = String(position) } = noted
  if (requestId !== null) documents.put(requestEvents, key, { accountId, requestId, position })
  for (const mediaId of new Set(mediaIds))
    documents.put(itemEvents, itemEventId(mediaId, key), { accountId, mediaId, position })
}

const subjectOfJob = (accountId: Uuid, jobId: Uuid): string => `${accountId}/job/${jobId}`
const subjectOfCharge = (accountId: Uuid, chargeId: string): string => `${accountId}/charge/${chargeId}`

const know = (documents: Documents, subject: string, mediaIds: Uuid[]): void =>
  documents.update(subjects, subject, (known) => known ?? { mediaIds })

const itemsOf = (documents: Documents, subject: string): Uuid[] | undefined =>
  documents.get(subjects, subject)?.mediaIds

/** Puts the item's stays as they are with what the event says. */
function tell(
  documents: Documents,
  { recorded }: Pick<DecodedEvent, 'recorded'>,
  { accountId, mediaId }: Pick<StoredStay, 'accountId' | 'mediaId'>,
  telling: Telling,
): void {
  const stayId = (number: number): string => `${mediaId}/${number}`
  documents.update(toldItems, mediaId, (before) => {
    const item = toldBy(telling, recorded.position, before?.item ?? null)
    const then = before ? staysOf(before.item).length : 0
    const now = staysOf(item)
    for (const [number, stay] of now.entries())
      documents.put(stays, stayId(number), { ...stay, accountId, mediaId })
    for (let number = now.length; number < then; number++) documents.remove(stays, stayId(number))
    return { accountId, undatedUntil: undatedUntil(item), item }
  })
}

function ofMedia(decoded: DecodedEvent<'media'>, documents: Documents): void {
  const { event, id: mediaId } = decoded
  const { accountId } = event
  const { revision } = decoded.recorded
  note(documents, decoded, { accountId, mediaIds: [mediaId], key: ownKey(mediaId, revision) })
  switch (event.type) {
    case 'MediaIngested':
    case 'MediaOverwritten': {
      const { mediaType, place, at } = event
      const placeId = place && placeIdOf(accountId, place)
      return tell(documents, decoded, { accountId, mediaId }, { type: 'StoreItem', mediaType, placeId, at })
    }
    case 'MediaDeleted': {
      for (let before = 0; before < revision; before++) {
        const key = ownKey(mediaId, before)
        documents.remove(requestEvents, key)
        documents.remove(itemEvents, itemEventId(mediaId, key))
      }
      return tell(documents, decoded, { accountId, mediaId }, { type: 'EndLives', lives: event.lives })
    }
    case 'IngestClaimed':
    case 'IngestReleased':
    case 'MediaReembedded':
      return
  }
}

function ofLedger(decoded: DecodedEvent<'ledger'>, documents: Documents): void {
  const { event, id: accountId } = decoded
  switch (event.type) {
    case 'BalanceCharged': {
      const { chargeId, cause } = event
      const requestId = cause.requestId ?? decoded.recorded.metadata.requestId ?? null
      const subject = subjectOfCharge(accountId, chargeId)
      // What a batch's charge is for is known from the batch.
      const mediaIds = cause.mediaId ? [cause.mediaId] : itemsOf(documents, subject)
      if (cause.mediaId) know(documents, subject, [cause.mediaId])
      return note(documents, decoded, { accountId, requestId, mediaIds })
    }
    case 'BalanceRefunded': {
      const { chargeId, refundId } = event
      const jobId = refundedJob(refundId, chargeId)
      const ofJob = jobId === null ? undefined : itemsOf(documents, subjectOfJob(accountId, jobId))
      const mediaIds = ofJob ?? itemsOf(documents, subjectOfCharge(accountId, chargeId))
      return note(documents, decoded, { accountId, requestId: requestOf(chargeId), mediaIds })
    }
    case 'ChargeSettled':
      return note(documents, decoded, { accountId, requestId: requestOf(event.chargeId) })
    case 'BalanceCredited':
    case 'LedgerClosed':
      return note(documents, decoded, { accountId })
    case 'BooksClosed':
      return
  }
}

/** A charge has the id of its request, also where another request ends it. */
const requestOf = (chargeId: string): Uuid | null => (UUID_PATTERN.test(chargeId) ? chargeId : null)

/** Every event of a batch names its account, except in logs that no service wrote. How far a job was is no history. */
function ofBatch(decoded: DecodedEvent<'batch'>, documents: Documents): void {
  const { event, id: batchId } = decoded
  if (event.type === 'JobProgressed') return
  if (event.type === 'BatchSubmitted') {
    const { accountId, jobs } = event
    const charged = jobs.filter(({ duplicate }) => !duplicate)
    if (charged.length > 0) know(documents, subjectOfCharge(accountId, batchId), idsOf(charged))
    for (const { jobId, mediaId } of jobs) know(documents, subjectOfJob(accountId, jobId), [mediaId])
    // A batch has the id of its request.
    return note(documents, decoded, { accountId, requestId: batchId, mediaIds: idsOf(jobs) })
  }
  const { accountId } = decoded.recorded.metadata
  if (accountId === undefined) return
  if ('mediaId' in event) return note(documents, decoded, { accountId, mediaIds: [event.mediaId] })
  const mediaIds = 'jobId' in event ? itemsOf(documents, subjectOfJob(accountId, event.jobId)) : undefined
  note(documents, decoded, { accountId, mediaIds })
}

const idsOf = (jobs: readonly { mediaId: Uuid }[]): Uuid[] => [...new Set(jobs.map(({ mediaId }) => mediaId))]

function ofLibrary(decoded: DecodedEvent<'library'>, documents: Documents): void {
  const { event } = decoded
  const { accountId, at } = event
  switch (event.type) {
    case 'ItemsMoved': {
      const { mediaIds } = event
      const placeId = placeIdOf(accountId, event.place)
      for (const mediaId of mediaIds)
        tell(documents, decoded, { accountId, mediaId }, { type: 'MoveItems', placeId, at })
      return note(documents, decoded, { accountId, mediaIds })
    }
    case 'CollectionDeleted': {
      const placeId = placeIdOf(accountId, event.place)
      documents.update(endedPlaces, placeId, (known) => known ?? { accountId, placeId, at })
      return note(documents, decoded, { accountId })
    }
    case 'LibraryErased':
      return note(documents, decoded, { accountId })
  }
}

function ofRequest(decoded: DecodedEvent<'request'>, documents: Documents): void {
  const { event } = decoded
  const { accountId } = event
  if (event.type === 'RequestErased') return note(documents, decoded, { accountId })
  const { requestId } = event
  const mediaIds = event.type === 'RequestCompleted' ? itemsIn(event.answer) : []
  note(documents, decoded, { accountId, requestId, mediaIds })
}

/** The items that an answer names, as it is kept for repeats. */
function itemsIn({ kept }: JsonObject): Uuid[] {
  if (!isObject(kept)) return []
  const { items, item, passages } = kept
  const named = [
    ...(isObject(items) ? Object.keys(items) : []),
    ...[item, ...(Array.isArray(passages) ? passages : [])].map((one) => isObject(one) && one['mediaId']),
  ]
  return [...new Set(named.filter((id) => typeof id === 'string').filter((id) => UUID_PATTERN.test(id)))]
}

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const BY_POSITION = [['position', 'asc']] as const

/** Which events are about an item, which came of a request, and which items were stored when. */
export function historyOf(read: DocumentQueries): History {
  const pageOf = async (
    found: Promise<{ documents: { position: LogPosition }[]; total: number }>,
  ): Promise<EventPage> => {
    const { documents, total } = await found
    return { positions: documents.map(({ position }) => position), total }
  }

  return {
    ofItem: (accountId, mediaId, page) =>
      pageOf(read.page(itemEvents, { where: { mediaId, accountId }, sort: BY_POSITION }, page)),

    ofRequest: (accountId, requestId, page) =>
      pageOf(read.page(requestEvents, { where: { requestId, accountId }, sort: BY_POSITION }, page)),

    async storedAt(accountId, asOf, { mediaType, placeIds }, page) {
      const places = await read.find(endedPlaces, { where: { accountId }, sort: [['placeId', 'asc']] })
      const ended = new Map(places.map(({ placeId, at }) => [placeId, at]))
      const isGone = (placeId: Uuid): boolean => (ended.get(placeId) ?? Infinity) <= asOf
      const where: Where<Field<StoredStay>> = {
        accountId,
        from: { lte: asOf },
        until: { gt: asOf },
        ...(mediaType && { mediaType }),
        // What is in a collection is gone with it.
        placeId: placeIds
          ? { in: placeIds.filter((placeId) => !isGone(placeId)) }
          : { notIn: [...ended.keys()].filter(isGone) },
      }
      const [{ documents, total }, undated] = await Promise.all([
        read.page(
          stays,
          {
            where,
            sort: [
              ['createdAt', 'desc'],
              ['mediaId', 'asc'],
            ],
          },
          page,
        ),
        read.count(toldItems, { accountId, undatedUntil: { gt: asOf } }),
      ])
      return { items: documents.map((stay) => storedThen(stay, ended)), total, undated }
    },

    position: () => read.position(),
  }
}

function storedThen(stay: StoredStay, ended: ReadonlyMap<Uuid, number>): StoredThen {
  const { mediaId, mediaType, createdAt, deletedAt, lastPlaceId, ingestPosition, placePosition } = stay
  const endedAt = lastPlaceId === null ? null : (ended.get(lastPlaceId) ?? null)
  const erasedAt = earliest(deletedAt, endedAt)
  return { mediaId, mediaType, createdAt, erasedAt, ingestPosition, placePosition }
}
