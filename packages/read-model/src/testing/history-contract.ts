import type { EventPage, History } from '@medialog/application/ports'
import type { BatchJob, IngestRecord, LedgerEvent, MediaEvent, PastLife } from '@medialog/domain'
import { usd, type JsonObject, type Uuid } from '@medialog/kernel'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { recorderOf, type ProjectedEngine, type ProjectedEngineFactory } from './projected.ts'

const ANN = '00000000-0000-4000-8000-00000000000a'
const BEN = '00000000-0000-4000-8000-00000000000b'
const FERRY = '00000000-0000-5000-8000-0000000000f1'
const BREAD = '00000000-0000-5000-8000-0000000000f2'
const WHALE = '00000000-0000-5000-8000-0000000000f3'
const AT = 1_000
const SHA = 'a'.repeat(64)
const ALL = { offset: 0, limit: 100 }

/** `request(1)`, `request(2)`, … */
const request = (number: number): Uuid => `00000000-0000-7000-8000-${String(number).padStart(12, '0')}`
const job = (number: number): Uuid => `00000000-0000-7000-8001-${String(number).padStart(12, '0')}`

const claimed = (jobId: Uuid, batchId: Uuid | null = null) =>
  ({ type: 'IngestClaimed', accountId: ANN, ingestId: jobId, jobId, batchId, sha256: SHA, at: AT }) as const

const record = (jobId: Uuid): IngestRecord => ({
  ingestId: jobId,
  jobId,
  mediaType: 'document',
  format: 'txt',
  filename: 'ferry.txt',
  sizeBytes: 10,
  sha256: SHA,
  artifacts: {},
  vectorCount: { hd: 2, ld: 1 },
  embedder: 'e',
  enricher: 'n',
  durationMs: 1,
  at: AT,
})

const ingested = (jobId: Uuid) =>
  ({
    ...record(jobId),
    type: 'MediaIngested',
    accountId: ANN,
    place: { collection: 'default', generation: 0 },
  }) as const

const deleted = (ingestId: Uuid, lives: PastLife[] = [], at = AT): MediaEvent => ({
  type: 'MediaDeleted',
  accountId: ANN,
  ingestId,
  cause: 'requested',
  reason: null,
  lives,
  at,
})

const LINES = [{ price: 'DOCUMENT_PROCESSING', amount: usd('0.04') }]
const charged = (chargeId: Uuid, cause: object): LedgerEvent => ({
  type: 'BalanceCharged',
  chargeId,
  amount: usd('0.04'),
  lines: LINES,
  cause: { operation: 'upload', requestId: chargeId, ...cause },
  at: AT,
})
const refunded = (chargeId: Uuid, refundId: string): LedgerEvent => ({
  type: 'BalanceRefunded',
  refundId,
  chargeId,
  amount: usd('0.04'),
  lines: LINES,
  reason: 'not used',
  at: AT,
})

const jobOf = (jobId: Uuid, mediaId: Uuid, duplicate = false): BatchJob => ({
  jobId,
  mediaId,
  stagedId: jobId,
  filename: 'a.txt',
  mediaType: 'document',
  sizeBytes: 1,
  sha256: SHA,
  duplicate,
})

/** What every History read model must do. `factory` is called once a test, for an empty one. */
export function describeHistoryContract(name: string, factory: ProjectedEngineFactory<History>): void {
  describe(`history: ${name}`, () => {
    let engine: ProjectedEngine<History>
    let log: ReturnType<typeof recorderOf>
    beforeEach(async () => {
      engine = await factory()
      log = recorderOf(engine)
    })
    afterEach(() => engine.close())

    const ofItem = async (mediaId: Uuid, account = ANN): Promise<number[]> =>
      (await engine.port.ofItem(account, mediaId, ALL)).positions
    const ofRequest = async (requestId: Uuid, account = ANN): Promise<number[]> =>
      (await engine.port.ofRequest(account, requestId, ALL)).positions
    const by = (requestId: Uuid) => ({ accountId: ANN, requestId })

    test('nothing is there at first', async () => {
      const nothing: EventPage = { positions: [], total: 0 }
      expect(await engine.port.ofItem(ANN, FERRY, ALL)).toEqual(nothing)
      expect(await engine.port.ofRequest(ANN, request(1), ALL)).toEqual(nothing)
      expect(await engine.port.position()).toBe(0)
    })

    test('an upload is found by its item and by its request, its charge and refund with it', async () => {
      const id = request(1)
      const upload = [
        await log.recordFor(by(id), 'media', FERRY, claimed(id)),
        await log.recordFor(by(id), 'ledger', ANN, charged(id, { jobId: id, mediaId: FERRY })),
        await log.recordFor(by(id), 'media', FERRY, ingested(id)),
      ]
      // Recovery ends a charge after a crash, and it is the same request's.
      const refund = await log.recordFor({ accountId: ANN }, 'ledger', ANN, refunded(id, `refund-${id}`))
      const settled = await log.record('ledger', ANN, { type: 'ChargeSettled', chargeId: id, at: AT })
      expect(await ofItem(FERRY)).toEqual([...upload, refund])
      expect(await ofRequest(id)).toEqual([...upload, refund, settled])
      expect(await engine.port.ofItem(ANN, FERRY, { offset: 1, limit: 2 })).toEqual({
        positions: upload.slice(1),
        total: 4,
      })
      expect(await engine.port.ofRequest(ANN, id, { offset: 4, limit: 9 })).toEqual({
        positions: [settled],
        total: 5,
      })
      expect(await engine.port.position()).toBe(settled)
    })

    test('each file of a batch has its own part of it', async () => {
      const id = request(2)
      const [first, second, third] = [job(1), job(2), job(3)]
      const submitted = await log.recordFor(by(id), 'batch', id, {
        type: 'BatchSubmitted',
        accountId: ANN,
        batchId: id,
        name: null,
        collection: null,
        overwrite: false,
        price: LINES,
        jobs: [jobOf(first, FERRY), jobOf(second, BREAD), jobOf(third, WHALE, true)],
        at: AT,
      })
      const charge = await log.recordFor(by(id), 'ledger', ANN, charged(id, { batchId: id }))
      const claim = await log.recordFor(by(id), 'media', FERRY, claimed(first, id))
      const succeeded = await log.recordFor(by(id), 'batch', id, {
        type: 'JobSucceeded',
        jobId: first,
        mediaId: FERRY,
        tookMs: 1,
        at: AT,
      })
      const failed = await log.recordFor(by(id), 'batch', id, {
        type: 'JobFailed',
        jobId: second,
        code: 'timeout_error',
        message: 'It took too long.',
        at: AT,
      })
      const back = await log.recordFor(by(id), 'ledger', ANN, refunded(id, `refund-${second}`))
      const cancelled = await log.recordFor(by(request(3)), 'batch', id, {
        type: 'BatchCancelled',
        from: 'running',
        at: AT,
      })
      const rest = await log.record('ledger', ANN, refunded(id, `refund-${id}`))
      expect(await ofItem(FERRY)).toEqual([submitted, charge, claim, succeeded, rest])
      expect(await ofItem(BREAD)).toEqual([submitted, charge, failed, back, rest])
      expect(await ofItem(WHALE)).toEqual([submitted])
      expect(await ofRequest(id)).toEqual([submitted, charge, claim, succeeded, failed, back, rest])
      expect(await ofRequest(request(3))).toEqual([cancelled])
    })

    test('moves and answers are found by each item that they name', async () => {
      const moved = await log.recordFor(by(request(4)), 'library', ANN, {
        type: 'ItemsMoved',
        accountId: ANN,
        place: { collection: 'papers', generation: 0 },
        mediaIds: [FERRY, BREAD],
        at: AT,
      })
      const answers: JsonObject[] = [
        { kept: { items: { [FERRY]: { ingest: job(1), collection: 'default' } }, hits: [] } },
        { kept: { item: { mediaId: FERRY, ingestId: job(1) }, passages: [] } },
        {
          kept: {
            item: null,
            passages: [
              { mediaId: FERRY, chunk: 0 },
              { mediaId: FERRY, chunk: 1 },
            ],
          },
        },
        { kept: { items: { 'no id': {} }, passages: 'none' } },
        { mediaId: BREAD },
      ]
      const completed: number[] = []
      for (const [at, answer] of answers.entries())
        completed.push(
          await log.recordFor(by(request(5 + at)), 'request', request(5 + at), {
            type: 'RequestCompleted',
            accountId: ANN,
            requestId: request(5 + at),
            answer,
            at: AT,
          }),
        )
      expect(await ofItem(FERRY)).toEqual([moved, ...completed.slice(0, 3)])
      expect(await ofItem(BREAD)).toEqual([moved])
      expect(await ofRequest(request(9))).toEqual([completed[4]])
    })

    test('what a deletion takes out of the log is not shown any more, even after later events', async () => {
      const id = request(10)
      await log.recordFor(by(id), 'media', FERRY, claimed(id))
      const charge = await log.recordFor(by(id), 'ledger', ANN, charged(id, { jobId: id, mediaId: FERRY }))
      await log.recordFor(by(id), 'media', FERRY, ingested(id))
      await log.recordFor(by(request(11)), 'media', BREAD, claimed(request(11)))
      const first = await log.recordFor(by(request(12)), 'media', FERRY, deleted(id))
      expect(await ofItem(FERRY)).toEqual([charge, first])
      expect(await ofRequest(id)).toEqual([charge])
      expect(await ofRequest(request(12))).toEqual([first])
      expect(await ofItem(BREAD)).toHaveLength(1)

      const again = request(13)
      const claim = await log.recordFor(by(again), 'media', FERRY, claimed(again))
      const ingest = await log.recordFor(by(again), 'media', FERRY, ingested(again))
      expect(await ofItem(FERRY)).toEqual([charge, first, claim, ingest])
      const second = await log.recordFor(by(request(14)), 'media', FERRY, deleted(again))
      expect(await ofItem(FERRY)).toEqual([charge, second])
      expect(await ofRequest(request(12))).toEqual([])
    })

    test('the same again changes nothing', async () => {
      const id = request(15)
      const position = await log.recordTwice(
        ['media', FERRY, claimed(id)],
        ['media', FERRY, ingested(id)],
        ['media', FERRY, deleted(id)],
      )
      expect(await ofItem(FERRY)).toEqual([position])
      expect(await engine.port.position()).toBe(position)
    })

    const storedAt = async (at: number, filter: Parameters<History['storedAt']>[2] = {}, account = ANN) =>
      (await engine.port.storedAt(account, at, filter, ALL)).items.map(({ mediaId }) => mediaId)
    const stored = (at: number, mediaType: IngestRecord['mediaType'] = 'document') =>
      ({ ...ingested(job(at)), mediaType, at }) as const

    test('what was stored when is listed newest first, by type, in pages, with its events’ places', async () => {
      const first = await log.record('media', FERRY, stored(10))
      await log.record('media', WHALE, stored(20, 'image'))
      await log.record('media', BREAD, stored(20))
      expect(await storedAt(9)).toEqual([])
      expect(await storedAt(10)).toEqual([FERRY])
      expect(await storedAt(30)).toEqual([BREAD, WHALE, FERRY])
      expect(await storedAt(30, { mediaType: 'image' })).toEqual([WHALE])
      expect(await storedAt(30, {}, BEN)).toEqual([])
      const moved = await log.record('library', ANN, {
        type: 'ItemsMoved',
        accountId: ANN,
        place: { collection: 'papers', generation: 0 },
        mediaIds: [FERRY],
        at: 40,
      })
      const page = { offset: 2, limit: 1 }
      const ferry = { mediaId: FERRY, mediaType: 'document', createdAt: 10, erasedAt: null }
      expect(await engine.port.storedAt(ANN, 39, {}, page)).toEqual({
        items: [{ ...ferry, ingestPosition: first, placePosition: first }],
        total: 3,
        undated: 0,
      })
      expect((await engine.port.storedAt(ANN, 40, {}, page)).items).toEqual([
        { ...ferry, ingestPosition: first, placePosition: moved },
      ])
    })

    test('an item whose deletion does not say since when it was there is counted', async () => {
      const undated: PastLife = { createdAt: null, until: 20, stays: [] }
      await log.recordTwice(['media', FERRY, stored(10)], ['media', FERRY, deleted(job(10), [undated], 20)])
      const at = (asOf: number) => engine.port.storedAt(ANN, asOf, {}, ALL)
      expect(await at(19)).toEqual({ items: [], total: 0, undated: 1 })
      expect(await at(20)).toEqual({ items: [], total: 0, undated: 0 })
      expect(await engine.port.storedAt(BEN, 19, {}, ALL)).toMatchObject({ undated: 0 })
      const stays: PastLife['stays'] = [{ from: 30, mediaType: 'audio', placeId: null }]
      const lives = [undated, { createdAt: 30, until: 40, stays }]
      await log.record('media', FERRY, stored(30, 'audio'), deleted(job(30), lives, 40))
      expect(await at(19)).toMatchObject({ total: 0, undated: 1 })
      expect(await at(30)).toEqual({
        items: [
          {
            mediaId: FERRY,
            mediaType: 'audio',
            createdAt: 30,
            erasedAt: 40,
            ingestPosition: null,
            placePosition: null,
          },
        ],
        total: 1,
        undated: 0,
      })
    })

    test('an account sees its own alone', async () => {
      const id = request(16)
      const own = await log.recordFor(by(id), 'ledger', ANN, charged(id, { jobId: id, mediaId: FERRY }))
      const theirs = await log.record('ledger', BEN, charged(request(17), { mediaId: BREAD }))
      expect([await ofItem(FERRY, BEN), await ofRequest(id, BEN)]).toEqual([[], []])
      expect([await ofItem(BREAD), await ofRequest(request(17))]).toEqual([[], []])
      expect([await ofItem(FERRY), await ofItem(BREAD, BEN)]).toEqual([[own], [theirs]])
    })
  })
}
