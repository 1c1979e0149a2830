import { newId, SYSTEM, type Erasure, type KeptAnswerRef } from '@medialog/application'
import { BEGINNING, type JsonObject, type Uuid } from '@medialog/kernel'
import { beforeEach, expect, test } from 'vitest'
import { closeAccount, eraseNames, type ClosingPorts } from './close-account.ts'
import { ACCOUNT, startWork, type Work } from './testing/service.ts'

let work: Work
/** Requests whose kept answers were removed. */
let removed: Uuid[]
/** What the eraser has not come to. */
let pending: Pick<Erasure, 'accountId'>[]
beforeEach(async () => {
  removed = []
  pending = []
  work = await startWork()
})

/** The catalog is as far as the test lets it be: nothing is in it before `isCaughtUp`. */
function closing(isCaughtUp: () => boolean): ClosingPorts {
  const { ports, streams } = work
  const itemsOf = async (mediaIds: readonly Uuid[]) => {
    const alive = mediaIds.map(async (mediaId) => {
      const { selected: item } = await streams.load('media', mediaId, (media) => media.item)
      return item ? [{ mediaId, ingestId: item.ingestId }] : []
    })
    return { items: isCaughtUp() ? (await Promise.all(alive)).flat() : [] }
  }
  return {
    ...ports,
    work: ports.work,
    orchestrator: work.start(),
    keptAnswers: {
      remove: async ({ requestId }: KeptAnswerRef) => void removed.push(requestId),
    },
    logTree: { holds: async () => undefined },
    catalog: {
      list: () => mediaIdsIn(work).then(itemsOf),
      endedCollection: async () => null,
      pendingErasures: async (_: number, { of }: { of: Uuid }) =>
        pending.filter(({ accountId }) => accountId === of),
    },
    projections: { reached: async () => isCaughtUp(), rebuild: async () => undefined },
  } as unknown as ClosingPorts
}

async function mediaIdsIn({ ports: { eventStore } }: Work): Promise<Uuid[]> {
  const ids = new Set<Uuid>()
  for await (const { stream } of eventStore.readAll(BEGINNING))
    if (stream.startsWith('media-')) ids.add(stream.slice('media-'.length))
  return [...ids]
}

test('an item that the catalog does not show yet is deleted with its account, once it does', async () => {
  const { mediaId } = await work.start().ingest(work.upload('recorded, and not shown yet'))
  let isCaughtUp = false
  const ports = closing(() => isCaughtUp)
  expect([await closeAccount(ports, ACCOUNT), await closeAccount(ports, ACCOUNT)]).toEqual([false, false])
  isCaughtUp = true
  expect([await closeAccount(ports, ACCOUNT), await closeAccount(ports, ACCOUNT)]).toEqual([false, true])
  const { selected: item } = await work.streams.load('media', mediaId, (media) => media.item)
  expect(item).toBeNull()
})

test('the receipts that are owed for earlier deletions come first', async () => {
  const ports = closing(() => true)
  const erasureId = 'c4a6ac5e-0b9f-4bd8-9f3c-1d1c40c3c7d1'
  const at = Date.now()
  const by = { ...SYSTEM, accountId: ACCOUNT }
  const post = (command: Parameters<typeof work.streams.execute<'erasure'>>[2]) =>
    work.streams.execute('erasure', erasureId, command, by)
  await post({ type: 'RequestErasure', accountId: ACCOUNT, subject: { kind: 'items' }, ingests: [], at })
  expect(await closeAccount(ports, ACCOUNT)).toBe(false)
  await post({ type: 'CompleteErasure', digest: '0'.repeat(64), stores: [], at })
  expect(await closeAccount(ports, ACCOUNT)).toBe(true)
})

test('what was deleted before is erased first; what others deleted is not waited for', async () => {
  const ports = closing(() => true)
  pending = [{ accountId: ACCOUNT }]
  expect(await closeAccount(ports, ACCOUNT)).toBe(false)
  pending = [{ accountId: newId() }]
  expect(await closeAccount(ports, ACCOUNT)).toBe(true)
})

test('names do not count as erased while a batch is not over', async () => {
  const ports = closing(() => true)
  const { batchId } = await work.createBatch(['one'], ['one'], { paid: 'but not created' })
  expect(await eraseNames(ports, ACCOUNT)).toBe(false)
  await work.streams.execute('batch', batchId, { type: 'RejectBatch', at: Date.now() }, SYSTEM)
  expect(await eraseNames(ports, ACCOUNT)).toBe(true)
})

test('what is kept for Idempotency-Keys goes with the names, in the log and beside it', async () => {
  const [uploaded, asked, analysed, open, other] = Array.from({ length: 5 }, () => newId())
  const end = async (stream: Uuid, answer: JsonObject | null, accountId = ACCOUNT) => {
    const by = { ...SYSTEM, accountId }
    const at = Date.now()
    const fingerprint = 'f'
    const start = {
      type: 'StartRequest',
      accountId,
      requestId: stream,
      fingerprint,
      known: null,
      at,
    } as const
    await work.streams.execute('request', stream, start, by)
    const complete = { type: 'CompleteRequest', requestId: stream, answer: answer ?? {}, at } as const
    if (answer) await work.streams.execute('request', stream, complete, by)
  }
  await end(uploaded!, { collection: 'papers' })
  await end(asked!, { collection: 'papers', kept: { at: Date.now() } })
  await end(analysed!, { collection: 'papers', kept: { processedAt: Date.now() } })
  await end(open!, null)
  await end(other!, { collection: 'papers', kept: { at: Date.now() } }, newId())

  const ports = closing(() => true)
  expect(await eraseNames(ports, ACCOUNT)).toBe(true)
  expect(await eraseNames(ports, ACCOUNT)).toBe(true)
  expect(removed).toEqual([asked, analysed])
  const left: { [stream: string]: string[] } = {}
  for await (const { stream, type } of work.ports.eventStore.readAll(BEGINNING))
    if (stream.startsWith('request-')) (left[stream] ??= []).push(type)
  const erased = [uploaded, asked, analysed, open].map((id) => [`request-${id}`, ['RequestErased']])
  expect(left).toEqual({
    ...Object.fromEntries(erased),
    [`request-${other}`]: ['RequestStarted', 'RequestCompleted'],
  })
})
