import { QuotaExceeded, UnreadableFile, UnsupportedFileType } from '@medialog/application'
import { understoodOf } from '@medialog/projections/testing/history'
import { describe, expect, test } from 'vitest'
import { failureOf } from './job-failure.ts'
import { JobStopped } from './stopping.ts'
import { describeOrchestratorContract, worked } from './testing/orchestrator-contract.ts'
import { awayFor, PRICE, startWork } from './testing/service.ts'

describeOrchestratorContract('in this process', async (work, { mostBatchJobs }) => work.start(mostBatchJobs))

test.each([
  [new UnreadableFile('corrupted', ''), 'corrupted_file'],
  [new UnreadableFile('encrypted', ''), 'corrupted_file'],
  [new UnreadableFile('too-large', ''), 'validation_error'],
  [new UnreadableFile('timeout', ''), 'timeout_error'],
  [new UnreadableFile('memory', ''), 'resource_error'],
  [new UnsupportedFileType('a.b', ''), 'format_error'],
  [new QuotaExceeded(1, 1), 'quota_exceeded'],
  [new JobStopped(), 'cancelled'],
  [new Error('a bug'), 'processing_error'],
])('%s is %s', (error, code) => {
  expect(failureOf(error).code).toBe(code)
})

describe('an engine that is away', () => {
  test('for a moment costs a job nothing but time', async () => {
    const work = await startWork(awayFor(3, 'extractors'))
    const intent = await work.createBatch(['one'])
    work.start().startBatch(intent.batchId)
    expect((await worked(work, intent)).jobs).toEqual(['succeeded'])
  })

  test.each([
    ['extractors', 'processing_error'],
    ['artifact store', 'storage_error'],
  ])('for longer fails it: %s as %s', async (engine, code) => {
    const work = await startWork(awayFor(99, engine))
    const intent = await work.createBatch(['one'])
    work.start().startBatch(intent.batchId)
    expect(await worked(work, intent)).toEqual({ status: 'failed', jobs: ['failed'] })
    expect([await work.codesOf(intent), await work.books()]).toEqual([[code], { net: 0n, open: 0 }])
  })
})

describe('cancelling', () => {
  test('against the last job’s end is decided once, whoever is first, a thousand times', async () => {
    const ends = { cancelled: 0, completed: 0 }
    const work = await startWork(async (text) => {
      for (let turns = text.length % 5; turns > 0; turns--) await Promise.resolve()
      return understoodOf(text)
    })
    const orchestrator = work.start(4)
    let stored = 0n
    for (let round = 0; round < 1_000; round++) {
      const intent = await work.createBatch([`${round}`, `${round} other ${'x'.repeat(round % 7)}`])
      orchestrator.startBatch(intent.batchId)
      for (let turns = round % 40; turns > 0; turns--) await new Promise((next) => setImmediate(next))
      const { selected: decided } = await work.cancel(intent.batchId)
      if (decided === 'cancelled') await orchestrator.stopBatch(intent.batchId, AbortSignal.timeout(10_000))
      const { status, jobs } = await work.stateOf(intent)
      expect(status).toBe(decided)
      expect(jobs).not.toContain(null)
      const succeeded = jobs.filter((job) => job === 'succeeded').length
      if (status === 'completed') expect(succeeded).toBe(2)
      stored += BigInt(succeeded)
      ends[status as keyof typeof ends]++
      expect(await work.books()).toEqual({ net: stored * PRICE, open: 0 })
    }
    expect(work.staged.size).toBe(0)
    expect(Math.min(ends.cancelled, ends.completed), JSON.stringify(ends)).toBeGreaterThan(10)
  }, 120_000)
})
