import { join } from 'node:path'
import { openSqliteEventStore, type ChainedEventStore } from '@medialog/event-store'
import { newEvents } from '@medialog/event-store/testing/events'
import { temporaryFolder } from '@medialog/event-store/testing/folder'
import { expect, test, vi } from 'vitest'
import { auditLog } from './audited-log.ts'

vi.setConfig({ testTimeout: 120_000 })
const LONG = { timeout: 60_000, interval: 50 }

async function opened() {
  const folder = await temporaryFolder()
  const store = await openSqliteEventStore({ path: folder.log })
  return {
    store,
    leaves: join(folder.path, 'audit', 'leaves.sqlite'),
    async [Symbol.asyncDispose]() {
      await store.close()
      await folder[Symbol.asyncDispose]()
    },
  }
}

const noted = async (store: ChainedEventStore): Promise<number[]> => {
  const sizes: number[] = []
  for await (const { data } of store.read('checkpoints-log')) sizes.push(Number(data.size))
  return sizes
}

test('the tree goes on where it stood, over blocks and restarts, and has one root however it grew', async () => {
  await using it = await opened()
  await it.store.append('media-a', 'no-stream', newEvents(300))
  let log = auditLog(it.store, it.leaves)
  const first = await log.checkpoint()
  await log.close()
  await it.store.append('media-a', 299, newEvents(700))
  log = auditLog(it.store, it.leaves)
  const second = await log.checkpoint()
  expect([first, second].map((note) => note.split('\n')[1])).toEqual(['300', '1001'])
  expect(await log.verify(first)).toMatchObject({ found: 0, checkpoints: 3, events: 1_001 })
  await log.close()
  // The same leaves made at once, from the log.
  const again = auditLog(it.store, `${it.leaves}-again`)
  await again.checkpoint()
  expect(await again.verify(second)).toMatchObject({ found: 0, checkpoints: 3 })
  await again.close()
})

test('leaves that cannot be kept are tried again, and nothing is passed over', async () => {
  await using it = await opened()
  let failures = 3
  const log = auditLog(it.store, it.leaves, {
    adapt(leaves) {
      const append = leaves.append.bind(leaves)
      leaves.append = async (...args) => {
        if (failures-- > 0) throw new Error('the disk is full')
        return append(...args)
      }
      return leaves
    },
  })
  await it.store.append('media-a', 'no-stream', newEvents(20))
  await log.checkpoint()
  expect(failures).toBeLessThan(0)
  const { events, outside, found } = await log.verify()
  // The checkpoint may be a leaf itself by now.
  expect([events + outside, found]).toEqual([21, 0])
  await log.close()
})

test('a checkpoint is made by itself whenever so many events came', async () => {
  await using it = await opened()
  const log = auditLog(it.store, it.leaves, { every: 100 })
  await it.store.append('media-a', 'no-stream', newEvents(120))
  await vi.waitFor(async () => expect(await noted(it.store)).toEqual([120]), LONG)
  await it.store.append('media-a', 119, newEvents(50))
  await it.store.append('media-a', 169, newEvents(60))
  await vi.waitFor(async () => expect(await noted(it.store)).toHaveLength(2), LONG)
  await log.close()
})
