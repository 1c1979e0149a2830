import { placeIdOf } from '@medialog/application/ids'
import type { HistoryChange } from '@medialog/application/ports'
import { UUID_PATTERN, type JsonObject, type RecordedEvent, type Uuid } from '@medialog/kernel'
import { decodedOf, isOf, type Decoded, type Projection } from './projection.ts'

type AddEvent = Extract<HistoryChange, { type: 'AddEvent' }>
/** What of an event is not the same for all. */
type Told = Pick<AddEvent, 'accountId'> & Partial<Omit<AddEvent, 'type' | 'accountId'>>

/** Which events are about an item, which came of a request, and which items were stored when. */
export const historyProjection: Projection<HistoryChange> = {
  name: 'history',
  batchSize: 512,
  project(recorded) {
    if (isOf('media', recorded)) return changesOf(decodedOf('media', recorded), ofMedia)
    if (isOf('ledger', recorded)) return changesOf(decodedOf('ledger', recorded), ofLedger)
    if (isOf('batch', recorded)) return changesOf(decodedOf('batch', recorded), ofBatch)
    if (isOf('library', recorded)) return changesOf(decodedOf('library', recorded), ofLibrary)
    if (isOf('request', recorded)) return changesOf(decodedOf('request', recorded), ofRequest)
    return []
  },
}

const changesOf = <T>(decoded: T | null, of: (decoded: T) => HistoryChange[]): HistoryChange[] =>
  decoded === null ? [] : of(decoded)

const added = ({ metadata }: RecordedEvent, told: Told): AddEvent => ({
  type: 'AddEvent',
  requestId: metadata.requestId ?? null,
  mediaIds: [],
  subjects: [],
  own: null,
  ...told,
})

const jobSubject = (jobId: Uuid): string => `job/${jobId}`
const chargeSubject = (chargeId: string): string => `charge/${chargeId}`

function ofMedia({ event, id: mediaId, recorded }: Decoded<'media'>): HistoryChange[] {
  const { accountId } = event
  const { revision } = recorded
  const change = added(recorded, { accountId, mediaIds: [mediaId], own: { mediaId, revision } })
  switch (event.type) {
    case 'MediaIngested':
    case 'MediaOverwritten': {
      const { mediaType, place, at } = event
      const placeId = place && placeIdOf(accountId, place)
      return [change, { type: 'StoreItem', accountId, mediaId, mediaType, placeId, at }]
    }
    case 'MediaDeleted':
      return [
        change,
        { type: 'ForgetEvents', accountId, mediaId, before: revision },
        { type: 'EndLives', accountId, mediaId, lives: event.lives },
      ]
    default:
      return [change]
  }
}

function ofLedger({ event, id: accountId, recorded }: Decoded<'ledger'>): HistoryChange[] {
  switch (event.type) {
    case 'BalanceCharged': {
      const { chargeId, cause } = event
      const { mediaId, requestId = recorded.metadata.requestId ?? null } = cause
      const subject = chargeSubject(chargeId)
      // What a batch's charge is for was known with the batch.
      if (!mediaId) return [added(recorded, { accountId, requestId, subjects: [subject] })]
      const mediaIds = [mediaId]
      return [
        added(recorded, { accountId, requestId, mediaIds }),
        { type: 'KnowSubject', accountId, subject, mediaIds },
      ]
    }
    case 'BalanceRefunded': {
      const { chargeId, refundId } = event
      const ofJob = refundId.startsWith('refund-') ? [jobSubject(refundId.slice('refund-'.length))] : []
      const subjects = [...ofJob, chargeSubject(chargeId)]
      return [added(recorded, { accountId, requestId: requestOf(chargeId), subjects })]
    }
    case 'ChargeSettled':
      return [added(recorded, { accountId, requestId: requestOf(event.chargeId) })]
    case 'BalanceCredited':
    case 'LedgerClosed':
      return [added(recorded, { accountId })]
    case 'BooksClosed':
      return []
  }
}

/** A charge has the id of its request, whoever ends it. */
const requestOf = (chargeId: string): Uuid | null => (UUID_PATTERN.test(chargeId) ? chargeId : null)

/** Every event of a batch says whose it is, but for those of logs that no service wrote. */
function ofBatch({ event, id: batchId, recorded }: Decoded<'batch'>): HistoryChange[] {
  if (event.type === 'BatchSubmitted') {
    const { accountId, jobs } = event
    const charged = jobs.filter(({ duplicate }) => !duplicate)
    const know = (subject: string, of: typeof jobs): HistoryChange => ({
      type: 'KnowSubject',
      accountId,
      subject,
      mediaIds: idsOf(of),
    })
    return [
      // A batch has the id of its request.
      added(recorded, { accountId, requestId: batchId, mediaIds: idsOf(jobs) }),
      ...(charged.length > 0 ? [know(chargeSubject(batchId), charged)] : []),
      ...jobs.map((job) => know(jobSubject(job.jobId), [job])),
    ]
  }
  const { accountId } = recorded.metadata
  if (accountId === undefined) return []
  if ('mediaId' in event) return [added(recorded, { accountId, mediaIds: [event.mediaId] })]
  return [added(recorded, { accountId, subjects: 'jobId' in event ? [jobSubject(event.jobId)] : [] })]
}

const idsOf = (jobs: readonly { mediaId: Uuid }[]): Uuid[] => [...new Set(jobs.map(({ mediaId }) => mediaId))]

function ofLibrary({ event, recorded }: Decoded<'library'>): HistoryChange[] {
  const { accountId, at } = event
  switch (event.type) {
    case 'ItemsMoved': {
      const { mediaIds } = event
      const placeId = placeIdOf(accountId, event.place)
      return [
        added(recorded, { accountId, mediaIds }),
        { type: 'MoveItems', accountId, mediaIds, placeId, at },
      ]
    }
    case 'CollectionDeleted': {
      const placeId = placeIdOf(accountId, event.place)
      return [added(recorded, { accountId }), { type: 'EndPlace', accountId, placeId, at }]
    }
    case 'LibraryErased':
      return [added(recorded, { accountId })]
  }
}

function ofRequest({ event, recorded }: Decoded<'request'>): HistoryChange[] {
  const { accountId } = event
  if (event.type === 'RequestErased') return [added(recorded, { accountId })]
  const { requestId } = event
  const mediaIds = event.type === 'RequestCompleted' ? itemsIn(event.answer) : []
  return [added(recorded, { accountId, requestId, mediaIds })]
}

/** The items that an answer spoke of, as it is kept for repeats. */
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
