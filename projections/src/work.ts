import type { WorkChange } from '@medialog/application/ports'
import { decodedOf, type Decoded, type Projection } from './projection.ts'

/** What was begun and has not ended. */
export const workProjection: Projection<WorkChange> = {
  name: 'work',
  batchSize: 512,
  project(recorded) {
    const change = changeOf()
    return change ? [change] : []

    function changeOf(): WorkChange | null {
      const category = recorded.stream.slice(0, recorded.stream.indexOf('-'))
      switch (category) {
        case 'media':
          return project(decodedOf('media', recorded), ofMedia)
        case 'ledger':
          return project(decodedOf('ledger', recorded), ofLedger)
        case 'request':
          return project(decodedOf('request', recorded), ofRequest)
        case 'batch':
          return project(decodedOf('batch', recorded), ofBatch)
        case 'erasure':
          return project(decodedOf('erasure', recorded), ofErasure)
        default:
          return null
      }
    }
  },
}

const project = <T>(decoded: T | null, changeOf: (decoded: T) => WorkChange | null): WorkChange | null =>
  decoded && changeOf(decoded)

function ofMedia({ event, id: mediaId }: Decoded<'media'>): WorkChange | null {
  switch (event.type) {
    case 'IngestClaimed': {
      const { accountId, ingestId, jobId, batchId, at } = event
      return { type: 'OpenIngest', ingest: { accountId, mediaId, ingestId, jobId, batchId, at } }
    }
    case 'IngestReleased':
    case 'MediaIngested':
    case 'MediaOverwritten':
      return { type: 'CloseIngest', accountId: event.accountId, mediaId, ingestId: event.ingestId }
    case 'MediaReembedded':
    case 'MediaDeleted':
      return null
  }
}

function ofLedger({ event, id: accountId }: Decoded<'ledger'>): WorkChange | null {
  switch (event.type) {
    case 'BalanceCharged': {
      const { chargeId, amount: rest, cause, at } = event
      return { type: 'OpenCharge', charge: { accountId, chargeId, rest, cause, at } }
    }
    case 'BalanceRefunded':
      return { type: 'RefundCharge', accountId, chargeId: event.chargeId, amount: event.amount }
    case 'ChargeSettled':
      return { type: 'SettleCharge', accountId, chargeId: event.chargeId }
    case 'BalanceCredited':
    case 'LedgerClosed':
    case 'BooksClosed':
      return null
  }
}

function ofRequest({ event, recorded: { stream } }: Decoded<'request'>): WorkChange | null {
  if (event.type === 'RequestErased') return null
  const { accountId, requestId, at } = event
  return event.type === 'RequestStarted'
    ? { type: 'OpenRequest', stream, accountId, requestId, at }
    : { type: 'CloseRequest', stream, accountId, requestId }
}

function ofErasure({ event, id: erasureId }: Decoded<'erasure'>): WorkChange | null {
  const { accountId } = event
  switch (event.type) {
    case 'ErasureRequested':
      return { type: 'OpenErasure', erasureId, accountId }
    case 'ErasureExtended':
      return null
    case 'ErasureCompleted':
      return { type: 'CloseErasure', erasureId, accountId }
  }
}

function ofBatch({ event, id: batchId }: Decoded<'batch'>): WorkChange | null {
  switch (event.type) {
    case 'BatchSubmitted': {
      const { accountId, jobs } = event
      const jobIds = jobs.filter(({ duplicate }) => !duplicate).map(({ jobId }) => jobId)
      return { type: 'OpenBatch', batchId, accountId, jobIds }
    }
    case 'BatchCreated':
      return { type: 'SetBatchStatus', batchId, status: 'created' }
    case 'BatchRejected':
      return { type: 'SetBatchStatus', batchId, status: 'rejected' }
    case 'BatchStarted':
      return { type: 'SetBatchStatus', batchId, status: 'running' }
    case 'BatchCancelled':
      return { type: 'SetBatchStatus', batchId, status: 'cancelled' }
    case 'BatchCompleted':
      return { type: 'SetBatchStatus', batchId, status: 'completed' }
    case 'BatchFailed':
      return { type: 'SetBatchStatus', batchId, status: 'failed' }
    case 'BatchErased':
      return null
    case 'JobSucceeded':
    case 'JobSkipped':
    case 'JobFailed':
      return { type: 'EndJob', batchId, jobId: event.jobId }
  }
}
