import type { UnfinishedWork } from '@medialog/application/ports'
import type { BatchEvent, LedgerEvent, MediaEvent, ErasureEvent } from '@medialog/domain'
import { usd } from '@medialog/kernel'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { recorderOf, type ProjectedEngine, type ProjectedEngineFactory } from './projected.ts'

const idOf = (digit: string): string => `00000000-0000-4000-8000-00000000000${digit}`
const [ANN, MEDIA, OTHER, JOB, JOB2, BATCH, REQUEST] = ['a', '1', '2', '3', '4', '5', '6'].map(idOf) as [
  ...[string, string, string, string, string, string, string],
]
const SHA = 'c'.repeat(64)
const AT = 5_000

const claimed = (jobId: string, batchId: string | null = null): MediaEvent => ({
  type: 'IngestClaimed',
  accountId: ANN,
  ingestId: jobId,
  jobId,
  batchId,
  sha256: SHA,
  at: AT,
})
const ingest = {
  accountId: ANN,
  ingestId: JOB,
  jobId: JOB,
  mediaType: 'document',
  format: 'txt',
  filename: 'a.txt',
  sizeBytes: 1,
  sha256: SHA,
  artifacts: {},
  vectorCount: { hd: 1, ld: 1 },
  embedder: 'e',
  enricher: 'f',
  durationMs: 1,
  at: AT,
} as const
const job = (jobId: string) => ({
  jobId,
  mediaId: MEDIA,
  stagedId: jobId,
  filename: 'a.txt',
  mediaType: 'document' as const,
  sizeBytes: 1,
  sha256: SHA,
  duplicate: false,
})
const submitted: Extract<BatchEvent, { type: 'BatchSubmitted' }> = {
  type: 'BatchSubmitted',
  accountId: ANN,
  batchId: BATCH,
  name: null,
  collection: null,
  overwrite: false,
  price: [{ price: 'UPLOAD', amount: usd('0.04') }],
  jobs: [job(JOB), job(JOB2)],
  at: AT,
}

/** What every UnfinishedWork read model must do. `factory` is called once a test, for an empty one. */
export function describeUnfinishedWorkContract(
  name: string,
  factory: ProjectedEngineFactory<UnfinishedWork>,
): void {
  describe(`unfinished work: ${name}`, () => {
    let engine: ProjectedEngine<UnfinishedWork>
    let log: ReturnType<typeof recorderOf>
    beforeEach(async () => {
      engine = await factory()
      log = recorderOf(engine)
    })
    afterEach(() => engine.close())

    test('claims are there until they are recorded or released', async () => {
      const position = await log.record('media', MEDIA, claimed(JOB))
      await log.record('media', OTHER, claimed(JOB2, BATCH))
      const open = { accountId: ANN, at: AT }
      expect(await engine.port.ingests()).toEqual([
        { ...open, mediaId: MEDIA, ingestId: JOB, jobId: JOB, batchId: null },
        { ...open, mediaId: OTHER, ingestId: JOB2, jobId: JOB2, batchId: BATCH },
      ])
      expect(position).toBe(1)
      const release = { accountId: ANN, ingestId: JOB2, jobId: JOB2, reason: 'crash', at: AT }
      await log.record('media', OTHER, { type: 'IngestReleased', ...release })
      expect((await engine.port.ingests()).map(({ ingestId }) => ingestId)).toEqual([JOB])
      const place = { collection: 'default', generation: 0 }
      await log.record('media', MEDIA, { type: 'MediaIngested', place, ...ingest, artifacts: {} })
      expect(await engine.port.ingests()).toEqual([])
      await log.recordTwice(
        ['media', MEDIA, claimed(JOB2)],
        [
          'media',
          MEDIA,
          {
            ...ingest,
            type: 'MediaOverwritten',
            place: null,
            previousIngestId: JOB,
            ingestId: JOB2,
            jobId: JOB2,
          },
        ],
      )
      expect(await engine.port.ingests()).toEqual([])
    })

    test('charges are there with what is left until they are settled or wholly refunded', async () => {
      const lines = [{ price: 'UPLOAD', amount: usd('0.04') }]
      const cause = { operation: 'upload', jobId: JOB }
      const charge = (chargeId: string) =>
        ({ type: 'BalanceCharged', chargeId, amount: usd('0.04'), lines, cause, at: AT }) as const
      const refund = (refundId: string, amount: string): LedgerEvent => ({
        type: 'BalanceRefunded',
        refundId,
        chargeId: 'a',
        amount: usd(amount),
        lines: [{ price: 'UPLOAD', amount: usd(amount) }],
        reason: 'less',
        at: AT,
      })
      await log.record('ledger', ANN, charge('a'), charge('b'))
      await log.recordTwice(['ledger', ANN, refund('r1', '0.01')])
      expect(await engine.port.charges()).toEqual([
        { accountId: ANN, chargeId: 'a', rest: usd('0.03'), cause, at: AT },
        { accountId: ANN, chargeId: 'b', rest: usd('0.04'), cause, at: AT },
      ])
      await log.record('ledger', ANN, { type: 'ChargeSettled', chargeId: 'b', at: AT })
      expect((await engine.port.charges()).map(({ chargeId }) => chargeId)).toEqual(['a'])
      await log.record('ledger', ANN, refund('r2', '0.03'))
      expect(await engine.port.charges()).toEqual([])
    })

    test('a charge of nothing is open until it is settled, whatever of others is refunded', async () => {
      const cause = { operation: 'search' }
      const lines = [{ price: 'ADVANCED_SEARCH', amount: usd('0.01') }]
      const charges = { cause, at: AT }
      await log.record(
        'ledger',
        ANN,
        { ...charges, type: 'BalanceCharged', chargeId: 'free', amount: 0n, lines: [] },
        { ...charges, type: 'BalanceCharged', chargeId: 'paid', amount: usd('0.01'), lines },
      )
      const refund = { refundId: 'r', chargeId: 'paid', amount: usd('0.01'), lines, reason: 'less', at: AT }
      await log.record('ledger', ANN, { ...refund, type: 'BalanceRefunded' })
      expect((await engine.port.charges()).map(({ chargeId }) => chargeId)).toEqual(['free'])
      await log.record('ledger', ANN, { type: 'ChargeSettled', chargeId: 'free', at: AT })
      expect(await engine.port.charges()).toEqual([])
    })

    test('requests are there until they are completed or abandoned', async () => {
      const id = { accountId: ANN, requestId: REQUEST }
      const started = { type: 'RequestStarted', ...id, fingerprint: 'f', at: AT } as const
      await log.record('request', MEDIA, started)
      await log.record('request', OTHER, started)
      const open = { ...id, at: AT }
      expect(await engine.port.requests()).toEqual([
        { stream: `request-${MEDIA}`, ...open },
        { stream: `request-${OTHER}`, ...open },
      ])
      await log.record('request', MEDIA, { type: 'RequestCompleted', ...id, answer: {}, at: AT })
      expect((await engine.port.requests()).map(({ stream }) => stream)).toEqual([`request-${OTHER}`])
      // What a key is used for next takes the place of what it was used for; an end of that comes too late.
      await log.record('request', OTHER, { ...started, requestId: JOB })
      await log.record('request', OTHER, { type: 'RequestAbandoned', ...id, at: AT })
      expect((await engine.port.requests()).map(({ requestId }) => requestId)).toEqual([JOB])
      await log.record('request', OTHER, { type: 'RequestAbandoned', ...id, requestId: JOB, at: AT })
      expect(await engine.port.requests()).toEqual([])
    })

    test('work of all accounts is in the order in which it began', async () => {
      const begin = (digit: string, requestId: string) =>
        log.record('request', requestId, {
          type: 'RequestStarted',
          accountId: idOf(digit),
          requestId,
          fingerprint: 'f',
          at: AT,
        })
      for (const [digit, requestId] of [
        ['b', JOB],
        ['a', JOB2],
        ['b', REQUEST],
      ] as const)
        await begin(digit, requestId)
      expect((await engine.port.requests()).map(({ requestId }) => requestId)).toEqual([JOB, JOB2, REQUEST])
    })

    test('erasures are there until they are completed', async () => {
      const requested: ErasureEvent = {
        type: 'ErasureRequested',
        accountId: ANN,
        subject: { kind: 'items' },
        ingests: [],
        at: AT,
      }
      await log.record('erasure', MEDIA, requested)
      await log.recordTwice(['erasure', OTHER, requested])
      await log.record('erasure', MEDIA, { type: 'ErasureExtended', accountId: ANN, ingests: [], at: AT })
      expect(await engine.port.erasures()).toEqual([
        { accountId: ANN, erasureId: MEDIA },
        { accountId: ANN, erasureId: OTHER },
      ])
      await log.record('erasure', MEDIA, {
        type: 'ErasureCompleted',
        accountId: ANN,
        ingests: 0,
        digest: 'a'.repeat(64),
        stores: [],
        at: AT,
      })
      expect(await engine.port.erasures()).toEqual([{ accountId: ANN, erasureId: OTHER }])
    })

    test('batches are there until they end', async () => {
      const batches = async () => (await engine.port.batches()).map(({ status }) => status)
      await log.record('batch', BATCH, submitted)
      expect(await engine.port.batches()).toEqual([{ batchId: BATCH, accountId: ANN, status: 'submitted' }])
      await log.record('batch', BATCH, { type: 'BatchCreated', at: AT })
      expect(await batches()).toEqual(['created'])
      await log.record('batch', BATCH, { type: 'BatchStarted', at: AT })
      await log.record('batch', BATCH, {
        type: 'JobSucceeded',
        jobId: JOB,
        mediaId: MEDIA,
        tookMs: null,
        at: AT,
      })
      await log.record('batch', BATCH, { type: 'JobSkipped', jobId: JOB2, mediaId: MEDIA, at: AT })
      expect(await batches()).toEqual(['running'])
      await log.record('batch', BATCH, { type: 'BatchCompleted', at: AT })
      expect(await batches()).toEqual([])
    })

    test.each(['BatchRejected', 'BatchFailed'] as const)('after %s a batch is not there', async (type) => {
      await log.record('batch', BATCH, submitted, { type, at: AT })
      expect(await engine.port.batches()).toEqual([])
    })

    test('a cancelled batch is there until its last job has ended; duplicates are no jobs', async () => {
      const failed = (jobId: string) =>
        ({ type: 'JobFailed', jobId, code: 'cancelled', message: 'stopped', at: AT }) as const
      const jobs = [job(JOB), job(JOB2), { ...job(REQUEST), duplicate: true }]
      await log.record('batch', BATCH, { ...submitted, jobs }, { type: 'BatchCreated', at: AT }, failed(JOB))
      await log.record('batch', BATCH, { type: 'BatchCancelled', from: 'created', at: AT })
      expect(await engine.port.batches()).toEqual([{ batchId: BATCH, accountId: ANN, status: 'cancelled' }])
      const position = await log.record('batch', BATCH, failed(JOB2))
      expect(await engine.port.batches()).toEqual([])
      expect(await engine.port.position()).toBe(position)
    })
  })
}
