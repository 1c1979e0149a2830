import type { PositionedChange, ReadModelWriter } from '@medialog/application/ports'
import type { DocumentQueries, RecordModel } from '@medialog/read-model/documents'
import { openIndexDocuments } from '@medialog/read-model/elasticsearch/document-queries'
import { documentsIndex } from '@medialog/read-model/elasticsearch/documents'
import { connectElasticsearch } from '@medialog/read-model/elasticsearch/connection'
import type { IndexDefinition } from '@medialog/read-model/elasticsearch/definition'
import type { ReaderOptions } from '@medialog/read-model/elasticsearch/reader'
import { openIndexStore } from '@medialog/read-model/elasticsearch/store'
import { accountsModel, accountsOf } from '@medialog/read-model/records/accounts'
import { batchesModel, batchesOf } from '@medialog/read-model/records/batches'
import { historyModel, historyOf } from '@medialog/read-model/records/history'
import { usageModel, usageOf } from '@medialog/read-model/records/usage'
import { workModel, workOf } from '@medialog/read-model/records/work'
import { openDocuments } from '@medialog/read-model/sqlite/document-queries'
import { documentsDefinition } from '@medialog/read-model/sqlite/documents'
import type { ReadModelDefinition } from '@medialog/read-model/sqlite/definition'
import type { DatabaseSource } from '@medialog/read-model/sqlite/source'
import { testIndices } from '@medialog/read-model/testing/elasticsearch-engine'
import { describeWithEngine } from '@medialog/test/engines'
import { SYSTEM } from '@medialog/application'
import { TIERS, type AccountCommand } from '@medialog/domain'
import type { RecordedEvent, Uuid } from '@medialog/kernel'
import { beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { isOf, type Projection } from './projection.ts'
import { recordsProjection } from './records.ts'
import { digestOf } from './testing/digest-of.ts'
import { createHistory, idOf } from './testing/history.ts'
import { createMemoryArtifacts } from './testing/memory-artifacts.ts'
import { MemoryEventStore } from './testing/memory-event-store.ts'
import { projectedBatch } from './testing/projected-batch.ts'
import { openProjected, storeFor } from './testing/sqlite-projected.ts'

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 })

const ACCOUNTS = ['ann', 'ben'].map((name) => idOf(name))
const EVER = { from: 0, to: Date.parse('2100-01-01T00:00:00Z') }
const PART = 7

describeWithEngine('elasticsearch', 'one log in both engines, its writes cut off in the middle', (url) => {
  let events: RecordedEvent[]
  beforeAll(async () => {
    events = await happened()
  })

  /** The same answers from both, and after any cut the same documents as a fresh build's. */
  async function expectSame<Change, Port>(
    projection: Projection<Change>,
    rows: [ReadModelDefinition<Change>, (source: DatabaseSource) => Port],
    documents: [IndexDefinition<Change>, (options: ReaderOptions) => Port],
    ask: (port: Port, account: Uuid) => Promise<unknown>,
  ): Promise<void> {
    const sqlite = await openProjected(rows[0], projection, rows[1])
    onTestFinished(() => sqlite.close())
    await sqlite.apply(events)
    const { client, prefix, remove } = testIndices(url)
    onTestFinished(remove)
    const cut = cutting(url)
    onTestFinished(() => cut.client.close())
    const store = openIndexStore({ client: cut.client, prefix, definition: documents[0] })
    const writer = await store.open()
    const changes = await projectedBatch(projection, events)
    const last = events.at(-1)!.position
    for (let from = 0; from < changes.length; from += PART)
      await insist(writer, changes.slice(from, from + PART), changes[from + PART]?.position ?? last + 1)
    expect(cut.times()).toBeGreaterThan(5)
    const port = documents[1]({ client, prefix })
    for (const account of ACCOUNTS) expect(await ask(port, account)).toEqual(await ask(sqlite.port, account))
    const fresh = await openIndexStore({ client, prefix, definition: documents[0] }).build()
    await fresh.applyBatch(changes, last)
    expect(await digestOf(writer)).toBe(await digestOf(fresh))
  }

  const expectSameRecords = <Port>(
    model: RecordModel,
    portOf: (read: DocumentQueries) => Port,
    ask: (port: Port, account: Uuid) => Promise<unknown>,
  ): Promise<void> => {
    const store = storeFor(model)
    return expectSame(
      recordsProjection(store),
      [documentsDefinition(store), (source) => portOf(openDocuments(source))],
      [documentsIndex(store), (options) => portOf(openIndexDocuments(options, store.name))],
      ask,
    )
  }

  test('accounts', () =>
    expectSameRecords(accountsModel, accountsOf, async (accounts, account) => ({
      all: await accounts.list({ offset: 0, limit: 100 }),
      keys: await accounts.keys(account),
      before: await accounts.account(account, Date.parse('2026-11-20T11:00:00Z')),
    })))

  test('usage', () =>
    expectSameRecords(usageModel, usageOf, async (usage, account) => ({
      transactions: await usage.transactions(account, { limit: 5_000 }),
      costs: await usage.costs(account, EVER),
      days: await usage.trends(account, EVER, 'day'),
      hours: await usage.trends(account, EVER, 'hour'),
      last: await usage.lastChargeAt(account),
    })))

  test('unfinished work', () =>
    expectSameRecords(workModel, workOf, async (work) => ({
      ingests: await work.ingests(),
      charges: await work.charges(),
      requests: await work.requests(),
      batches: await work.batches(),
    })))

  test('batches', () =>
    expectSameRecords(batchesModel, batchesOf, async (batches, account) => {
      const { batches: listed, total } = await batches.list(account, {}, { offset: 1, limit: 3 })
      const jobs = await Promise.all(listed.map(({ batchId }) => batches.jobs(account, batchId)))
      return {
        listed,
        total,
        jobs,
        open: await batches.open(account),
        mean: await batches.meanJobMs(account),
      }
    }))

  test('history', () =>
    expectSameRecords(historyModel, historyOf, async (history, account) => {
      const ofItems = events.filter((event) => isOf('media', event))
      const items = new Set(ofItems.map(({ stream }) => stream.slice('media-'.length)))
      const page = { offset: 0, limit: 100 }
      const pages = [...items].map((mediaId) => history.ofItem(account, mediaId, page))
      const hours = Array.from(
        { length: 8 },
        (_, hour) => Date.parse('2026-11-20T10:00:00Z') + hour * 900_000,
      )
      const then = hours.map((at) => history.storedAt(account, at, {}, { offset: 1, limit: 2 }))
      return Promise.all([...pages, ...then])
    }))
})

/** What befalls two accounts, some of it unfinished. */
async function happened(): Promise<RecordedEvent[]> {
  const store = new MemoryEventStore()
  const history = createHistory(store, createMemoryArtifacts())
  for (const account of ACCOUNTS) await history.open(account)
  for (let round = 0; round < 5; round++)
    for (const account of ACCOUNTS) {
      const { mediaId, ingestId } = await history.upload(account, `${round}.txt`, `text ${round}`)
      await history.fail(account, `failed ${round}.txt`, 'text')
      await history.batch(account, `batch ${round}`)
      if (round % 2 === 1) await history.remove(account, mediaId, ingestId)
      if (round % 2 === 0) await history.begin(account, `begun ${round}.txt`, 'text')
      for (const command of keyAndTier(account, round, history.clock.now()))
        await history.streams.execute('account', account, command, SYSTEM)
    }
  const events: RecordedEvent[] = []
  for await (const event of store.readAll(0)) events.push(event)
  return events
}

function keyAndTier(account: Uuid, round: number, at: number): AccountCommand[] {
  const keyId = `${account.slice(0, 7)}${round}`
  const rotated = { keyId, digest: 'b'.repeat(64), at, oldValidUntil: at + 1 }
  return [
    {
      type: 'IssueApiKey',
      keyId,
      label: 'mine',
      digest: 'a'.repeat(64),
      capabilities: ['read'],
      expiresAt: null,
      at,
    },
    { type: 'ChangeTier', tier: TIERS[round % TIERS.length]! },
    { type: 'RotateApiKey', ...rotated },
    ...(round % 2 === 0 ? [{ type: 'RevokeApiKey', keyId } as const] : []),
    { type: round % 2 === 0 ? 'SuspendAccount' : 'ReinstateAccount' },
  ]
}

/** Of every second bulk request a part arrives, and no answer. */
function cutting(url: string) {
  const client = connectElasticsearch({ url })
  const send = client.bulk.bind(client) as (request: { operations: unknown[] }) => Promise<unknown>
  let bulks = 0
  let cuts = 0
  vi.spyOn(client, 'bulk').mockImplementation((async (request: { operations: unknown[] }) => {
    if (++bulks % 2 === 0) return send(request)
    cuts++
    const { operations } = request
    // Two lines a document; now the earlier ones arrive, now the later ones.
    const middle = 2 * Math.floor(operations.length / 4)
    const arrived = bulks % 4 === 1 ? operations.slice(middle) : operations.slice(0, middle)
    if (arrived.length > 0) await send({ ...request, operations: arrived })
    throw new Error('cut off')
  }) as never)
  return { client, times: () => cuts }
}

/** Again and again, as the host would, and each time with another end of the batch. */
async function insist<Change>(
  writer: ReadModelWriter<Change>,
  changes: readonly PositionedChange<Change>[],
  before: number,
): Promise<void> {
  for (let tries = 0; ; tries++)
    try {
      const first = changes[tries % changes.length]!
      const most = changes.filter(({ position }) => position <= first.position)
      await writer.applyBatch(most, first.position)
      return await writer.applyBatch(changes, before - 1)
    } catch (error) {
      expect((error as Error).message).toBe('cut off')
    }
}
