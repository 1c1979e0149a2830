import { QuotaExceeded, UnreadableFile, UnsupportedFileType, type Background } from '@medialog/application'
import { understoodOf } from '@medialog/projections/testing/history'
import { describe, expect, test } from 'vitest'
import { abandonBatch } from './abandon-batch.ts'
import { failureOf } from './job-failure.ts'
import { JobStopped } from './stopping.ts'
import { describeOrchestratorContract, untilStopped, worked } from './testing/orchestrator-contract.ts'
import { awayFor, mediaIdOf, PRICE, startWork, type Understand, type Work } from './testing/service.ts'

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

test('a batch that is found to be there after its refusal is cancelled and refunded', async () => {
  const work = await startWork((text) => Promise.resolve(understoodOf(text)))
  const intent = await work.createBatch(['one'])
  const orchestrator = work.start()
  const later: (() => Promise<unknown>)[] = []
  const untilDone: Background['untilDone'] = async (tried) => void later.push(tried)
  const ports = { ...work.ports, background: { ...work.ports.background, untilDone } }
  const start = (batchId: string) => orchestrator.startBatch(batchId)
  expect(await abandonBatch(ports, intent.batchId, [], start)).toBe('abandoned')
  for (const tried of later) await tried()
  expect(await worked(work, intent)).toEqual({ status: 'cancelled', jobs: ['failed'] })
  expect(await work.books()).toEqual({ net: 0n, open: 0 })
})

describe('an unavailable engine', () => {
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

describe('a file that ends the process', () => {
  const claimsOf = async (work: Work, text: string) => {
    const { selected } = await work.streams.load('media', mediaIdOf(text), ({ claim }) => claim?.claims ?? 0)
    return selected
  }
  /** Until it ends the process, which is left as it is. */
  const lethal: Understand = (text) =>
    text === 'lethal' ? new Promise(() => undefined) : Promise.resolve(understoodOf(text))
  async function until(holds: () => Promise<boolean>): Promise<void> {
    await expect.poll(holds, { timeout: 30_000, interval: 5 }).toBe(true)
  }

  test('is tried three times, then failed and refunded; what was under way beside it succeeds', async () => {
    let isHeld = true
    const work = await startWork((text, signal) =>
      text === 'beside' && isHeld ? new Promise(() => undefined) : lethal(text, signal),
    )
    const intent = await work.createBatch(['lethal', 'beside', 'after'])
    const other = await work.createBatch(['lethal too'])
    for (const tries of [1, 2, 3]) {
      const orchestrator = work.start(2)
      await orchestrator.recover()
      if (tries === 1) orchestrator.startBatch(intent.batchId)
      await until(async () => (await claimsOf(work, 'lethal')) === tries)
      if (tries === 1) await until(async () => (await claimsOf(work, 'beside')) === 1)
      // Of those that were under way one is tried at a time.
      else expect(await claimsOf(work, 'beside')).toBe(1)
      isHeld = false
    }
    const orchestrator = work.start(2)
    await orchestrator.recover()
    expect((await worked(work, intent)).jobs).toEqual(['failed', 'succeeded', 'succeeded'])
    expect((await worked(work, other)).jobs).toEqual(['succeeded'])
    expect(await work.codesOf(intent)).toEqual(['processing_error'])
    expect(await work.books()).toEqual({ net: 3n * PRICE, open: 0 })
  })

  test('is not taken for one whose process was stopped', async () => {
    const work = await startWork((text, signal) =>
      text === 'slow' ? untilStopped(text, signal) : lethal(text, signal),
    )
    const intent = await work.createBatch(['slow'])
    for (let stops = 0; stops < 4; stops++) {
      const orchestrator = work.start()
      if (stops === 0) orchestrator.startBatch(intent.batchId)
      else await orchestrator.recover()
      await until(async () => (await claimsOf(work, 'slow')) === 1)
      await orchestrator.drain(AbortSignal.timeout(10_000))
    }
    expect((await work.stateOf(intent)).jobs).toEqual([null])
    expect(await claimsOf(work, 'slow')).toBe(0)
  })
})

describe('cancelling', () => {
  test('against the last job’s end is decided once, a thousand times', async () => {
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
