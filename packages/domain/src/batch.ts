import { DomainError, type Decider, type MediaType, type Uuid } from '@medialog/kernel'
import type { ChargeLine } from './ledger.ts'

export const JOB_ERROR_CODES = [
  'validation_error',
  'format_error',
  'corrupted_file',
  'processing_error',
  'storage_error',
  'timeout_error',
  'resource_error',
  'quota_exceeded',
  'cancelled',
] as const
export type JobErrorCode = (typeof JOB_ERROR_CODES)[number]

export interface BatchJob {
  jobId: Uuid
  mediaId: Uuid
  stagedId: Uuid
  /** Empty in the log: `files-<batch>` has it. Releases before that stream was there wrote it here. */
  filename: string
  mediaType: MediaType
  sizeBytes: number
  sha256: string
  /** The same content was stored when the batch was made: skipped from the start, not charged. */
  duplicate: boolean
}

/** What was asked for, once and for all. */
export interface BatchIntent {
  accountId: Uuid
  batchId: Uuid
  name: string | null
  /** Null: `default` or, when overwriting, where each item is. */
  collection: string | null
  overwrite: boolean
  /** What each job that is no duplicate was charged; refunded by it, whatever prices are later. */
  price: ChargeLine[]
  jobs: BatchJob[]
  at: number
}

/** Stream `batch-<uuid>`. Times are milliseconds since the epoch. */
export type BatchEvent =
  /** The intent: not visible before BatchCreated, which follows the payment. */
  | ({ type: 'BatchSubmitted' } & BatchIntent)
  | { type: 'BatchCreated'; at: number }
  /** Not paid for, or given up before anybody heard of it: there never was such a batch. */
  | { type: 'BatchRejected'; at: number }
  | { type: 'BatchStarted'; at: number }
  /** Of a job that takes long: how much of its file was worked on, in whole percent. Nothing is decided by it. */
  | { type: 'JobProgressed'; jobId: Uuid; percent: number; at: number }
  /** `tookMs`: how long its file was worked on; null where the process that did stopped before it said so. */
  | { type: 'JobSucceeded'; jobId: Uuid; mediaId: Uuid; tookMs: number | null; at: number }
  | { type: 'JobSkipped'; jobId: Uuid; mediaId: Uuid; at: number }
  | { type: 'JobFailed'; jobId: Uuid; code: JobErrorCode; message: string; at: number }
  | { type: 'BatchCancelled'; from: 'created' | 'running'; at: number }
  | { type: 'BatchCompleted'; at: number }
  | { type: 'BatchFailed'; at: number }
  /** Its account was closed: all before goes, and this is what its bill can still be proven by. */
  | { type: 'BatchErased'; accountId: Uuid; price: ChargeLine[]; succeeded: number; at: number }

export type BatchCommand = { at: number } & (
  | ({ type: 'SubmitBatch' } & BatchIntent)
  | { type: 'CreateBatch' }
  /** Gives an intent up; too late once the batch was created. */
  | { type: 'RejectBatch' }
  | { type: 'StartBatch' }
  /** `percent`: 1 to 99. Nothing happens once the job has ended, or its batch was cancelled. */
  | { type: 'ReportProgress'; jobId: Uuid; percent: number }
  | { type: 'FinishJob'; jobId: Uuid; outcome: JobOutcome }
  /** `unlessStarted`: not once it is worked on. */
  | { type: 'CancelBatch'; unlessStarted?: true }
  /** Ends the batch once every job has ended. */
  | { type: 'EndBatch' }
  /** Once every job has ended, or it was rejected; until then nothing happens. */
  | { type: 'EraseBatch'; accountId: Uuid; price: ChargeLine[]; succeeded: number }
)

export type JobOutcome =
  | { status: 'succeeded'; mediaId: Uuid; tookMs: number | null }
  | { status: 'skipped'; mediaId: Uuid }
  | { status: 'failed'; code: JobErrorCode; message: string }

export type BatchStatus =
  | 'unknown'
  | 'submitted'
  | 'rejected'
  | 'created'
  | 'running'
  | 'cancelled'
  | 'completed'
  | 'failed'
  | 'erased'

export interface Batch {
  status: BatchStatus
  /** Outcome of each job, null while it has none. */
  jobs: Map<Uuid, JobOutcome['status'] | null>
}

export class BatchNotFound extends DomainError {
  constructor() {
    super('not_found', 'There is no such batch.')
  }
}

/** A job's end is not the batch's to decide any more, or not its job at all. */
export class JobNotFound extends DomainError {
  constructor() {
    super('not_found', 'The batch has no such job.')
  }
}

const OPEN: readonly BatchStatus[] = ['submitted', 'created', 'running']

export const batch: Decider<BatchCommand, BatchEvent, Batch> = {
  initialState: () => ({ status: 'unknown', jobs: new Map() }),

  evolve(state, event) {
    switch (event.type) {
      case 'BatchSubmitted':
        return {
          status: 'submitted',
          jobs: new Map(event.jobs.map(({ jobId, duplicate }) => [jobId, duplicate ? 'skipped' : null])),
        }
      case 'BatchCreated':
        return { ...state, status: 'created' }
      case 'BatchRejected':
        return { ...state, status: 'rejected' }
      case 'BatchStarted':
        return { ...state, status: 'running' }
      case 'JobProgressed':
        return state
      case 'JobSucceeded':
        return withOutcome(state, event.jobId, 'succeeded')
      case 'JobSkipped':
        return withOutcome(state, event.jobId, 'skipped')
      case 'JobFailed':
        return withOutcome(state, event.jobId, 'failed')
      case 'BatchCancelled':
        return { ...state, status: 'cancelled' }
      case 'BatchCompleted':
        return { ...state, status: 'completed' }
      case 'BatchFailed':
        return { ...state, status: 'failed' }
      case 'BatchErased':
        return { status: 'erased', jobs: new Map() }
    }
  },

  decide(command, state) {
    const { at } = command
    if (command.type === 'SubmitBatch')
      return state.status === 'unknown' ? [{ ...command, type: 'BatchSubmitted' }] : []
    if (state.status === 'unknown') throw new BatchNotFound()
    if (command.type === 'EraseBatch') return erase(command, state)
    if (state.status === 'erased') throw new BatchNotFound()
    if (command.type === 'RejectBatch')
      return state.status === 'submitted' ? [{ type: 'BatchRejected', at }] : []
    if (state.status === 'rejected') throw new BatchNotFound()
    if (command.type === 'CreateBatch')
      return state.status === 'submitted' ? [{ type: 'BatchCreated', at }] : []
    // An intent that was not paid for is no batch.
    if (state.status === 'submitted') throw new BatchNotFound()
    switch (command.type) {
      case 'StartBatch':
        return state.status === 'created' ? [{ type: 'BatchStarted', at }] : []
      case 'ReportProgress': {
        const { jobId, percent } = command
        const isAtWork = state.status === 'running' && state.jobs.get(jobId) === null
        return isAtWork ? [{ type: 'JobProgressed', jobId, percent, at }] : []
      }
      case 'FinishJob': {
        const outcome = state.jobs.get(command.jobId)
        if (outcome === undefined) throw new JobNotFound()
        return outcome === null ? [jobEnded(command.jobId, command.outcome, at)] : []
      }
      case 'CancelBatch':
        return state.status === 'created' || (state.status === 'running' && !command.unlessStarted)
          ? [{ type: 'BatchCancelled', from: state.status, at }]
          : []
      case 'EndBatch':
        return end(state, at)
    }
  },
}

function erase(
  { accountId, price, succeeded, at }: Extract<BatchCommand, { type: 'EraseBatch' }>,
  { status, jobs }: Batch,
): BatchEvent[] {
  const isUnderWay = OPEN.includes(status) || jobs.values().some((outcome) => outcome === null)
  const isOver = status === 'rejected' || (status !== 'erased' && !isUnderWay)
  return isOver ? [{ type: 'BatchErased', accountId, price, succeeded, at }] : []
}

function withOutcome(state: Batch, jobId: Uuid, status: JobOutcome['status']): Batch {
  state.jobs.set(jobId, status)
  return state
}

function jobEnded(jobId: Uuid, outcome: JobOutcome, at: number): BatchEvent {
  switch (outcome.status) {
    case 'succeeded':
      return { type: 'JobSucceeded', jobId, mediaId: outcome.mediaId, tookMs: outcome.tookMs, at }
    case 'skipped':
      return { type: 'JobSkipped', jobId, mediaId: outcome.mediaId, at }
    case 'failed':
      return { type: 'JobFailed', jobId, code: outcome.code, message: outcome.message, at }
  }
}

/** `failed` only if no file succeeded or was a duplicate. A cancelled batch stays cancelled. */
function end(state: Batch, at: number): BatchEvent[] {
  const outcomes = [...state.jobs.values()]
  if (state.status !== 'running' || outcomes.includes(null)) return []
  const failed = outcomes.length > 0 && outcomes.every((outcome) => outcome === 'failed')
  return [{ type: failed ? 'BatchFailed' : 'BatchCompleted', at }]
}
