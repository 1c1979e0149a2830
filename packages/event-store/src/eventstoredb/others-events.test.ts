import { EngineUnavailable } from '@medialog/application/ports'
import { BEGINNING, type RecordedEvent } from '@medialog/kernel'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { startEventStoreDbDouble, type EventStoreDbDouble } from '../testing/eventstoredb/double.ts'
import { newEvent, newStream } from '../testing/events.ts'
import type { ChainedEventStore } from '../log.ts'
import { openEventStoreDb } from './store.ts'

vi.setConfig({ testTimeout: 60_000 })

const OTHERS = 100_000
const SOME = 20_000

let running: AsyncDisposableStack
beforeEach(() => void (running = new AsyncDisposableStack()))
afterEach(() => running.disposeAsync())

async function start(): Promise<EventStoreDbDouble> {
  return running.use(await startEventStoreDbDouble())
}

async function open({ url }: EventStoreDbDouble): Promise<ChainedEventStore> {
  const store = await openEventStoreDb({ url })
  running.defer(() => store.close())
  return store
}

const append = (store: ChainedEventStore) => store.append(newStream(), 'no-stream', [newEvent({})])

/** What `work` makes the server read of `$all`, in calls. */
async function readsOf({ faults }: EventStoreDbDouble, work: () => Promise<unknown>): Promise<number> {
  const before = faults.readsOfAll
  await work()
  return faults.readsOfAll - before
}

test('opens at once behind any number of events of other programs', async () => {
  const server = await start()
  server.log.addSystemEvents(OTHERS)
  server.faults.readAllMs = 30
  expect(await readsOf(server, () => open(server))).toBe(1)
})

test('reads the events of other programs once, however many ask for the end at once', async () => {
  const server = await start()
  server.log.addSystemEvents(OTHERS)
  const store = await open(server)
  server.faults.readAllMs = 30
  const askers = Array.from({ length: 50 }, () => store.head())
  expect(await readsOf(server, () => Promise.all(askers))).toBeLessThan(12)
  expect(new Set(await Promise.all(askers))).toEqual(new Set([BEGINNING]))
  expect(await readsOf(server, () => store.head())).toBe(1)
})

/** How many events the server sends while `work` is done. */
async function sentBy({ faults }: EventStoreDbDouble, work: () => Promise<unknown>): Promise<number> {
  const before = faults.eventsOfAll
  await work()
  return faults.eventsOfAll - before
}

test('has the server pass over the events of other programs', async () => {
  const server = await start()
  const { position } = await append(await open(server))
  server.log.addSystemEvents(OTHERS)
  const store = await open(server)
  expect(await sentBy(server, () => store.head())).toBeLessThan(3_000)
  expect(await store.head()).toBe(position)
  const empty = await start()
  empty.log.addSystemEvents(OTHERS)
  const other = await open(empty)
  expect(await sentBy(empty, () => other.head())).toBeLessThan(3_000)
  expect(await other.head()).toBe(BEGINNING)
})

test('passes over them in the client where the server takes too long', async () => {
  const server = await start()
  const { position } = await append(await open(server))
  server.log.addSystemEvents(OTHERS)
  const store = await openEventStoreDb({ url: server.url, limits: { callMs: 1_000 } })
  running.defer(() => store.close())
  server.faults.looksForEver = true
  // Four looks, the server asked once, and four looks through the rest.
  const reads = await readsOf(server, async () => expect(await store.head()).toBe(position))
  expect(reads).toBeLessThanOrEqual(10)
})

test('reads its own events alone, and those of other programs where the server takes too long to pass over them', async () => {
  const server = await start()
  const store = await openEventStoreDb({ url: server.url, limits: { callMs: 1_000 } })
  running.defer(() => store.close())
  const appended: RecordedEvent[] = []
  for (let round = 0; round < 3; round++) {
    appended.push((await append(store)).events[0]!)
    server.log.addSystemEvents(SOME)
  }
  const all = () => Array.fromAsync(store.readAll(BEGINNING, { proven: true }))
  await store.head()
  const own = await sentBy(server, async () => expect(await all()).toEqual(appended))
  expect(own).toBeLessThan(50)
  expect(await store.verify(() => undefined)).toMatchObject({ events: 3, found: 0 })
  server.faults.looksForEver = true
  const others = await sentBy(server, async () => expect(await all()).toEqual(appended))
  expect(others).toBeGreaterThan(2 * SOME)
})

test('finds its last event in front of, between and behind events of other programs', async () => {
  const server = await start()
  const store = await open(server)
  server.log.addSystemEvents(SOME)
  const first = await append(store)
  server.log.addSystemEvents(SOME)
  expect(await (await open(server)).head()).toBe(first.position)
  const second = await append(store)
  expect(await store.head()).toBe(second.position)
  for (let round = 0; round < 60; round++) {
    server.log.addSystemEvents(200)
    expect(await store.head()).toBe(second.position)
  }
  expect(await readsOf(server, () => store.head())).toBe(1)
})

test('shows an append that ended while a look was under way', async () => {
  const server = await start()
  server.log.addSystemEvents(5_000)
  const store = await open(server)
  server.faults.readAllMs = 50
  const looks = [store.head()]
  const { position } = await append(store)
  expect(await store.head()).toBe(position)
  await Promise.all(looks)
})

test('resumes a look that the server broke off', async () => {
  const server = await start()
  const { position } = await append(await open(server))
  server.log.addSystemEvents(SOME)
  const store = await open(server)
  server.faults.breaksOfAll = [2_000, 5_000]
  server.faults.eventsOfAll = 0
  const head = store.head()
  server.log.addSystemEvents(10)
  expect(await head).toBe(position)
  expect(server.faults.eventsOfAll).toBeLessThan(SOME + 2_500)
})

test('says that the server is unavailable while a look is under way', async () => {
  const server = await start()
  server.log.addSystemEvents(SOME)
  const store = await openEventStoreDb({
    url: server.url,
    limits: { callMs: 200, patienceMs: 500, probeMs: 50 },
  })
  running.defer(() => store.close())
  server.faults.hanging = true
  await expect(store.head()).rejects.toThrow(EngineUnavailable)
  server.faults.hanging = false
  await vi.waitFor(async () => expect(await store.head()).toBe(BEGINNING), { timeout: 20_000 })
})
