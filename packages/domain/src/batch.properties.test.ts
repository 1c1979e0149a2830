import { fold } from '@medialog/kernel'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { batch, type BatchCommand, type BatchEvent, type BatchJob, type JobOutcome } from './batch.ts'
import { ledger, type LedgerCommand } from './ledger.ts'
import { charge, credit, refund, settle } from './testing/ledger-entries.ts'

const at = 0
const PRICE = 4n
const RUNS = { numRuns: 500 }

const jobs = fc.array(fc.boolean(), { minLength: 1, maxLength: 5 }).map((duplicates) =>
  duplicates.map((duplicate, index): BatchJob => ({
    jobId: `j${index}`,
    mediaId: `m${index}`,
    stagedId: `s${index}`,
    filename: `${index}.txt`,
    mediaType: 'document',
    sizeBytes: 1,
    sha256: 'c0ffee',
    duplicate,
  })),
)
const outcome: fc.Arbitrary<JobOutcome> = fc.constantFrom(
  { status: 'succeeded', mediaId: 'm', tookMs: null },
  { status: 'skipped', mediaId: 'm' },
  { status: 'failed', code: 'format_error', message: '' },
)
const finish = fc
  .tuple(fc.nat({ max: 5 }), outcome)
  .map(([index, outcome]): BatchCommand => ({ type: 'FinishJob', jobId: `j${index}`, outcome, at }))
const other = fc.constantFrom<BatchCommand>(
  { type: 'CreateBatch', at },
  { type: 'RejectBatch', at },
  { type: 'StartBatch', at },
  { type: 'CancelBatch', at },
  { type: 'EndBatch', at },
)
const commands = fc.array(fc.oneof({ weight: 3, arbitrary: finish }, other), { maxLength: 40 })

/** A history of a submitted batch, by commands in any order; refused ones are left out. */
function historyOf(jobs: BatchJob[], steps: BatchCommand[]): BatchEvent[] {
  const submit: BatchCommand = {
    type: 'SubmitBatch',
    accountId: 'a',
    batchId: 'b',
    name: null,
    collection: null,
    overwrite: false,
    price: [{ price: 'UPLOAD', amount: PRICE }],
    jobs,
    at,
  }
  const log: BatchEvent[] = []
  let state = batch.initialState()
  for (const command of [submit, ...steps, submit]) {
    try {
      for (const event of batch.decide(command, state)) {
        state = batch.evolve(state, event)
        log.push(event)
      }
      expect(batch.decide(command, state), 'nothing new when repeated').toStrictEqual([])
    } catch (error) {
      if (!(error instanceof Error && 'code' in error)) throw error
    }
  }
  return log
}

const ORDER = ['BatchSubmitted', 'BatchCreated', 'BatchStarted']
const ENDS = ['BatchRejected', 'BatchCancelled', 'BatchCompleted', 'BatchFailed']
/** How much of its way a batch has gone when it ends like that. */
const SHORTEST: { [type: string]: number } = { BatchRejected: 1, BatchCancelled: 2 }

test('a batch goes its way once: submitted, created, started, and one end at most', () => {
  fc.assert(
    fc.property(jobs, commands, (jobs, steps) => {
      const types = historyOf(jobs, steps)
        .map((event) => event.type)
        .filter((type) => !type.startsWith('Job'))
      const ends = types.filter((type) => ENDS.includes(type))
      expect(ends.length).toBeLessThanOrEqual(1)
      const way = types.slice(0, types.length - ends.length)
      expect(way).toStrictEqual(ORDER.slice(0, way.length))
      const shortest = ends.length === 0 ? 1 : (SHORTEST[ends[0]!] ?? 3)
      if (ends[0] === 'BatchRejected') expect(way.length).toBe(1)
      expect(way.length).toBeGreaterThanOrEqual(shortest)
    }),
    RUNS,
  )
})

test('no job ends twice, or before its batch was paid for', () => {
  fc.assert(
    fc.property(jobs, commands, (jobs, steps) => {
      const log = historyOf(jobs, steps)
      const ended = log.flatMap((event) => ('jobId' in event ? [event.jobId] : []))
      expect(new Set(ended).size).toBe(ended.length)
      const created = log.findIndex((event) => event.type === 'BatchCreated')
      const unpaid = created < 0 ? log : log.slice(0, created)
      expect(unpaid.some((event) => 'jobId' in event)).toBe(false)
    }),
    RUNS,
  )
})

test('a batch that was not cancelled ends when all its jobs did, as failed only if every one failed', () => {
  fc.assert(
    fc.property(jobs, commands, (jobs, steps) => {
      const log = historyOf(jobs, steps)
      const end = log.findIndex((event) => event.type === 'BatchCompleted' || event.type === 'BatchFailed')
      if (end < 0) return
      expect(end, 'nothing after it').toBe(log.length - 1)
      const ended = log.filter((event) => 'jobId' in event)
      const toWorkOn = jobs.filter((job) => !job.duplicate)
      expect(ended.length).toBe(toWorkOn.length)
      const allFailed = toWorkOn.length === jobs.length && ended.every((event) => event.type === 'JobFailed')
      expect(log[end]!.type).toBe(allFailed ? 'BatchFailed' : 'BatchCompleted')
    }),
    RUNS,
  )
})

/** The money side: what was submitted is charged; whatever a job's end does not deliver is refunded, tried twice. */
function account(jobs: BatchJob[], log: BatchEvent[]): LedgerCommand[] {
  const toPay = jobs.filter((job) => !job.duplicate)
  const paid = new Set(toPay.map((job) => job.jobId))
  const charged = charge('b', { UPLOAD: PRICE * BigInt(toPay.length) }, at)
  const refunds = log.flatMap((event) =>
    (event.type === 'JobSkipped' || event.type === 'JobFailed') && paid.has(event.jobId)
      ? [refund(`refund ${event.jobId}`, 'b', { UPLOAD: PRICE }, at)]
      : [],
  )
  return [credit('c', 1000n, at), charged, ...refunds, ...refunds, settle('b', at), settle('b', at)]
}

test('the net cost is the price of what succeeded', () => {
  const truth = fc.record({ jobs, commands, rest: fc.array(outcome, { minLength: 5, maxLength: 5 }) })
  fc.assert(
    fc.property(truth, ({ jobs, commands, rest }) => {
      const create: BatchCommand = { type: 'CreateBatch', at }
      const ends = jobs.map(({ jobId }, index): BatchCommand => ({
        type: 'FinishJob',
        jobId,
        outcome: rest[index]!,
        at,
      }))
      const log = historyOf(jobs, [create, ...commands, ...ends])
      let books = ledger.initialState()
      for (const command of account(jobs, log)) books = fold(ledger, ledger.decide(command, books), books)
      const succeeded = log.filter((event) => event.type === 'JobSucceeded').length
      expect(books.totals.charged - books.totals.refunded).toBe(PRICE * BigInt(succeeded))
      expect([...books.charges.values()].some((charge) => charge.open)).toBe(false)
    }),
    RUNS,
  )
})
