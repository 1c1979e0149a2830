import { describe, test } from 'vitest'
import {
  batch,
  BatchNotFound,
  JobNotFound,
  type BatchCommand,
  type BatchEvent,
  type BatchJob,
  type JobOutcome,
} from './batch.ts'
import { given } from './testing/given-when-then.ts'

const at = 1
const job = (jobId: string, duplicate = false): BatchJob => ({
  jobId,
  mediaId: `media of ${jobId}`,
  stagedId: `staged ${jobId}`,
  filename: `${jobId}.pdf`,
  mediaType: 'document',
  sizeBytes: 10,
  sha256: 'c0ffee',
  duplicate,
})
const intent = (...jobs: BatchJob[]) => ({
  accountId: 'a',
  batchId: 'b',
  name: 'papers',
  collection: null,
  overwrite: false,
  price: [{ price: 'UPLOAD', amount: 40n }],
  jobs,
  at,
})
const SUCCEEDED: JobOutcome = { status: 'succeeded', mediaId: 'm', tookMs: 7 }
const SKIPPED: JobOutcome = { status: 'skipped', mediaId: 'm' }
const FAILED: JobOutcome = { status: 'failed', code: 'format_error', message: 'no such format' }

const submit: BatchCommand = { type: 'SubmitBatch', ...intent(job('j1'), job('j2')) }
const create: BatchCommand = { type: 'CreateBatch', at }
const reject: BatchCommand = { type: 'RejectBatch', at }
const start: BatchCommand = { type: 'StartBatch', at }
const cancel: BatchCommand = { type: 'CancelBatch', at }
const end: BatchCommand = { type: 'EndBatch', at }
const finish = (jobId: string, outcome: JobOutcome): BatchCommand => ({
  type: 'FinishJob',
  jobId,
  outcome,
  at,
})

const report: BatchCommand = { type: 'ReportProgress', jobId: 'j1', percent: 40, at }

const submitted: BatchEvent = { type: 'BatchSubmitted', ...intent(job('j1'), job('j2')) }
const created: BatchEvent = { type: 'BatchCreated', at }
const rejected: BatchEvent = { type: 'BatchRejected', at }
const started: BatchEvent = { type: 'BatchStarted', at }
const succeeded = (jobId: string): BatchEvent => ({
  type: 'JobSucceeded',
  jobId,
  mediaId: 'm',
  tookMs: 7,
  at,
})
const skipped = (jobId: string): BatchEvent => ({ type: 'JobSkipped', jobId, mediaId: 'm', at })
const failed = (jobId: string): BatchEvent => ({
  type: 'JobFailed',
  jobId,
  code: 'format_error',
  message: 'no such format',
  at,
})
const cancelledFrom = (from: 'created' | 'running'): BatchEvent => ({ type: 'BatchCancelled', from, at })
const completed: BatchEvent = { type: 'BatchCompleted', at }
const batchFailed: BatchEvent = { type: 'BatchFailed', at }

const paid = [submitted, created]
const running = [...paid, started]
const done = [...running, succeeded('j1'), skipped('j2')]
const terminal: [string, BatchEvent[]][] = [
  ['completed', [...done, completed]],
  ['failed', [...running, failed('j1'), failed('j2'), batchFailed]],
  ['cancelled before it started', [...paid, cancelledFrom('created')]],
  ['cancelled while it ran', [...running, cancelledFrom('running')]],
]

describe('a batch', () => {
  test('is submitted, then created once paid for, then started: each once', () => {
    given(batch).when(submit).then(submitted)
    given(batch, submitted).when(submit).thenNothing()
    given(batch, submitted).when(create).then(created)
    given(batch, ...paid)
      .when(create)
      .thenNothing()
    given(batch, ...paid)
      .when(start)
      .then(started)
    given(batch, ...running)
      .when(start)
      .thenNothing()
  })

  test.each([create, reject, start, cancel, end, finish('j1', SUCCEEDED)])(
    'that was never submitted refuses $type',
    (command) => {
      given(batch).when(command).thenFails(BatchNotFound, { code: 'not_found' })
    },
  )

  test.each([start, cancel, end, finish('j1', SUCCEEDED)])(
    'that was not paid for refuses $type',
    (command) => {
      given(batch, submitted).when(command).thenFails(BatchNotFound)
    },
  )

  test('is rejected before it is created, or not at all', () => {
    given(batch, submitted).when(reject).then(rejected)
    given(batch, submitted, rejected).when(reject).thenNothing()
    given(batch, submitted, rejected).when(submit).thenNothing()
    given(batch, ...paid)
      .when(reject)
      .thenNothing()
    for (const command of [create, start, cancel, end, finish('j1', SUCCEEDED)])
      given(batch, submitted, rejected).when(command).thenFails(BatchNotFound)
  })

  test.each(terminal)('%s stays so', (_, history) => {
    for (const command of [submit, create, reject, start, cancel, end])
      given(batch, ...history)
        .when(command)
        .thenNothing()
  })
})

describe('a job', () => {
  test('reports its progress while it is at work, and decides nothing by that', () => {
    const progressed: BatchEvent = { type: 'JobProgressed', jobId: 'j1', percent: 40, at }
    given(batch, ...running)
      .when(report)
      .then(progressed)
    given(batch, ...running, progressed)
      .when(finish('j1', SUCCEEDED))
      .then(succeeded('j1'))
    for (const history of [
      paid,
      [...running, succeeded('j1')],
      [...running, cancelledFrom('running')],
      [...running, failed('j1'), failed('j2'), batchFailed],
    ])
      given(batch, ...history)
        .when(report)
        .thenNothing()
    given(batch, ...running)
      .when({ ...report, jobId: 'j3' })
      .thenNothing()
    given(batch, submitted).when(report).thenFails(BatchNotFound)
  })

  test.each([
    [SUCCEEDED, succeeded('j1')],
    [SKIPPED, skipped('j1')],
    [FAILED, failed('j1')],
  ])('ends once: $status', (outcome, ended) => {
    given(batch, ...running)
      .when(finish('j1', outcome))
      .then(ended)
    for (const other of [SUCCEEDED, SKIPPED, FAILED])
      given(batch, ...running, ended)
        .when(finish('j1', other))
        .thenNothing()
  })

  test('may end before its batch starts, and after it was cancelled', () => {
    given(batch, ...paid)
      .when(finish('j2', SKIPPED))
      .then(skipped('j2'))
    given(batch, ...running, cancelledFrom('running'))
      .when(finish('j1', SUCCEEDED))
      .then(succeeded('j1'))
    given(batch, ...paid, cancelledFrom('created'))
      .when(finish('j1', { status: 'failed', code: 'cancelled', message: 'cancelled' }))
      .then({ type: 'JobFailed', jobId: 'j1', code: 'cancelled', message: 'cancelled', at })
  })

  test('whose content is stored already is skipped from the start, and ends no other way', () => {
    const [known, knownAlone] = [intent(job('j1'), job('j2', true)), intent(job('j1', true))]
    const both: BatchEvent[] = [{ type: 'BatchSubmitted', ...known }, created, started]
    const alone: BatchEvent[] = [{ type: 'BatchSubmitted', ...knownAlone }, created, started]
    for (const outcome of [SUCCEEDED, SKIPPED, FAILED])
      given(batch, ...both)
        .when(finish('j2', outcome))
        .thenNothing()
    given(batch, ...both)
      .when(end)
      .thenNothing()
    given(batch, ...both, failed('j1'))
      .when(end)
      .then(completed)
    given(batch, ...alone)
      .when(end)
      .then(completed)
    // As earlier releases recorded it.
    given(batch, ...both, skipped('j2'), failed('j1'))
      .when(end)
      .then(completed)
  })

  test('of another batch is refused', () => {
    given(batch, ...running)
      .when(finish('j3', SUCCEEDED))
      .thenFails(JobNotFound, { code: 'not_found' })
  })
})

describe('cancelling', () => {
  test('works before the start and while it runs, and says from where', () => {
    given(batch, ...paid)
      .when(cancel)
      .then(cancelledFrom('created'))
    given(batch, ...running)
      .when(cancel)
      .then(cancelledFrom('running'))
    given(batch, ...done)
      .when(cancel)
      .then(cancelledFrom('running'))
  })

  test('wins against start and end, or loses: exactly once', () => {
    given(batch, ...paid, cancelledFrom('created'))
      .when(start)
      .thenNothing()
    given(batch, ...done, cancelledFrom('running'))
      .when(end)
      .thenNothing()
    given(batch, ...done, completed)
      .when(cancel)
      .thenNothing()
  })
})

describe('the end', () => {
  test('waits for every job', () => {
    given(batch, ...running)
      .when(end)
      .thenNothing()
    given(batch, ...running, succeeded('j1'))
      .when(end)
      .thenNothing()
  })

  test('comes after the start', () => {
    given(batch, ...paid, succeeded('j1'), skipped('j2'))
      .when(end)
      .thenNothing()
  })

  test('is completed with one success or duplicate, failed without', () => {
    given(batch, ...done)
      .when(end)
      .then(completed)
    given(batch, ...running, failed('j1'), succeeded('j2'))
      .when(end)
      .then(completed)
    given(batch, ...running, failed('j1'), skipped('j2'))
      .when(end)
      .then(completed)
    given(batch, ...running, failed('j1'), failed('j2'))
      .when(end)
      .then(batchFailed)
  })
})

describe('erasing', () => {
  const erase: BatchCommand = { type: 'EraseBatch', accountId: 'a', price: intent().price, succeeded: 1, at }
  const erased: BatchEvent = { type: 'BatchErased', accountId: 'a', price: intent().price, succeeded: 1, at }
  const cancelled: BatchEvent = { type: 'BatchCancelled', from: 'running', at }

  test('waits until every job has ended', () => {
    given(batch, ...running)
      .when(erase)
      .thenNothing()
    given(batch, ...running, cancelled, succeeded('j1'))
      .when(erase)
      .thenNothing()
    given(batch, ...running, cancelled, succeeded('j1'), failed('j2'))
      .when(erase)
      .then(erased)
    given(batch, ...done, completed)
      .when(erase)
      .then(erased)
  })

  test('takes an intent that was rejected too, and nothing twice', () => {
    const rejected: BatchEvent = { type: 'BatchRejected', at }
    given(batch, ...paid.slice(0, 1), rejected)
      .when(erase)
      .then(erased)
    given(batch, erased).when(erase).thenNothing()
    given(batch, erased).when(end).thenFails(BatchNotFound, { code: 'not_found' })
  })
})
