import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { refundOfCharge, type BatchIntent, type BatchJob } from '@medialog/domain'
import { openSqliteEventStore } from '@medialog/event-store'
import { batchId as batchIds, BEGINNING, systemClock, usd, type LogPosition } from '@medialog/kernel'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { cancelBatch } from '../batches/cancel-batch.ts'
import { createBatch, type CreateBatch } from '../batches/create-batch.ts'
import { DEFAULT_PRICES } from '../billing/prices.ts'
import { SYSTEM } from '../event-sourcing/executing.ts'
import { createStreams } from '../event-sourcing/streams.ts'
import { uploadMedia } from '../ingest/upload-media.ts'
import { createMoveItems, deleteCollection } from '../library/change-collections.ts'
import { EngineUnavailable, UnreadableFile } from '../ports/index.ts'
import { createBackground } from './background.ts'
import type { RequestContext } from './context.ts'
import { InvalidApiKey } from './errors.ts'
import { newId } from './ids.ts'
import type { Ports } from './ports.ts'

let folder: string
let store: Awaited<ReturnType<typeof openSqliteEventStore>>
let ports: Ports
const accountId = newId()
const context: RequestContext = {
  principal: {
    accountId,
    keyId: 'key',
    capabilities: ['read', 'write', 'delete'],
    tier: 'free',
    status: 'active',
  },
  requestId: newId(),
}
/** Staged files that were let go of. */
let released: string[]

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'medialog-meanwhile-'))
  store = await openSqliteEventStore({ path: join(folder, 'events.sqlite') })
  released = []
  ports = {
    eventStore: store,
    streams: createStreams(store, systemClock),
    clock: systemClock,
    background: createBackground(() => undefined),
    staging: { release: async (id: string) => void released.push(id) },
    understanding: { identify: () => ({ mediaType: 'document' }) },
    catalog: {
      // Each of them is a duplicate, which costs nothing.
      items: async (_: string, mediaIds: string[]) => mediaIds.map((mediaId) => ({ mediaId })),
      collection: async () => ({ items: 2 }),
      endedCollection: async (_: string, __: string, generation: number) =>
        generation === 0 ? { items: 2, hd: 4, ld: 2, left: 0 } : null,
    },
    projections: { reached: async () => true },
    settings: { prices: DEFAULT_PRICES, readYourWritesMs: 0 },
    logTree: { keys: async () => null },
  } as unknown as Ports
  const open = { type: 'OpenAccount', accountId, name: 'a', tier: 'free', at: 1 } as const
  await ports.streams.execute('account', accountId, open, SYSTEM)
})
afterEach(async () => {
  await store.close()
  await rm(folder, { recursive: true })
})

/** Types of all events. */
async function written(): Promise<string[]> {
  const types: string[] = []
  for await (const { type } of store.readAll(BEGINNING)) types.push(type)
  return types
}

test('a batch whose files came in while its account was closed leaves none of their names', async () => {
  await ports.streams.execute('account', accountId, { type: 'CloseAccount' }, SYSTEM)
  const head = Buffer.from('text')
  const staged = { id: 'staged', path: '', size: 4, sha256: '0'.repeat(64), head }
  const command: CreateBatch = {
    files: [{ filename: 'secret.txt', staged }],
    collection: null,
    overwrite: false,
    name: 'secret',
  }
  const unused = {} as Parameters<typeof createBatch>[1]
  const { streams } = ports
  const isStored = { selected: true, revision: 0, position: BEGINNING }
  const load = (async (category, ...of) =>
    category === 'media' ? isStored : streams.load(category, ...of)) as typeof streams.load
  const stored = { ...ports, streams: { ...streams, load } }
  await expect(createBatch(stored, unused, context, command)).rejects.toBeInstanceOf(InvalidApiKey)
  expect(await written()).toEqual(['AccountOpened', 'AccountClosed'])
  expect(released).toEqual(['staged'])
})

test('a collection that the eraser ended first counts as deleted by whom the receipt was promised', async () => {
  const { streams } = ports
  const place = { collection: 'reports', generation: 0 }
  const ending = { type: 'DeleteCollection', accountId, place, at: 1 } as const
  const eraserComesFirst: typeof streams.execute = async (category, ...command) => {
    if (category === 'library') await streams.execute('library', accountId, ending, SYSTEM)
    return streams.execute(category, ...command)
  }
  const raced = { ...ports, streams: { ...streams, execute: eraserComesFirst } }
  const asked = { collection: 'reports', receipt: true }
  expect(await deleteCollection(raced, context, asked)).toMatchObject({
    items: 2,
    erasure: { status: 'pending' },
  })
  expect(await written()).toEqual(['AccountOpened', 'ErasureRequested', 'CollectionDeleted'])
})

test('a batch is stopped when it is cancelled and while jobs of it go on, and not again once all have ended', async () => {
  const { streams } = ports
  const [batchId, jobId] = [newId(), newId()]
  const job: BatchJob = {
    jobId,
    mediaId: newId(),
    stagedId: newId(),
    filename: 'a.txt',
    mediaType: 'document',
    sizeBytes: 4,
    sha256: '0'.repeat(64),
    duplicate: false,
  }
  const intent: BatchIntent = {
    accountId,
    batchId,
    name: null,
    collection: null,
    overwrite: false,
    price: [],
    jobs: [job],
    at: 1,
  }
  const stopped: string[] = []
  const orchestrator = { stopBatch: async (id: string) => void stopped.push(id) }
  const cancel = () =>
    cancelBatch({ ...ports, orchestrator } as unknown as Ports, context, batchIds.format(batchId))
  await streams.execute('batch', batchId, { type: 'SubmitBatch', ...intent }, SYSTEM)
  await streams.execute('batch', batchId, { type: 'CreateBatch', at: 1 }, SYSTEM)
  expect(await cancel()).toMatchObject({ previous: 'created', current: 'cancelled' })
  expect(await cancel()).toMatchObject({ previous: 'cancelled', current: 'cancelled' })
  expect(stopped).toEqual([batchId, batchId])
  const outcome = { status: 'failed', code: 'cancelled', message: '' } as const
  await streams.execute('batch', batchId, { type: 'FinishJob', jobId, outcome, at: 2 }, SYSTEM)
  expect(await cancel()).toMatchObject({ previous: 'cancelled', current: 'cancelled' })
  expect(stopped).toHaveLength(2)
})

test('moves of one account are decided one after the other; one that waited for a minute is refused', async () => {
  const { streams, catalog } = ports
  const place = { mediaType: 'document', collection: 'elsewhere' }
  const mediaIds = [newId(), newId()]
  const opened = Promise.withResolvers<boolean>()
  const waiting: unknown[] = []
  let now = 1_000
  const move = createMoveItems({
    ...ports,
    clock: { now: () => now },
    catalog: {
      ...catalog,
      items: async (_: string, ids: string[]) => ids.map((mediaId) => ({ mediaId, ...place })),
    },
    projections: {
      reached: (position: number, { readModels }: { readModels?: string[] }) => {
        if (!readModels) return Promise.resolve(true)
        waiting.push(position)
        return opened.promise
      },
    },
  } as unknown as Ports)
  const [first, second] = mediaIds.map((id) => move(context, { collection: 'reports', ids: [`vec-${id}`] }))
  await vi.waitFor(() => expect(waiting).toHaveLength(1))
  now += 60_001
  opened.resolve(true)
  expect(await first).toMatchObject({ moved: 1, total: 1 })
  await expect(second).rejects.toBeInstanceOf(EngineUnavailable)
  expect(waiting).toHaveLength(1)
  const { selected, revision } = await streams.load('library', accountId, ({ erased }) => erased)
  expect([selected, revision]).toEqual([false, 0])
})

test('an upload that its saga refunded is refused only once reads show the refund', async () => {
  const { streams, projections } = ports
  const lines = [{ price: 'INGEST', amount: 3n }]
  const post = (command: Parameters<typeof streams.execute<'ledger', void>>[2]) =>
    streams.execute('ledger', accountId, command, SYSTEM)
  await post({ type: 'Credit', creditId: newId(), amount: usd('1'), reference: null, at: 1 })
  const waited: [LogPosition, unknown][] = []
  const failure = new UnreadableFile('corrupted', 'The file is damaged.')
  const uploading = (events: () => Promise<unknown>) =>
    uploadMedia(
      {
        ...ports,
        orchestrator: {
          async ingest() {
            await events()
            throw failure
          },
        },
        projections: {
          ...projections,
          reached: async (position: LogPosition, { readModels }: { readModels: unknown }) =>
            waited.push([position, readModels]),
        },
      } as unknown as Ports,
      { require: async () => undefined } as never,
      context,
      { staged: { id: 'staged', sha256: '0'.repeat(64) }, filename: 'a.txt', overwrite: true } as never,
    )
  const chargeId = context.requestId
  await expect(uploading(async () => undefined)).rejects.toBe(failure)
  expect(waited).toEqual([])
  await expect(
    uploading(async () => {
      await post({
        type: 'Charge',
        chargeId,
        lines,
        cause: { operation: 'upload', requestId: chargeId },
        at: 1,
      })
      await post({
        type: 'RefundRest',
        refundId: refundOfCharge(chargeId),
        chargeId,
        reason: 'damaged',
        at: 1,
      })
    }),
  ).rejects.toBe(failure)
  const { position } = await streams.load('ledger', accountId, () => undefined)
  expect(waited).toEqual([[position, ['usage']]])
})
