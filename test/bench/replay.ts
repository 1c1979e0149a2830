import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { newId } from '@medialog/application'
import type { Auditing } from '@medialog/application/audit/ledger'
import { replayLedger } from '@medialog/application/audit/replay-ledger'
import { encodeEvent } from '@medialog/contract'
import type { DomainEvent, LedgerEvent } from '@medialog/domain'
import { openSqliteEventStore, type ChainedEventStore } from '@medialog/event-store'
import { isoTime, usd, type NewEvent, type StreamName } from '@medialog/kernel'
import { recordsProjection } from '@medialog/projections'
import { replay } from '@medialog/projections/apply'
import {
  documentsDefinition,
  openDatabaseSource,
  openDatabaseStore,
  openDocuments,
  recordsStore,
  usageOf,
} from '@medialog/read-model'
import { row, type BenchRows } from './row.ts'
import { sized } from './scale.ts'

const POSTINGS = sized(100_000)
const ROUNDS = sized(5)
/** Of every so many postings one is the charge of a batch, and one the refund of its one file. */
const BATCH_EVERY = 20
const APPENDED_AT_ONCE = 500
const EVER = { from: 0, until: Number.MAX_SAFE_INTEGER, window: { offset: 0, limit: 100 } }

/**
 * Postings a second that a replay of one ledger adds up, proves and compares with the read model, the streams of its
 * batches included, against reading the same ledger and doing nothing with it. And what it holds in memory meanwhile: what
 * is live after a collection half-way, against before.
 */
export async function* benchReplay(): BenchRows {
  const folder = mkdtempSync(join(tmpdir(), 'medialog-bench-replay-'))
  const store = await openSqliteEventStore({ path: join(folder, 'log.db') })
  try {
    const accountId = newId()
    const stream: StreamName = `ledger-${accountId}`
    await writeLedger(store, stream, accountId)
    const readModel = await projectedUsage(store, folder)
    const auditing = {
      eventStore: store,
      usage: readModel.port,
      projections: { reached: async () => true },
      settings: { readYourWritesMs: 0 },
    } as unknown as Auditing
    const seconds = { bare: Infinity, replay: Infinity }
    for (let round = 0; round < ROUNDS; round++) {
      seconds.bare = Math.min(seconds.bare, await timed(() => readOnly(store, stream)))
      seconds.replay = Math.min(seconds.replay, await timed(() => proven(auditing, accountId)))
    }
    const held = await heldHalfway(auditing, accountId)
    await readModel.close()
    yield* [
      row(`replay ${POSTINGS} postings`, POSTINGS / seconds.bare, POSTINGS / seconds.replay, 'postings/s'),
      row(`live half-way through them`, held.before, held.halfway, 'MB'),
    ]
  } finally {
    await store.close()
    rmSync(folder, { recursive: true })
  }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now()
  await work()
  return (performance.now() - started) / 1_000
}

async function readOnly(store: ChainedEventStore, stream: StreamName): Promise<void> {
  for await (const _ of store.read(stream));
}

async function proven(auditing: Auditing, accountId: string): Promise<void> {
  const replayed = replayLedger(auditing, accountId, EVER)
  for (;;) {
    const { done, value } = await replayed.next()
    if (!done) continue
    if (!value.holds || value.postings !== POSTINGS)
      throw new Error(`the replay of ${value.postings} postings proves nothing`)
    return
  }
}

async function heldHalfway(
  auditing: Auditing,
  accountId: string,
): Promise<{ before: number; halfway: number }> {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const live = (): number => {
    collect()
    return process.memoryUsage().heapUsed / 1e6
  }
  const before = live()
  let [halfway, shown] = [0, 0]
  for await (const page of replayLedger(auditing, accountId, { ...EVER, window: undefined })) {
    shown += page.length
    if (halfway === 0 && shown >= POSTINGS / 2) halfway = live()
  }
  return { before, halfway }
}

async function projectedUsage(store: ChainedEventStore, folder: string) {
  const writer = await openDatabaseStore({ folder, definition: documentsDefinition(recordsStore) }).open()
  const context = { log: store, artifacts: { get: async () => null } }
  await replay(recordsProjection(recordsStore), context, writer, await store.head())
  const source = openDatabaseSource(folder, 'records')
  return {
    port: usageOf(openDocuments(source)),
    async close() {
      source.close()
      await writer.close()
    },
  }
}

/** As many postings as are measured, of uploads and batches, and what settles them. */
async function writeLedger(store: ChainedEventStore, stream: StreamName, accountId: string): Promise<void> {
  const start = Date.parse('2026-11-01T00:00:00Z')
  const events: LedgerEvent[] = [
    { type: 'BalanceCredited', creditId: newId(), amount: usd('1000000'), reference: null, at: start },
  ]
  for (let postings = 1; postings < POSTINGS;) {
    const at = start + postings
    if (postings % BATCH_EVERY === 0 && postings + 1 < POSTINGS) {
      events.push(...(await failedBatch(store, accountId, at)))
      postings += 2
    } else {
      events.push(...upload(at))
      postings++
    }
  }
  for (let from = 0; from < events.length; from += APPENDED_AT_ONCE)
    await store.append(
      stream,
      from === 0 ? 'no-stream' : from - 1,
      events.slice(from, from + APPENDED_AT_ONCE).map((event) => stored(event, accountId, start)),
    )
}

const PRICE = [
  { price: 'DOCUMENT_PROCESSING', amount: usd('0.03') },
  { price: 'VECTOR_PROCESSING', amount: usd('0.01') },
]
const AMOUNT = usd('0.04')

function upload(at: number): LedgerEvent[] {
  const chargeId = newId()
  const cause = { operation: 'upload', requestId: chargeId, jobId: chargeId, mediaId: newId() }
  return [
    { type: 'BalanceCharged', chargeId, amount: AMOUNT, lines: PRICE, cause, at },
    { type: 'ChargeSettled', chargeId, at },
  ]
}

async function failedBatch(store: ChainedEventStore, accountId: string, at: number): Promise<LedgerEvent[]> {
  const [batchId, jobId] = [newId(), newId()]
  const file = {
    filename: 'broken.pdf',
    mediaType: 'document',
    sizeBytes: 1,
    sha256: 'a'.repeat(64),
  } as const
  const job = { jobId, mediaId: newId(), stagedId: newId(), ...file, duplicate: false }
  const asked = { accountId, batchId, name: null, collection: null, overwrite: false, price: PRICE }
  const history: DomainEvent[] = [
    { type: 'BatchSubmitted', ...asked, jobs: [job], at },
    { type: 'JobFailed', jobId, code: 'corrupted_file', message: 'The file is damaged.', at },
  ]
  await store.append(
    `batch-${batchId}`,
    'no-stream',
    history.map((event) => stored(event, accountId, at)),
  )
  const cause = { operation: 'batch', requestId: batchId, batchId }
  const refund = { refundId: `refund-${jobId}`, chargeId: batchId, reason: 'corrupted' }
  return [
    { type: 'BalanceCharged', chargeId: batchId, amount: AMOUNT, lines: PRICE, cause, at },
    { type: 'BalanceRefunded', ...refund, amount: AMOUNT, lines: PRICE, at },
  ]
}

const stored = (event: DomainEvent, accountId: string, at: number): NewEvent => ({
  id: newId(),
  ...encodeEvent(event),
  metadata: { timestamp: isoTime(at), actor: 'k3y1d000', accountId },
})
