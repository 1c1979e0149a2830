import { setTimeout as sleep } from 'node:timers/promises'
import { EngineUnavailable, newId, SYSTEM, UnreadableFile, type Orchestrator } from '@medialog/application'
import {
  DuplicateMedia,
  IngestInProgress,
  InsufficientFunds,
  type BatchIntent,
  type BatchJob,
  type JobOutcome,
} from '@medialog/domain'
import { usd } from '@medialog/kernel'
import { understoodOf } from '@medialog/projections/testing/history'
import { describe, expect, test } from 'vitest'
import { makeSteps, type Steps } from '../steps.ts'
import { ACCOUNT, mediaIdOf, PRICE, startWork, type Understand, type Work } from './service.ts'

/** Opens the orchestrator on these ports; the suite recovers it before it is used, and drains it. */
export type OpenOrchestrator = (work: Work, options: { mostBatchJobs: number }) => Promise<Orchestrator>

type Opened = (options?: { mostBatchJobs?: number }) => Promise<Orchestrator>

/** A machine with other work takes its time. */
const PATIENCE_MS = 60_000
const TEST_MS = 180_000
const ENDED = ['completed', 'failed', 'cancelled']
const polling = { timeout: PATIENCE_MS, interval: 5 }

/** Waits until all of the batch is done; answers how it and its jobs ended. */
export async function worked(work: Work, intent: BatchIntent) {
  await expect
    .poll(async () => {
      const { status, jobs } = await work.stateOf(intent)
      const { open } = await work.books()
      return ENDED.includes(status) && !jobs.includes(null) && open === 0 && work.staged.size === 0
    }, polling)
    .toBe(true)
  return work.stateOf(intent)
}

/** Steps of a process from which the ledger is cut off. */
export function stepsWithoutLedger({ ports, streams }: Work): Steps {
  const execute: typeof streams.execute = (category, ...rest) =>
    category === 'ledger'
      ? Promise.reject(new EngineUnavailable('event store', 'away'))
      : streams.execute(category, ...rest)
  return makeSteps({ ...ports, streams: { ...streams, execute } })
}

/** Reads until it is stopped. */
export const untilStopped: Understand = (_, signal) =>
  new Promise((_, reject) => signal!.addEventListener('abort', () => reject(signal!.reason as Error)))

/** Texts that determine their outcome. */
const byText: Understand = async (text) => {
  if (text.startsWith('unreadable ')) throw new UnreadableFile('corrupted', `It is broken: ${text}.`)
  if (text === 'a bug') throw new Error('a bug')
  if (text === 'away') throw new EngineUnavailable('extractors', 'Away.', { retryAfterSeconds: 9 })
  return understoodOf(text)
}

/** What every Orchestrator must do: run each job to one outcome, and charge for what was delivered. */
export function describeOrchestratorContract(name: string, openOrchestrator: OpenOrchestrator): void {
  async function withWork(work: Work, run: (open: Opened) => Promise<void>): Promise<void> {
    const opened: Orchestrator[] = []
    try {
      await run(async ({ mostBatchJobs = 4 } = {}) => {
        const orchestrator = await openOrchestrator(work, { mostBatchJobs })
        opened.push(orchestrator)
        return orchestrator
      })
    } finally {
      for (const orchestrator of opened) await orchestrator.drain(AbortSignal.timeout(PATIENCE_MS))
    }
  }

  /** With one orchestrator, recovered. */
  const withOne =
    (
      understand: Understand,
      run: (work: Work, orchestrator: Orchestrator) => Promise<void>,
      options?: { credit?: string },
    ) =>
    async () => {
      const work = await startWork(understand, options)
      await withWork(work, async (open) => {
        const orchestrator = await open()
        await orchestrator.recover()
        await run(work, orchestrator)
      })
    }

  const expectNothingKept = (work: Work) => expect([...work.artifacts.files.keys()]).toEqual([])

  describe(`orchestrator: ${name}`, { timeout: TEST_MS }, () => {
    describe('an upload', () => {
      test(
        'is stored, charged and answered for',
        withOne(byText, async (work, orchestrator) => {
          const key = newId()
          const job = work.upload('one', { key })
          const { requestId, mediaId, ingestId } = job
          const request = { accountId: ACCOUNT, requestId, fingerprint: 'x', known: null, at: Date.now() }
          await work.streams.execute('request', key, { type: 'StartRequest', ...request }, SYSTEM)
          const outcome = await orchestrator.ingest(job)
          expect(outcome).toEqual({
            mediaId,
            ingestId,
            collection: 'default',
            startedAt: expect.any(Number),
            completedAt: expect.any(Number),
            previousBalance: usd('100'),
            cost: PRICE,
            newBalance: usd('99.96'),
            position: await work.ports.eventStore.head(),
          })
          expect(await work.books()).toEqual({ net: PRICE, open: 0 })
          const { selected } = await work.streams.load('request', key, ({ current }) => current?.answer)
          expect(selected).toMatchObject({ requestId, ingestId, newBalance: usd('99.96').toString() })
        }),
      )

      test(
        'of what is stored already is refused, and free',
        withOne(byText, async (work, orchestrator) => {
          await orchestrator.ingest(work.upload('one'))
          await expect(orchestrator.ingest(work.upload('one'))).rejects.toBeInstanceOf(DuplicateMedia)
          expect(await work.books()).toEqual({ net: PRICE, open: 0 })
        }),
      )

      test(
        'that cannot be paid for is refused, and leaves the content free for others',
        withOne(
          byText,
          async (work, orchestrator) => {
            const refused = orchestrator.ingest(work.upload('one'))
            await expect(refused).rejects.toBeInstanceOf(InsufficientFunds)
            await expect(refused).rejects.toMatchObject({ required: PRICE, balance: usd('0.03') })
            expect(await work.books()).toEqual({ net: 0n, open: 0 })
            expect(await work.ports.work.ingests()).toEqual([])
          },
          { credit: '0.03' },
        ),
      )

      test(
        'that cannot be read is refunded, and its uploader told why',
        withOne(byText, async (work, orchestrator) => {
          const refused = orchestrator.ingest(work.upload('unreadable file'))
          await expect(refused).rejects.toBeInstanceOf(UnreadableFile)
          const message = 'It is broken: unreadable file.'
          await expect(refused).rejects.toMatchObject({ reason: 'corrupted', message })
          expect(await work.books()).toEqual({ net: 0n, open: 0 })
          expectNothingKept(work)
        }),
      )

      test(
        'is refunded while its engine is unavailable, and its uploader learns when to retry',
        withOne(byText, async (work, orchestrator) => {
          const refused = orchestrator.ingest(work.upload('away'))
          await expect(refused).rejects.toBeInstanceOf(EngineUnavailable)
          await expect(refused).rejects.toMatchObject({ engine: 'extractors', retryAfterSeconds: 9 })
          expect(await work.books()).toEqual({ net: 0n, open: 0 })
          expectNothingKept(work)
        }),
      )

      test(
        'that fails for no known reason is refunded',
        withOne(byText, async (work, orchestrator) => {
          await expect(orchestrator.ingest(work.upload('a bug'))).rejects.toBeInstanceOf(Error)
          expect(await work.books()).toEqual({ net: 0n, open: 0 })
          expectNothingKept(work)
        }),
      )

      test('that is cancelled before it is recorded leaves nothing, and is refunded', async () => {
        let isRead = false
        const gate = Promise.withResolvers<void>()
        const slow: Understand = async (text, signal) => {
          isRead = true
          await Promise.race([gate.promise, untilStopped(text, signal ?? new AbortController().signal)])
          return understoodOf(text)
        }
        await withOne(slow, async (work, orchestrator) => {
          const leaving = new AbortController()
          const cancelled = orchestrator.ingest(work.upload('one'), leaving.signal)
          await expect.poll(() => isRead, polling).toBe(true)
          leaving.abort(new EngineUnavailable('request', 'It was cancelled.'))
          await expect(cancelled).rejects.toThrow('It was cancelled.')
          expect(await work.books()).toEqual({ net: 0n, open: 0 })
          gate.resolve()
          expectNothingKept(work)
          // The content is free.
          await orchestrator.ingest(work.upload('one'))
          expect(await work.books()).toEqual({ net: PRICE, open: 0 })
        })()
      })

      test(
        'that is cancelled once it is stored stays, and is paid for',
        withOne(byText, async (work, orchestrator) => {
          const leaving = new AbortController()
          await orchestrator.ingest(work.upload('one'), leaving.signal)
          leaving.abort(new Error('too late'))
          expect(await work.books()).toEqual({ net: PRICE, open: 0 })
        }),
      )

      test(
        'of the same bytes ten times at once is stored and charged once',
        withOne(byText, async (work, orchestrator) => {
          const sent = Array.from({ length: 10 }, () => orchestrator.ingest(work.upload('same')))
          const outcomes = await Promise.allSettled(sent)
          expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
          for (const outcome of outcomes)
            if (outcome.status === 'rejected')
              expect([DuplicateMedia, IngestInProgress]).toContain(outcome.reason.constructor)
          expect(await work.books()).toEqual({ net: PRICE, open: 0 })
        }),
      )
    })

    describe('a batch', () => {
      test('ends each job by the outcome of its file, and only what succeeded was paid for', async () => {
        const work = await startWork(byText)
        await withWork(work, async (open) => {
          const orchestrator = await open({ mostBatchJobs: 1 })
          await orchestrator.recover()
          const intent = await work.createBatch(['one', 'unreadable x', 'one', 'two', 'a bug'])
          orchestrator.startBatch(intent.batchId)
          orchestrator.startBatch(intent.batchId)
          expect(await worked(work, intent)).toEqual({
            status: 'completed',
            jobs: ['succeeded', 'failed', 'skipped', 'succeeded', 'failed'],
          })
          expect(await work.codesOf(intent)).toEqual(['corrupted_file', 'processing_error'])
          expect(await work.books()).toEqual({ net: 2n * PRICE, open: 0 })
          const succeeded = (await work.eventsOf(intent)).filter(({ type }) => type === 'JobSucceeded')
          for (const { data } of succeeded) expect(data.tookMs).toBeGreaterThanOrEqual(0)
          // Of what failed nothing is kept.
          const kept = new Set([...work.artifacts.files.keys()].map((path) => path.split('/')[1]))
          expect(kept).toEqual(new Set(['one', 'two'].map(mediaIdOf)))
        })
      })

      test(
        'whose files are stored already has no event, no work and no charge more',
        withOne(byText, async (work, orchestrator) => {
          const texts = Array.from({ length: 25 }, (_, index) => `stored ${index}`)
          const alone = await work.createBatch(texts, texts)
          const mixed = await work.createBatch(['one', 'two', 'a bug'], ['one'])
          for (const { batchId } of [alone, mixed]) orchestrator.startBatch(batchId)
          expect(await worked(work, alone)).toEqual({
            status: 'completed',
            jobs: Array<JobOutcome['status']>(25).fill('skipped'),
          })
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
        }),
      )

      test.each([false, true])(
        'stores the same content once where its first file fails (overwriting: %s)',
        async (overwrite) => {
          let reads = 0
          const firstFails: Understand = async (text) => {
            if (text === 'same' && ++reads === 1) throw new UnreadableFile('timeout', 'Not in time.')
            return understoodOf(text)
          }
          await withOne(firstFails, async (work, orchestrator) => {
            const texts = ['same', 'same', 'other', 'same', 'same']
            const intent = await work.createBatch(texts, [], { overwrite })
            orchestrator.startBatch(intent.batchId)
            expect((await worked(work, intent)).jobs).toEqual([
              'failed',
              'succeeded',
              'succeeded',
              'skipped',
              'skipped',
            ])
            expect(await work.books()).toEqual({ net: 2n * PRICE, open: 0 })
            expect(reads).toBe(2)
          })()
        },
      )

      test(
        'reports the progress of a file that takes long, until it has ended',
        withOne(
          async (text, _, onProgress) => {
            onProgress!(0.2)
            if (text === 'long') await sleep(5_100)
            onProgress!(0.47)
            return understoodOf(text)
          },
          async (work, orchestrator) => {
            const intent = await work.createBatch(['long', 'short'])
            const [{ jobId }] = intent.jobs as [BatchJob]
            orchestrator.startBatch(intent.batchId)
            expect((await worked(work, intent)).jobs).toEqual(['succeeded', 'succeeded'])
            const told = (await work.eventsOf(intent)).filter(({ type }) => type === 'JobProgressed')
            expect(told.map(({ data }) => data)).toEqual([{ jobId, percent: 40, at: expect.any(Number) }])
          },
        ),
      )

      test('fails what is left once the quota is used up', async () => {
        const work = await startWork(async (text) => {
          work.vectors.used = 100
          return understoodOf(text)
        })
        await withWork(work, async (open) => {
          const orchestrator = await open({ mostBatchJobs: 1 })
          await orchestrator.recover()
          const intent = await work.createBatch(['one', 'two'])
          orchestrator.startBatch(intent.batchId)
          expect(await worked(work, intent)).toEqual({ status: 'completed', jobs: ['succeeded', 'failed'] })
          expect(await work.codesOf(intent)).toEqual(['quota_exceeded'])
          expect(await work.books()).toEqual({ net: PRICE, open: 0 })
        })
      })

      test('waits for the same content that another batch is at, and pays for it once', async () => {
        const gate = Promise.withResolvers<void>()
        const waiting: Understand = async (text) => {
          await gate.promise
          return understoodOf(text)
        }
        await withOne(waiting, async (work, orchestrator) => {
          const [first, second] = [await work.createBatch(['same']), await work.createBatch(['same'])]
          orchestrator.startBatch(first.batchId)
          orchestrator.startBatch(second.batchId)
          for (const intent of [first, second])
            await expect.poll(async () => (await work.stateOf(intent)).status, polling).toBe('running')
          await expect.poll(async () => (await work.ports.work.ingests()).length, polling).toBe(1)
          gate.resolve()
          const ends = [(await worked(work, first)).jobs, (await worked(work, second)).jobs]
          expect(new Set(ends.flat())).toEqual(new Set(['skipped', 'succeeded']))
          expect(await work.books()).toEqual({ net: PRICE, open: 0 })
        })()
      })

      test(
        'whose claim was released by a crash half-way tries again under a new ingest',
        withOne(byText, async (work, orchestrator) => {
          const intent = await work.createBatch(['one'])
          const { jobId, mediaId, sha256 } = intent.jobs[0]!
          const ingest = {
            accountId: intent.accountId,
            ingestId: jobId,
            jobId,
            batchId: intent.batchId,
            at: 0,
          }
          const claim = { type: 'ClaimIngest', ...ingest, sha256, overwrite: false, dead: null } as const
          await work.streams.execute('media', mediaId, claim, SYSTEM)
          const release = { type: 'ReleaseIngest', ingestId: jobId, reason: 'crash', at: 0 } as const
          await work.streams.execute('media', mediaId, release, SYSTEM)
          orchestrator.startBatch(intent.batchId)
          expect((await worked(work, intent)).jobs).toEqual(['succeeded'])
          expect(await work.books()).toEqual({ net: PRICE, open: 0 })
        }),
      )

      test('that is cancelled ends the jobs at work, and those that wait', async () => {
        let reading = 0
        const counted: Understand = (text, signal) => {
          reading++
          return untilStopped(text, signal)
        }
        const work = await startWork(counted)
        await withWork(work, async (open) => {
          const orchestrator = await open({ mostBatchJobs: 2 })
          await orchestrator.recover()
          const intent = await work.createBatch(['one', 'two', 'three', 'four'])
          orchestrator.startBatch(intent.batchId)
          await expect.poll(() => reading, polling).toBe(2)
          await work.cancel(intent.batchId)
          await orchestrator.stopBatch(intent.batchId, AbortSignal.timeout(PATIENCE_MS))
          expect(await work.stateOf(intent)).toEqual({
            status: 'cancelled',
            jobs: Array<JobOutcome['status']>(4).fill('failed'),
          })
          expect(await work.codesOf(intent)).toEqual(Array<string>(4).fill('cancelled'))
          expect(await work.books()).toEqual({ net: 0n, open: 0 })
          expect([work.staged.size, reading]).toEqual([0, 2])
          // It was over already: nothing more happens.
          await orchestrator.stopBatch(intent.batchId, AbortSignal.timeout(PATIENCE_MS))
          expect((await work.eventsOf(intent)).filter(({ type }) => type === 'JobFailed')).toHaveLength(4)
        })
      })

      test('that was cancelled before its work began still ends', async () => {
        let reading = 0
        const counted: Understand = (text, signal) => {
          reading++
          return byText(text, signal)
        }
        await withOne(counted, async (work, orchestrator) => {
          const intent = await work.createBatch(['one', 'two'])
          await work.cancel(intent.batchId)
          await orchestrator.stopBatch(intent.batchId, AbortSignal.timeout(PATIENCE_MS))
          expect(await worked(work, intent)).toEqual({ status: 'cancelled', jobs: ['failed', 'failed'] })
          expect(await work.books()).toEqual({ net: 0n, open: 0 })
        })()
        expect(reading).toBe(0)
      })

      test(
        'that never came to be is given up: one that did is not, and goes on',
        withOne(byText, async (work, orchestrator) => {
          const intent = await work.createBatch(['one', 'two'], [], { paid: 'but not created' })
          const stagedIds = intent.jobs.map(({ stagedId }) => stagedId)
          expect(await orchestrator.abandonBatch(intent.batchId, stagedIds)).toBe('abandoned')
          expect([(await work.books()).net, work.staged.size]).toEqual([0n, 0])
          const created = await work.createBatch(['three'])
          expect(await orchestrator.abandonBatch(created.batchId, [])).toBe('created')
          expect((await worked(work, created)).jobs).toEqual(['succeeded'])
        }),
      )
    })

    test('recovery ends uploads by their state in the log, and batches go on', async () => {
      const work = await startWork(byText)
      const steps = makeSteps(work.ports)
      const [claimed, charged, recorded] = [
        work.upload('claimed'),
        work.upload('charged'),
        work.upload('kept'),
      ]
      await expect(stepsWithoutLedger(work).begin(claimed)).rejects.toBeInstanceOf(EngineUnavailable)
      await steps.begin(charged)
      const begun = await steps.begin(recorded)
      const finished = stepsWithoutLedger(work).finish(recorded, begun, await steps.understand(recorded))
      expect(await finished).toMatchObject({ owed: true })
      const created = await work.createBatch(['one', 'unreadable x'])
      const intended = await work.createBatch(['never'], [], { paid: 'but not created' })
      expect(await work.books()).toEqual({ net: 5n * PRICE, open: 4 })
      await withWork(work, async (open) => {
        const orchestrator = await open()
        expect(await orchestrator.recover()).toEqual({ settled: 1, refunded: 3, resumed: 1, abandoned: 0 })
        expect((await worked(work, created)).jobs).toEqual(['succeeded', 'failed'])
        expect((await work.stateOf(intended)).status).toBe('rejected')
        expect(await work.books()).toEqual({ net: 2n * PRICE, open: 0 })
        const refused = orchestrator.ingest(work.upload('kept'))
        await expect(refused).rejects.toBeInstanceOf(DuplicateMedia)
      })
    })

    test('draining parks batches where they are, for the next process, and takes no more work', async () => {
      let stuck = true
      let reading = false
      const work = await startWork((text, signal) => {
        if (!stuck || text !== 'two') return Promise.resolve(understoodOf(text))
        reading = true
        return untilStopped(text, signal)
      })
      await withWork(work, async (open) => {
        const first = await open({ mostBatchJobs: 2 })
        await first.recover()
        const intent = await work.createBatch(['one', 'two', 'three'])
        first.startBatch(intent.batchId)
        await expect.poll(async () => (await work.stateOf(intent)).jobs[2], polling).toBe('succeeded')
        await expect.poll(() => reading, polling).toBe(true)
        await first.drain(AbortSignal.timeout(PATIENCE_MS))
        expect(await work.stateOf(intent)).toEqual({
          status: 'running',
          jobs: ['succeeded', null, 'succeeded'],
        })
        await expect(first.ingest(work.upload('late'))).rejects.toBeInstanceOf(EngineUnavailable)
        stuck = false
        const next = await open()
        expect((await next.recover()).resumed).toBe(1)
        expect((await worked(work, intent)).jobs).toEqual(['succeeded', 'succeeded', 'succeeded'])
        expect(await work.books()).toEqual({ net: 3n * PRICE, open: 0 })
      })
    })
  })
}
