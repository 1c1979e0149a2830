import type { HistoryChange } from '@medialog/application/ports'
import type { LogPosition, Revision, Uuid } from '@medialog/kernel'
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

type AnyDocument = EventDocument | ForgottenDocument | SubjectDocument
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
const subjectPlace = (routing: Uuid, subject: string): Place => ({
  id: `subject/${routing}/${subject}`,
  routing,
})

/** Which events are about an item, and which came of a request. */
export const historyIndex = plainIndex<HistoryChange, AnyDocument>({
  name: 'history',
  version: 1,
  properties: { account: keyword, position: long, request: keyword, media: keyword },
  kinds: ['event', 'subject'],
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
  }
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
