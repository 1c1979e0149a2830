import type { Batches } from '@medialog/application/ports'
import type { BatchEvent, BatchIntent, LedgerEvent, MediaEvent } from '@medialog/domain'
import { usd } from '@medialog/kernel'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { recorderOf, type ProjectedEngine, type ProjectedEngineFactory } from './projected.ts'

const idOf = (digits: string): string => `00000000-0000-4000-8000-${digits.padStart(12, '0')}`
const [ANN, BEN, BATCH, OTHER] = ['a', 'b', '1', '2'].map(idOf) as [string, string, string, string]
const MEDIA = ['c1', 'c2', 'c3'].map(idOf) as [string, string, string]
const JOBS = ['d1', 'd2', 'd3'].map(idOf) as [string, string, string]
const NOON = Date.parse('2026-11-20T12:00:00Z')
const SHA = 'c'.repeat(64)
const price = [{ price: 'UPLOAD', amount: usd('0.04') }]

const intent = (changes: Partial<BatchIntent> = {}): BatchIntent => ({
  accountId: ANN,
  batchId: BATCH,
  name: 'Papers',
  collection: 'papers',
  overwrite: true,
  price,
  jobs: JOBS.map((jobId, index) => ({
    jobId,
    mediaId: MEDIA[index]!,
    stagedId: jobId,
    filename: `${index}.txt`,
    mediaType: 'document',
    sizeBytes: 100 + index,
    sha256: SHA,
    duplicate: false,
  })),
  at: NOON,
  ...changes,
})
const submitted = (changes?: Partial<BatchIntent>): BatchEvent => ({
  type: 'BatchSubmitted',
  ...intent(changes),
})
const created: BatchEvent = { type: 'BatchCreated', at: NOON + 1 }
const started: BatchEvent = { type: 'BatchStarted', at: NOON + 2 }
const claimed = (index: 0 | 1 | 2, at: number): MediaEvent => ({
  type: 'IngestClaimed',
  accountId: ANN,
  ingestId: JOBS[index],
  jobId: JOBS[index],
  batchId: BATCH,
  sha256: SHA,
  at,
})
const charged = (chargeId: string, batchId?: string): LedgerEvent => ({
  type: 'BalanceCharged',
  chargeId,
  amount: usd('0.12'),
  lines: [{ price: 'UPLOAD', amount: usd('0.12') }],
  cause: { operation: 'batch', ...(batchId && { batchId }) },
  at: NOON,
})
const refunded = (refundId: string, chargeId: string): LedgerEvent => ({
  type: 'BalanceRefunded',
  refundId,
  chargeId,
  amount: usd('0.04'),
  lines: price,
  reason: 'failed',
  at: NOON + 9,
})
const ALL = { offset: 0, limit: 10 }

/** What every Batches read model must do. `factory` is called once a test, for an empty one. */
export function describeBatchesContract(name: string, factory: ProjectedEngineFactory<Batches>): void {
  describe(`batches: ${name}`, () => {
    let engine: ProjectedEngine<Batches>
    let log: ReturnType<typeof recorderOf>
    beforeEach(async () => {
      engine = await factory()
      log = recorderOf(engine)
    })
    afterEach(() => engine.close())

    test('shows a batch once it is created, and a rejected one never', async () => {
      await log.record('batch', BATCH, submitted())
      await log.record('batch', OTHER, submitted({ batchId: OTHER }), { type: 'BatchRejected', at: NOON })
      expect(await engine.port.batch(ANN, BATCH)).toBeNull()
      expect(await engine.port.list(ANN, {}, ALL)).toEqual({ batches: [], total: 0 })
      const position = await log.record('batch', BATCH, created)
      expect((await engine.port.list(ANN, {}, ALL)).total).toBe(1)
      expect(await engine.port.jobs(ANN, OTHER)).toEqual([])
      expect(await engine.port.position()).toBe(position)
    })

    test('shows what was asked for, its progress, and what it cost by the ledger', async () => {
      await log.record('batch', BATCH, submitted())
      await log.recordTwice(['ledger', ANN, charged(BATCH, BATCH)])
      await log.record('batch', BATCH, created, started)
      await log.recordTwice(
        ['media', MEDIA[0], claimed(0, NOON + 3)],
        ['media', MEDIA[1], claimed(1, NOON + 4)],
      )
      await log.record('batch', BATCH, {
        type: 'JobSucceeded',
        jobId: JOBS[0],
        mediaId: MEDIA[0],
        tookMs: 40,
        at: NOON + 9_043,
      })
      await log.recordTwice(['ledger', ANN, refunded('r', BATCH)])
      const record = {
        batchId: BATCH,
        accountId: ANN,
        name: 'Papers',
        collection: 'papers',
        overwrite: true,
        status: 'running',
        createdAt: NOON,
        startedAt: NOON + 2,
        endedAt: null,
        jobs: { total: 3, processing: 1, succeeded: 1, skipped: 0, failed: 0 },
        atWork: [],
        charged: usd('0.12'),
        refunded: usd('0.04'),
      }
      expect(await engine.port.batch(ANN, BATCH)).toEqual(record)
      expect(await engine.port.list(ANN, { status: 'running' }, ALL)).toEqual({ batches: [record], total: 1 })
      // Between claim and end no worker may have touched it.
      expect(await engine.port.meanJobMs(ANN)).toBe(40)
      expect(await engine.port.meanJobMs(BEN)).toBeNull()
    })

    test('shows the progress of files that take long, until they have ended', async () => {
      const progressed = (index: 0 | 1, percent: number): BatchEvent => ({
        type: 'JobProgressed',
        jobId: JOBS[index],
        percent,
        at: NOON + 9,
      })
      await log.record('batch', BATCH, submitted(), created, started)
      await log.record('batch', OTHER, submitted({ batchId: OTHER }), created, started)
      await log.record('media', MEDIA[0], claimed(0, NOON + 3))
      await log.record('media', MEDIA[1], claimed(1, NOON + 4))
      await log.record('batch', BATCH, progressed(1, 20), progressed(0, 10), progressed(1, 40))
      const atWork = async () => (await engine.port.batch(ANN, BATCH))?.atWork
      expect(await atWork()).toEqual([
        { jobId: JOBS[0], percent: 10 },
        { jobId: JOBS[1], percent: 40 },
      ])
      const { batches } = await engine.port.list(ANN, {}, ALL)
      const inList = new Map(batches.map((batch) => [batch.batchId, batch.atWork.length]))
      expect([inList.get(BATCH), inList.get(OTHER)]).toEqual([2, 0])
      // Another process takes it up, from the beginning.
      await log.record('media', MEDIA[0], claimed(0, NOON + 9))
      expect(await atWork()).toEqual([{ jobId: JOBS[1], percent: 40 }])
      await log.record('batch', BATCH, progressed(0, 10))
      const failed = { code: 'cancelled', message: 'It was cancelled.' } as const
      await log.record('batch', BATCH, { type: 'JobFailed', jobId: JOBS[1], ...failed, at: NOON + 10 })
      expect(await atWork()).toEqual([{ jobId: JOBS[0], percent: 10 }])
      // Told by a worker that counts as lost, after the end.
      await log.record('batch', BATCH, progressed(1, 60))
      expect(await atWork()).toEqual([{ jobId: JOBS[0], percent: 10 }])
      expect((await engine.port.jobs(ANN, BATCH))[1]).toMatchObject({ status: 'failed' })
    })

    test('names the batches that have jobs for items', async () => {
      await log.record('batch', BATCH, submitted({ jobs: intent().jobs.slice(0, 2) }), created)
      await log.record('batch', OTHER, submitted({ batchId: OTHER }), created)
      const pairs = await engine.port.ofItems(ANN, [MEDIA[1], MEDIA[2], ANN])
      expect(
        pairs.toSorted((a, b) => `${a.mediaId}${a.batchId}`.localeCompare(`${b.mediaId}${b.batchId}`)),
      ).toEqual([
        { mediaId: MEDIA[1], batchId: BATCH },
        { mediaId: MEDIA[1], batchId: OTHER },
        { mediaId: MEDIA[2], batchId: OTHER },
      ])
      expect(await engine.port.ofItems(BEN, [...MEDIA])).toEqual([])
      expect(await engine.port.ofItems(ANN, [])).toEqual([])
    })

    test('jobs come in the order of the files, with how each ended', async () => {
      await log.record('batch', BATCH, submitted(), created, started)
      await log.record('media', MEDIA[0], claimed(0, NOON + 3))
      const failed = { code: 'corrupted_file', message: 'The file is damaged.' } as const
      await log.record(
        'batch',
        BATCH,
        { type: 'JobSkipped', jobId: JOBS[2], mediaId: MEDIA[2], at: NOON + 5 },
        { type: 'JobFailed', jobId: JOBS[0], ...failed, at: NOON + 6 },
      )
      const job = (index: 0 | 1 | 2) => ({
        jobId: JOBS[index],
        mediaId: MEDIA[index],
        mediaType: 'document',
        sizeBytes: 100 + index,
        error: null,
        endedAt: null,
      })
      expect(await engine.port.jobs(ANN, BATCH)).toEqual([
        { ...job(0), status: 'failed', error: failed, endedAt: NOON + 6 },
        { ...job(1), status: 'pending' },
        { ...job(2), status: 'skipped', endedAt: NOON + 5 },
      ])
    })

    test.each([
      ['completed', { type: 'BatchCompleted', at: NOON + 7 }],
      ['failed', { type: 'BatchFailed', at: NOON + 7 }],
      ['cancelled', { type: 'BatchCancelled', from: 'running', at: NOON + 7 }],
    ] as const)('has %s', async (status, end) => {
      await log.record('batch', BATCH, submitted(), created, started, end)
      expect(await engine.port.batch(ANN, BATCH)).toMatchObject({ status, endedAt: NOON + 7 })
      expect((await engine.port.list(ANN, { status: 'running' }, ALL)).total).toBe(0)
      expect((await engine.port.list(ANN, { status }, ALL)).total).toBe(1)
    })

    test('ends with the last of its jobs, which may end after it was cancelled', async () => {
      const ended = (index: 0 | 1, at: number): BatchEvent => ({
        type: 'JobSkipped',
        jobId: JOBS[index],
        mediaId: MEDIA[index],
        at,
      })
      await log.record('batch', BATCH, submitted(), created, started, ended(0, NOON + 9))
      const endedAt = async () => (await engine.port.batch(ANN, BATCH))!.endedAt
      expect(await endedAt()).toBeNull()
      await log.record('batch', BATCH, { type: 'BatchCancelled', from: 'running', at: NOON + 7 })
      expect(await endedAt()).toBe(NOON + 9)
      await log.record('batch', BATCH, ended(1, NOON + 20))
      expect(await endedAt()).toBe(NOON + 20)
    })

    test('of a batch that is submitted its duplicates are skipped', async () => {
      const jobs = intent().jobs.map((job, index) => ({ ...job, duplicate: index !== 1 }))
      await log.record('batch', BATCH, submitted({ jobs }), created)
      expect((await engine.port.jobs(ANN, BATCH)).map(({ status, endedAt }) => [status, endedAt])).toEqual([
        ['skipped', NOON],
        ['pending', null],
        ['skipped', NOON],
      ])
      expect((await engine.port.batch(ANN, BATCH))!.jobs).toMatchObject({ total: 3, skipped: 2 })
    })

    test('says what is still to be done, intents included, by account', async () => {
      const jobs = intent().jobs.map((job, index) => ({ ...job, jobId: idOf(`e${index}`) }))
      await log.record('batch', BATCH, submitted(), created, started)
      await log.record('batch', OTHER, submitted({ batchId: OTHER, jobs }))
      const failed = { type: 'JobFailed', code: 'format_error', message: '' } as const
      await log.record('batch', BATCH, { ...failed, jobId: JOBS[1], at: NOON + 5 })
      expect(await engine.port.open(ANN)).toEqual([
        { batchId: BATCH, jobs: 2, bytes: 202 },
        { batchId: OTHER, jobs: 3, bytes: 303 },
      ])
      expect(await engine.port.open(BEN)).toEqual([])
      await log.record('batch', OTHER, { type: 'BatchRejected', at: NOON + 6 })
      for (const jobId of [JOBS[0], JOBS[2]])
        await log.record('batch', BATCH, { ...failed, jobId, at: NOON + 7 })
      expect(await engine.port.open(ANN)).toEqual([])
    })

    test('lists the newest first, a page at a time', async () => {
      const ids = ['21', '22', '23'].map(idOf)
      for (const [index, batchId] of ids.entries()) {
        const jobs = intent().jobs.map((job, number) => ({ ...job, jobId: idOf(`e${index}${number}`) }))
        await log.record('batch', batchId, submitted({ batchId, jobs, at: NOON + index }), created)
      }
      const page = async (offset: number) =>
        (await engine.port.list(ANN, {}, { offset, limit: 2 })).batches.map(({ batchId }) => batchId)
      expect([await page(0), await page(2)]).toEqual([[ids[2], ids[1]], [ids[0]]])
    })

    test('another account’s batches are not there, and no posting but its own charge counts', async () => {
      await log.record('batch', BATCH, submitted(), created)
      await log.record('ledger', ANN, charged('single'), refunded('r', 'single'))
      await log.record('ledger', ANN, charged(OTHER, OTHER))
      expect(await engine.port.batch(BEN, BATCH)).toBeNull()
      expect(await engine.port.jobs(BEN, BATCH)).toEqual([])
      expect((await engine.port.list(BEN, {}, ALL)).total).toBe(0)
      expect(await engine.port.batch(ANN, BATCH)).toMatchObject({ charged: 0n, refunded: 0n })
    })
  })
}
