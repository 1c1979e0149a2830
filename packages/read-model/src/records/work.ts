import type {
  UnfinishedCharge,
  UnfinishedErasure,
  UnfinishedIngest,
  UnfinishedRequest,
  UnfinishedWork,
} from '@medialog/application/ports'
import type { DecodedEvent } from '@medialog/contract'
import type { BatchStatus } from '@medialog/domain'
import type { LogPosition, Uuid } from '@medialog/kernel'
import { kindOf, type DocumentQueries, type Documents, type RecordModel } from '../documents.ts'

type Begun<T> = T & { begun: LogPosition }

/** What an account has begun and not ended, except its batches. */
interface OpenWork {
  accountId: Uuid
  ingests: Begun<UnfinishedIngest>[]
  /** `rest`: digits of nano-USD. */
  charges: Begun<Omit<UnfinishedCharge, 'rest'> & { rest: string }>[]
  requests: Begun<UnfinishedRequest>[]
  erasures: Begun<UnfinishedErasure>[]
}

interface OpenBatch {
  batchId: Uuid
  accountId: Uuid
  status: BatchStatus
  begun: LogPosition
  /** Jobs that have not ended. */
  jobs: Uuid[]
}

/** One document an account: in an index, each document that is removed leaves a trace. */
const openWork = kindOf<OpenWork>('open_work', { fields: { accountId: 'keyword' }, indexes: [['accountId']] })
const openBatches = kindOf<OpenBatch>('open_batch', { fields: { begun: 'long' }, indexes: [['begun']] })

/** What was begun and has not ended. */
export const workModel: RecordModel = {
  name: 'work',
  kinds: [openWork, openBatches],
  reducers: { media: ofMedia, ledger: ofLedger, request: ofRequest, erasure: ofErasure, batch: ofBatch },
}

/** Changes the account's open work; without any there is no document. */
const change = (
  documents: Documents,
  accountId: Uuid,
  changed: (open: OpenWork) => Partial<OpenWork>,
): void =>
  documents.update(openWork, accountId, (known) => {
    const before = known ?? { accountId, ingests: [], charges: [], requests: [], erasures: [] }
    const after = { ...before, ...changed(before) }
    const { ingests, charges, requests, erasures } = after
    return [ingests, charges, requests, erasures].some((open) => open.length > 0) ? after : null
  })

function ofMedia({ event, id: mediaId, recorded }: DecodedEvent<'media'>, documents: Documents): void {
  const { accountId } = event
  switch (event.type) {
    case 'IngestClaimed': {
      const { ingestId, jobId, batchId, at } = event
      const ingest = { accountId, mediaId, ingestId, jobId, batchId, at, begun: recorded.position }
      return change(documents, accountId, ({ ingests }) => ({ ingests: [...ingests, ingest] }))
    }
    case 'IngestReleased':
    case 'MediaIngested':
    case 'MediaOverwritten':
      return change(documents, accountId, ({ ingests }) => ({
        ingests: ingests.filter(({ ingestId }) => ingestId !== event.ingestId),
      }))
    case 'MediaReembedded':
    case 'MediaDeleted':
      return
  }
}

function ofLedger({ event, id: accountId, recorded }: DecodedEvent<'ledger'>, documents: Documents): void {
  switch (event.type) {
    case 'BalanceCharged': {
      const { chargeId, amount, cause, at } = event
      const charge = { accountId, chargeId, rest: String(amount), cause, at, begun: recorded.position }
      return change(documents, accountId, ({ charges }) => ({ charges: [...charges, charge] }))
    }
    case 'BalanceRefunded':
      return change(documents, accountId, ({ charges }) => ({
        charges: charges.flatMap((charge) => {
          if (charge.chargeId !== event.chargeId) return [charge]
          const rest = BigInt(charge.rest) - event.amount
          return rest > 0n ? [{ ...charge, rest: String(rest) }] : []
        }),
      }))
    case 'ChargeSettled':
      return change(documents, accountId, ({ charges }) => ({
        charges: charges.filter(({ chargeId }) => chargeId !== event.chargeId),
      }))
    case 'BalanceCredited':
    case 'LedgerClosed':
    case 'BooksClosed':
      return
  }
}

/** A request that starts takes the place of the one that its key was used for before. */
function ofRequest({ event, recorded }: DecodedEvent<'request'>, documents: Documents): void {
  if (event.type === 'RequestErased') return
  const { stream, position: begun } = recorded
  const { accountId, requestId, at } = event
  const started = event.type === 'RequestStarted' ? [{ stream, accountId, requestId, at, begun }] : []
  const isOver = (request: UnfinishedRequest): boolean =>
    request.stream === stream && (started.length > 0 || request.requestId === requestId)
  change(documents, accountId, ({ requests }) => ({
    requests: [...requests.filter((request) => !isOver(request)), ...started],
  }))
}

function ofErasure({ event, id: erasureId, recorded }: DecodedEvent<'erasure'>, documents: Documents): void {
  const { accountId } = event
  switch (event.type) {
    case 'ErasureRequested': {
      const erasure = { accountId, erasureId, begun: recorded.position }
      return change(documents, accountId, ({ erasures }) => ({ erasures: [...erasures, erasure] }))
    }
    case 'ErasureExtended':
      return
    case 'ErasureCompleted':
      return change(documents, accountId, ({ erasures }) => ({
        erasures: erasures.filter((erasure) => erasure.erasureId !== erasureId),
      }))
  }
}

function ofBatch({ event, id: batchId, recorded }: DecodedEvent<'batch'>, documents: Documents): void {
  const changeBatch = (changed: (batch: OpenBatch) => Partial<OpenBatch>): void =>
    documents.update(openBatches, batchId, (before) => {
      const after = before && { ...before, ...changed(before) }
      return after && !isOver(after) ? after : null
    })
  const become = (status: BatchStatus): void => changeBatch(() => ({ status }))
  switch (event.type) {
    case 'BatchSubmitted': {
      const { accountId } = event
      const jobs = event.jobs.filter(({ duplicate }) => !duplicate).map(({ jobId }) => jobId)
      const batch = { batchId, accountId, status: 'submitted', begun: recorded.position, jobs } as const
      return documents.update(openBatches, batchId, (before) => before ?? batch)
    }
    case 'BatchCreated':
      return become('created')
    case 'BatchRejected':
      return become('rejected')
    case 'BatchStarted':
      return become('running')
    case 'BatchCancelled':
      return become('cancelled')
    case 'BatchCompleted':
      return become('completed')
    case 'BatchFailed':
      return become('failed')
    case 'BatchErased':
    case 'JobProgressed':
      return
    case 'JobSucceeded':
    case 'JobSkipped':
    case 'JobFailed':
      return changeBatch(({ jobs }) => ({ jobs: jobs.filter((jobId) => jobId !== event.jobId) }))
  }
}

/** A batch ends when it is rejected, completes or fails or, once cancelled, with its last job. */
const isOver = ({ status, jobs }: OpenBatch): boolean =>
  status === 'rejected' ||
  status === 'completed' ||
  status === 'failed' ||
  (status === 'cancelled' && jobs.length === 0)

/** What was begun and has not ended, in the order in which it began. */
export function workOf(read: DocumentQueries): UnfinishedWork {
  const opened = async <Kind extends 'ingests' | 'charges' | 'requests' | 'erasures'>(
    kind: Kind,
  ): Promise<OpenWork[Kind][number][]> => {
    const all = await read.find(openWork, { where: {}, sort: [['accountId', 'asc']] })
    return all.flatMap((open): OpenWork[Kind][number][] => open[kind]).sort((a, b) => a.begun - b.begun)
  }
  return {
    async ingests() {
      const found = await opened('ingests')
      return found.map(({ accountId, mediaId, ingestId, jobId, batchId, at }) => ({
        accountId,
        mediaId,
        ingestId,
        jobId,
        batchId,
        at,
      }))
    },

    async charges() {
      const found = await opened('charges')
      return found.map(({ accountId, chargeId, rest, cause, at }) => ({
        accountId,
        chargeId,
        rest: BigInt(rest),
        cause,
        at,
      }))
    },

    async requests() {
      const found = await opened('requests')
      return found.map(({ stream, accountId, requestId, at }) => ({ stream, accountId, requestId, at }))
    },

    async batches() {
      const found = await read.find(openBatches, { where: {}, sort: [['begun', 'asc']] })
      return found.map(({ batchId, accountId, status }) => ({ batchId, accountId, status }))
    },

    async erasures() {
      const found = await opened('erasures')
      return found.map(({ accountId, erasureId }) => ({ accountId, erasureId }))
    },

    position: () => read.position(),
  }
}
