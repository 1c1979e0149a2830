import type { BatchesChange } from '@medialog/application/ports'
import { decodedOf, type Decoded, type Projection } from './projection.ts'

/** Batches, their jobs and what they cost. */
export const batchesProjection: Projection<BatchesChange> = {
  name: 'batches',
  batchSize: 512,
  project(recorded) {
    const ofStream = {
      batch: () => changeOf(decodedOf('batch', recorded), ofBatch),
      media: () => changeOf(decodedOf('media', recorded), ofMedia),
      ledger: () => changeOf(decodedOf('ledger', recorded), ofLedger),
    }
    const category = recorded.stream.slice(0, recorded.stream.indexOf('-'))
    return Object.hasOwn(ofStream, category) ? ofStream[category as keyof typeof ofStream]() : []
  },
}

function changeOf<T>(decoded: T | null, of: (decoded: T) => BatchesChange | null): BatchesChange[] {
  const change = decoded && of(decoded)
  return change ? [change] : []
}

function ofBatch({ event, id: batchId }: Decoded<'batch'>): BatchesChange {
  switch (event.type) {
    case 'BatchSubmitted': {
      const { type: _, ...intent } = event
      return { type: 'PutIntent', intent }
    }
    case 'BatchErased':
    case 'BatchRejected':
      return { type: 'RemoveBatch', batchId }
    case 'BatchCreated':
      return { type: 'SetStatus', batchId, status: 'created', at: event.at }
    case 'BatchStarted':
      return { type: 'SetStatus', batchId, status: 'running', at: event.at }
    case 'BatchCancelled':
      return { type: 'SetStatus', batchId, status: 'cancelled', at: event.at }
    case 'BatchCompleted':
      return { type: 'SetStatus', batchId, status: 'completed', at: event.at }
    case 'BatchFailed':
      return { type: 'SetStatus', batchId, status: 'failed', at: event.at }
    case 'JobSucceeded':
      return {
        type: 'EndJob',
        batchId,
        jobId: event.jobId,
        status: 'succeeded',
        error: null,
        tookMs: event.tookMs,
        at: event.at,
      }
    case 'JobSkipped':
      return {
        type: 'EndJob',
        batchId,
        jobId: event.jobId,
        status: 'skipped',
        error: null,
        tookMs: null,
        at: event.at,
      }
    case 'JobFailed': {
      const { jobId, code, message, at } = event
      return { type: 'EndJob', batchId, jobId, status: 'failed', error: { code, message }, tookMs: null, at }
    }
  }
}

/** A job is at work from its claim on. That it was is told nowhere once the item is erased, so nothing else is made of it. */
const ofMedia = ({ event }: Decoded<'media'>): BatchesChange | null =>
  event.type === 'IngestClaimed' && event.batchId !== null
    ? { type: 'StartJob', batchId: event.batchId, jobId: event.jobId }
    : null

function ofLedger({ event }: Decoded<'ledger'>): BatchesChange | null {
  if (event.type === 'BalanceCharged')
    return event.cause.batchId ? { type: 'Charge', chargeId: event.chargeId, amount: event.amount } : null
  return event.type === 'BalanceRefunded'
    ? { type: 'Refund', chargeId: event.chargeId, amount: event.amount }
    : null
}
