import { setTimeout as sleep } from 'node:timers/promises'
import {
  QuotaExceeded,
  UnreadableFile,
  UnsupportedFileType,
  type UnreadableReason,
} from '@medialog/application'
import { understoodOf } from '@medialog/projections/testing/history'
import { describe, expect, test } from 'vitest'
import { failureOf } from './job-failure.ts'
import { JobStopped } from './stopping.ts'
import { awayFor, mediaIdOf, PRICE, startWork, type Understand } from './testing/service.ts'

type Work = Awaited<ReturnType<typeof startWork>>
const ENDED = ['completed', 'failed', 'cancelled']

async function worked(work: Work, intent: Awaited<ReturnType<Work['createBatch']>>) {
  await expect
    .poll(
      async () => {
        const { status, jobs } = await work.stateOf(intent)
        const { open } = await work.books()
        return ENDED.includes(status) && !jobs.includes(null) && open === 0 && work.staged.size === 0
      },
      { timeout: 15_000, interval: 2 },
    )
    .toBe(true)
  return work.stateOf(intent)
}

/** Never ends, until it is told to. */
const untilStopped: Understand = (_, signal) =>
  new Promise((_, reject) => signal!.addEventListener('abort', () => reject(signal!.reason as Error)))

/** Texts that say what becomes of them. */
const understandByText: Understand = async (text) => {
  if (text.startsWith('unreadable '))
    throw new UnreadableFile(text.split(' ')[1] as UnreadableReason, 'Broken.')
  if (text === 'a bug') throw new Error('a bug')
  return understoodOf(text)
}

test('jobs end by what becomes of their files, and only what succeeded was paid for', async () => {
  const work = await startWork(understandByText)
  const intent = await work.createBatch([
    'one',
    'unreadable corrupted',
    'one',
    'unreadable timeout',
    'two',
    'a bug',
    'unreadable memory',
  ])
  const orchestrator = work.start(1)
  orchestrator.startBatch(intent.batchId)
  orchestrator.startBatch(intent.batchId)
  expect(await worked(work, intent)).toEqual({
    status: 'completed',
    jobs: ['succeeded', 'failed', 'skipped', 'failed', 'succeeded', 'failed', 'failed'],
  })
  expect(await work.codesOf(intent)).toEqual([
    'corrupted_file',
    'timeout_error',
    'processing_error',
    'resource_error',
  ])
  expect(await work.books()).toEqual({ net: 2n * PRICE, open: 0 })
  const succeeded = (await work.eventsOf(intent)).filter(({ type }) => type === 'JobSucceeded')
  for (const { data } of succeeded) expect(data.tookMs).toBeGreaterThanOrEqual(0)
  // Of what failed nothing is kept.
  const folders = new Set([...work.artifacts.files.keys()].map((path) => path.split('/')[1]))
  expect(folders).toEqual(new Set(['one', 'two'].map(mediaIdOf)))
})

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

test('what is stored already is told by the intent alone: no event, no work, no charge', async () => {
  const work = await startWork(understandByText)
  const texts = Array.from({ length: 25 }, (_, index) => `stored ${index}`)
  const alone = await work.createBatch(texts, texts)
  const mixed = await work.createBatch(['one', 'two', 'a bug'], ['one'])
  const orchestrator = work.start()
  for (const { batchId } of [alone, mixed]) orchestrator.startBatch(batchId)
  expect(await worked(work, alone)).toEqual({ status: 'completed', jobs: Array(25).fill('skipped') })
  expect(await worked(work, mixed)).toEqual({
    status: 'completed',
    jobs: ['skipped', 'succeeded', 'failed'],
  })
  expect(await work.books()).toEqual({ net: PRICE, open: 0 })
  expect((await work.eventsOf(alone)).map(({ type }) => type)).toEqual([
    'BatchSubmitted',
    'BatchCreated',
    'BatchStarted',
    'BatchCompleted',
  ])
})

test('a quota that is used up on the way fails what is left', async () => {
  const work = await startWork(async (text) => {
    work.vectors.used = 100
    return understoodOf(text)
  })
  const intent = await work.createBatch(['one', 'two'])
  work.start(1).startBatch(intent.batchId)
  expect(await worked(work, intent)).toEqual({ status: 'completed', jobs: ['succeeded', 'failed'] })
  expect([await work.codesOf(intent), await work.books()]).toEqual([
    ['quota_exceeded'],
    { net: PRICE, open: 0 },
  ])
})

describe('a batch', () => {
  test('that is parked goes on in the next process, where its jobs were', async () => {
    let stuck = true
    const work = await startWork((text, signal) =>
      stuck && text === 'two' ? untilStopped(text, signal) : Promise.resolve(understoodOf(text)),
    )
    const intent = await work.createBatch(['one', 'two', 'three'])
    const first = work.start(2)
    first.startBatch(intent.batchId)
    await expect.poll(async () => (await work.stateOf(intent)).jobs[2]).toBe('succeeded')
    await first.drain(AbortSignal.timeout(10_000))
    expect(await work.stateOf(intent)).toEqual({ status: 'running', jobs: ['succeeded', null, 'succeeded'] })
    stuck = false
    work.start().startBatch(intent.batchId)
    expect((await worked(work, intent)).jobs).toEqual(['succeeded', 'succeeded', 'succeeded'])
    expect(await work.books()).toEqual({ net: 3n * PRICE, open: 0 })
  })

  test('waits for the same content that another batch is at, and pays for it once', async () => {
    const gate = Promise.withResolvers<void>()
    const work = await startWork(async (text) => {
      await gate.promise
      return understoodOf(text)
    })
    const [first, second] = [await work.createBatch(['same']), await work.createBatch(['same'])]
    const orchestrator = work.start()
    orchestrator.startBatch(first.batchId)
    orchestrator.startBatch(second.batchId)
    await sleep(50)
    gate.resolve()
    const ends = [(await worked(work, first)).jobs, (await worked(work, second)).jobs]
    expect(new Set(ends.flat())).toEqual(new Set(['skipped', 'succeeded']))
    expect(await work.books()).toEqual({ net: PRICE, open: 0 })
  })

  test('whose claim was released by a crash half-way tries again under a new ingest', async () => {
    const work = await startWork()
    const intent = await work.createBatch(['one'])
    const { jobId, mediaId, sha256 } = intent.jobs[0]!
    const ingest = { accountId: intent.accountId, ingestId: jobId, jobId, batchId: intent.batchId, at: 0 }
    const claim = { type: 'ClaimIngest', ...ingest, sha256, overwrite: false, dead: false } as const
    await work.streams.execute('media', mediaId, claim, { actor: 'system' })
    const release = { type: 'ReleaseIngest', ingestId: jobId, reason: 'crash', at: 0 } as const
    await work.streams.execute('media', mediaId, release, { actor: 'system' })
    work.start().startBatch(intent.batchId)
    expect((await worked(work, intent)).jobs).toEqual(['succeeded'])
    expect(await work.books()).toEqual({ net: PRICE, open: 0 })
  })
})

describe('cancelling', () => {
  test('ends jobs that are at work at once, and those that wait', async () => {
    const work = await startWork(untilStopped)
    const intent = await work.createBatch(['one', 'two', 'three', 'four'])
    const orchestrator = work.start(2)
    orchestrator.startBatch(intent.batchId)
    await expect.poll(() => orchestrator.load().running).toBe(2)
    await work.cancel(intent.batchId)
    await orchestrator.stopBatch(intent.batchId, AbortSignal.timeout(10_000))
    expect(await worked(work, intent)).toEqual({ status: 'cancelled', jobs: Array(4).fill('failed') })
    expect(await work.codesOf(intent)).toEqual(Array(4).fill('cancelled'))
    expect(await work.books()).toEqual({ net: 0n, open: 0 })
  })

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
