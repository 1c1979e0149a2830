import type {
  UnfinishedCharge,
  UnfinishedErasure,
  UnfinishedIngest,
  WorkChange,
} from '@medialog/application/ports'
import type { BatchStatus } from '@medialog/domain'
import type { StreamName, Uuid } from '@medialog/kernel'
import { keyword, long } from '../definition.ts'
import type { Place } from '../documents-of-batch.ts'
import { plainIndex, type PlainDocuments } from '../plain-index.ts'

/** Each with the log position at which it began. */
type Begun<T> = T & { begun: number }

/**
 * What an account has begun and not ended, but for its batches. One document for all of it, which stays when it is
 * empty: a document that is removed would forget its version, and something late could bring back what has ended.
 */
export interface OpenDocument {
  kind: 'open'
  account: Uuid
  /** How much there is. */
  open: number
  ingests: Begun<UnfinishedIngest>[]
  /** `rest`: digits of nano-USD. */
  charges: Begun<Omit<UnfinishedCharge, 'rest'> & { rest: string }>[]
  requests: Begun<{ stream: StreamName; accountId: Uuid; requestId: Uuid; at: number }>[]
  erasures: Begun<UnfinishedErasure>[]
}

/** A batch, which stays in the same way. */
export interface BatchDocument {
  kind: 'batch'
  batchId: Uuid
  accountId: Uuid
  status: BatchStatus
  begun: number
  ended: boolean
  /** Jobs that have not ended. */
  jobs: Uuid[]
}

type AnyDocument = OpenDocument | BatchDocument
type Documents = PlainDocuments<AnyDocument>
type OfBatch = Extract<WorkChange, { batchId: Uuid }>

/** What was begun and has not ended. */
export const workIndex = plainIndex<WorkChange, AnyDocument>({
  name: 'work',
  version: 2,
  properties: { open: long, ended: { type: 'boolean' }, begun: long, account: keyword },
  kinds: ['open', 'batch'],
  concerned: (change) => [placeOf(change)],
  async apply(documents, change, position) {
    if (isOfBatch(change)) return applyToBatch(documents, change, position)
    const account = accountOf(change)
    return documents.change<OpenDocument>(placeOf(change), position, (before) =>
      counted(changed(before ?? nothingOf(account), change, position)),
    )
  },
  // How many there were is told by nothing that a truncated past leaves.
  digested: (document) => {
    if (document.kind === 'batch') return document.ended ? null : document
    return document.open > 0 ? document : null
  },
})

const isOfBatch = (change: WorkChange): change is OfBatch => 'batchId' in change

const placeOf = (change: WorkChange): Place =>
  isOfBatch(change)
    ? { id: `batch/${change.batchId}`, routing: change.batchId }
    : { id: `open/${accountOf(change)}`, routing: accountOf(change) }

function accountOf(change: Exclude<WorkChange, OfBatch>): Uuid {
  if (change.type === 'OpenIngest') return change.ingest.accountId
  return change.type === 'OpenCharge' ? change.charge.accountId : change.accountId
}

const nothingOf = (account: Uuid): OpenDocument => ({
  kind: 'open',
  account,
  open: 0,
  ingests: [],
  charges: [],
  requests: [],
  erasures: [],
})

const counted = (document: OpenDocument): OpenDocument => ({
  ...document,
  open: [document.ingests, document.charges, document.requests, document.erasures].flat().length,
})

function changed(before: OpenDocument, change: Exclude<WorkChange, OfBatch>, begun: number): OpenDocument {
  const { ingests, charges, requests, erasures } = before
  switch (change.type) {
    case 'OpenIngest':
      return { ...before, ingests: [...ingests, { ...change.ingest, begun }] }
    case 'CloseIngest': {
      const isClosed = ({ mediaId, ingestId }: UnfinishedIngest): boolean =>
        mediaId === change.mediaId && ingestId === change.ingestId
      return { ...before, ingests: ingests.filter((ingest) => !isClosed(ingest)) }
    }
    case 'OpenCharge': {
      const { charge } = change
      return { ...before, charges: [...charges, { ...charge, rest: String(charge.rest), begun }] }
    }
    case 'RefundCharge': {
      const left = charges.flatMap((charge) => {
        if (charge.chargeId !== change.chargeId) return [charge]
        const rest = BigInt(charge.rest) - change.amount
        return rest > 0n ? [{ ...charge, rest: String(rest) }] : []
      })
      return { ...before, charges: left }
    }
    case 'SettleCharge':
      return { ...before, charges: charges.filter(({ chargeId }) => chargeId !== change.chargeId) }
    case 'OpenRequest': {
      const { stream, accountId, requestId, at } = change
      const others = requests.filter((request) => request.stream !== stream)
      return { ...before, requests: [...others, { stream, accountId, requestId, at, begun }] }
    }
    case 'CloseRequest': {
      const isClosed = ({ stream, requestId }: OpenDocument['requests'][number]): boolean =>
        stream === change.stream && requestId === change.requestId
      return { ...before, requests: requests.filter((request) => !isClosed(request)) }
    }
    case 'OpenErasure': {
      const { accountId, erasureId } = change
      return { ...before, erasures: [...erasures, { accountId, erasureId, begun }] }
    }
    case 'CloseErasure':
      return { ...before, erasures: erasures.filter(({ erasureId }) => erasureId !== change.erasureId) }
  }
}

const applyToBatch = (documents: Documents, change: OfBatch, position: number): Promise<void> =>
  documents.change<BatchDocument>(placeOf(change), position, (before) => {
    if (change.type !== 'OpenBatch') return before && ended(batchAfter(before, change))
    const { batchId, accountId, jobIds } = change
    const jobs = [...jobIds]
    return (
      before ?? {
        kind: 'batch',
        batchId,
        accountId,
        status: 'submitted',
        begun: position,
        ended: false,
        jobs,
      }
    )
  })

const batchAfter = (before: BatchDocument, change: Exclude<OfBatch, { type: 'OpenBatch' }>): BatchDocument =>
  change.type === 'SetBatchStatus'
    ? { ...before, status: change.status }
    : { ...before, jobs: before.jobs.filter((jobId) => jobId !== change.jobId) }

/** A batch is there until it was rejected, completed or failed or, cancelled, until its last job has ended. */
function ended(batch: BatchDocument): BatchDocument {
  const { status, jobs } = batch
  const isOver =
    status === 'rejected' ||
    status === 'completed' ||
    status === 'failed' ||
    (status === 'cancelled' && jobs.length === 0)
  return isOver ? { ...batch, ended: true, jobs: [] } : batch
}
