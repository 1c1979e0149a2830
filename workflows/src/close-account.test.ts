import { SYSTEM } from '@medialog/application'
import { BEGINNING, type Uuid } from '@medialog/kernel'
import { beforeEach, expect, test } from 'vitest'
import { closeAccount, eraseNames, type ClosingPorts } from './close-account.ts'
import { ACCOUNT, startWork, type Work } from './testing/service.ts'

let work: Work
beforeEach(async () => {
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
    logTree: { holds: async () => undefined },
    catalog: { list: () => mediaIdsIn(work).then(itemsOf), endedCollection: async () => null },
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

test('names do not count as erased while a batch is not over', async () => {
  const ports = closing(() => true)
  const { batchId } = await work.createBatch(['one'], ['one'], { paid: 'but not created' })
  expect(await eraseNames(ports, ACCOUNT)).toBe(false)
  await work.streams.execute('batch', batchId, { type: 'RejectBatch', at: Date.now() }, SYSTEM)
  expect(await eraseNames(ports, ACCOUNT)).toBe(true)
})
