import type { HistoryChange } from '@medialog/application/ports'
import type { LogPosition, Revision, Uuid } from '@medialog/kernel'
import { staysOf, toldBy, undatedUntil, type Stay, type ToldItem } from '../../history/stays.ts'
import { keyword, long } from '../definition.ts'
import type { Place } from '../documents-of-batch.ts'
import { plainIndex, type PlainDocuments } from '../plain-index.ts'

/** An event by its place in the log. */
export interface EventDocument {
  kind: 'event'
  account: Uuid
  position: LogPosition
  request: Uuid | null
  media: Uuid[]
}

/** One of an erased item's own, which stays: a document that is removed would forget its version. */
interface ForgottenDocument {
  kind: 'forgotten'
}

/** What a job or a charge is about. */
interface SubjectDocument {
  kind: 'subject'
  account: Uuid
  media: Uuid[]
}

/** When an item was stored, and as what. */
export interface ItemDocument {
  kind: 'item'
  account: Uuid
  media: Uuid
  stays: Stay[]
  undatedUntil: number | null
  told: ToldItem
}

/** A collection's generation that ended. */
export interface EndedDocument {
  kind: 'ended'
  account: Uuid
  place: Uuid
  at: number
}

type AnyDocument = EventDocument | ForgottenDocument | SubjectDocument | ItemDocument | EndedDocument
type Documents = PlainDocuments<AnyDocument>
type AddEvent = Extract<HistoryChange, { type: 'AddEvent' }>
type ForgetEvents = Extract<HistoryChange, { type: 'ForgetEvents' }>

const eventPlace = (routing: Uuid, position: LogPosition): Place => ({
  id: `event/${String(position).padStart(16, '0')}`,
  routing,
})
/** What a deletion, which knows revisions alone, finds. */
const ownPlace = (routing: Uuid, mediaId: Uuid, revision: Revision): Place => ({
  id: `own/${mediaId}/${String(revision).padStart(16, '0')}`,
  routing,
})
const itemPlace = (routing: Uuid, mediaId: Uuid): Place => ({ id: `item/${mediaId}`, routing })
const endedPlace = (routing: Uuid, placeId: Uuid): Place => ({ id: `ended/${placeId}`, routing })
const subjectPlace = (routing: Uuid, subject: string): Place => ({
  id: `subject/${routing}/${subject}`,
  routing,
})

/** Which events are about an item, which came of a request, and which items were stored when. */
export const historyIndex = plainIndex<HistoryChange, AnyDocument>({
  name: 'history',
  version: 2,
  properties: {
    account: keyword,
    position: long,
    request: keyword,
    media: keyword,
    stays: {
      type: 'nested',
      properties: { createdAt: long, from: long, until: long, mediaType: keyword, placeId: keyword },
    },
    undatedUntil: long,
  },
  kinds: ['event', 'subject', 'item', 'ended'],
  concerned(change, position) {
    const { accountId } = change
    switch (change.type) {
      case 'AddEvent':
        return [
          placeOf(change, position),
          ...change.subjects.map((subject) => subjectPlace(accountId, subject)),
        ]
      case 'KnowSubject':
        return [subjectPlace(accountId, change.subject)]
      case 'ForgetEvents':
        return ownPlaces(change)
      case 'StoreItem':
      case 'EndLives':
        return [itemPlace(accountId, change.mediaId)]
      case 'MoveItems':
        return change.mediaIds.map((mediaId) => itemPlace(accountId, mediaId))
      case 'EndPlace':
        return [endedPlace(accountId, change.placeId)]
    }
  },
  apply,
})

const placeOf = ({ accountId, own }: AddEvent, position: LogPosition): Place =>
  own ? ownPlace(accountId, own.mediaId, own.revision) : eventPlace(accountId, position)

const ownPlaces = ({ accountId, mediaId, before }: ForgetEvents): Place[] =>
  Array.from({ length: before }, (_, revision) => ownPlace(accountId, mediaId, revision))

async function apply(documents: Documents, change: HistoryChange, position: LogPosition): Promise<void> {
  switch (change.type) {
    case 'AddEvent':
      return addEvent(documents, change, position)
    case 'KnowSubject': {
      const { accountId: account, subject, mediaIds } = change
      return documents.change<SubjectDocument>(
        subjectPlace(account, subject),
        position,
        (known) => known ?? { kind: 'subject', account, media: [...mediaIds] },
      )
    }
    case 'ForgetEvents':
      for (const place of ownPlaces(change))
        await documents.change<EventDocument | ForgottenDocument>(place, position, (known) =>
          known?.kind === 'event' ? { kind: 'forgotten' } : null,
        )
      return
    case 'StoreItem':
    case 'EndLives':
      return tell(documents, change.mediaId, change, position)
    case 'MoveItems':
      for (const mediaId of change.mediaIds) await tell(documents, mediaId, change, position)
      return
    case 'EndPlace': {
      const { accountId: account, placeId: place, at } = change
      return documents.change<EndedDocument>(
        endedPlace(account, place),
        position,
        (known) => known ?? { kind: 'ended', account, place, at },
      )
    }
  }
}

function tell(
  documents: Documents,
  media: Uuid,
  change: Parameters<typeof toldBy>[0],
  position: LogPosition,
): Promise<void> {
  const { accountId: account } = change
  return documents.change<ItemDocument>(itemPlace(account, media), position, (known) => {
    const told = toldBy(change, position, known?.told ?? null)
    return {
      kind: 'item',
      account,
      media,
      stays: staysOf(told),
      undatedUntil: undatedUntil(told),
      told,
    }
  })
}

async function addEvent(documents: Documents, change: AddEvent, position: LogPosition): Promise<void> {
  const { accountId: account, requestId: request, mediaIds, subjects } = change
  const media = [...new Set([...mediaIds, ...(await itemsOf(documents, account, subjects))])]
  await documents.change<EventDocument>(
    placeOf(change, position),
    position,
    (known) => known ?? { kind: 'event', account, position, request, media },
  )
}

async function itemsOf(documents: Documents, account: Uuid, subjects: readonly string[]): Promise<Uuid[]> {
  for (const subject of subjects) {
    const { id, routing } = subjectPlace(account, subject)
    const known = await documents.get<SubjectDocument>(id, routing)
    if (known) return known.media
  }
  return []
}
