import { createBackground, newId } from '@medialog/application'
import type { ChainedEventStore } from '@medialog/event-store'
import { BEGINNING, type StreamName } from '@medialog/kernel'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { startPublishing, type RunningPublishing } from './publishing.ts'
import { append, deletion, newEvent, openLog, settled, upload } from './testing/log.ts'
import { MemoryBroker } from './testing/memory-publisher.ts'

const LONG = { timeout: 50_000, interval: 10 }

let log: Awaited<ReturnType<typeof openLog>>
let store: ChainedEventStore
let broker: MemoryBroker
const running: RunningPublishing[] = []
const stops: Error[] = []
beforeEach(async () => {
  log = await openLog()
  store = log.store
  broker = new MemoryBroker()
  stops.length = 0
})
afterEach(async () => {
  await Promise.all(running.splice(0).map((publishing) => publishing.close()))
  await log.remove()
})

function start(name = 'main'): RunningPublishing {
  const publishing = startPublishing({
    log: store,
    publisher: broker.create(name),
    background: createBackground(() => undefined),
    source: `/medialog/${name}`,
    onStopped: (error) => stops.push(error),
  })
  running.push(publishing)
  return publishing
}

const ledger: StreamName = `ledger-${newId()}`
const settle = (id: string) => append(store, ledger, newEvent(settled(id)))
const settledIds = () =>
  broker.published.map(({ value }) => (JSON.parse(value) as { chargeId: string }).chargeId)
const caughtUp = (publishing: RunningPublishing) =>
  vi.waitFor(async () => expect(await publishing.status()).toMatchObject({ behind: 0, trouble: null }), LONG)
const numbers = (count: number, from = 0) => Array.from({ length: count }, (_, index) => String(from + index))

test('publishes what is there, then what comes, and counts', async () => {
  for (const id of numbers(3)) await settle(id)
  const publishing = start()
  await caughtUp(publishing)
  for (const id of numbers(20, 3)) await settle(id)
  await caughtUp(publishing)
  expect(settledIds()).toEqual(numbers(23))
  expect(await publishing.status()).toMatchObject({
    position: 23,
    stopped: false,
    events: 23,
    failures: 0,
  })
})

test('what comes right after a transaction shares the next one', async () => {
  const publishing = start()
  const made: number[] = []
  // A slow machine may take longer over appending than is waited.
  for (let round = 0; round < 5; round++) {
    await settle(`first ${round}`)
    await caughtUp(publishing)
    const { transactions } = await publishing.status()
    for (const id of numbers(10)) await settle(`${round} ${id}`)
    await caughtUp(publishing)
    made.push((await publishing.status()).transactions - transactions)
  }
  expect(Math.min(...made)).toBeLessThanOrEqual(2)
  expect(settledIds()).toHaveLength(55)
})

test('what stays inside moves the position on and is not published', async () => {
  const accountId = newId()
  await append(
    store,
    `request-${newId()}`,
    newEvent({ type: 'RequestAbandoned', accountId, requestId: newId(), at: 1 }),
  )
  await append(store, 'orders-1', { ...newEvent(settled('theirs')), type: 'Ordered' })
  const publishing = start()
  await caughtUp(publishing)
  expect(await publishing.status()).toMatchObject({ position: 2, events: 0, transactions: 0 })
  expect(broker.published).toEqual([])
})

test('every event is there once and in order, whatever fails, and whatever was done but not answered', async () => {
  let calls = 0
  broker.fault = () => ([null, 'failed', 'lost', 'lost', null, 'failed'] as const)[calls++ % 6]!
  const publishing = start()
  for (const id of numbers(12)) {
    await settle(id)
    await vi.waitFor(() => expect(settledIds()).toContain(id), LONG)
  }
  await caughtUp(publishing)
  expect(settledIds()).toEqual(numbers(12))
  expect((await publishing.status()).failures).toBeGreaterThanOrEqual(6)
})

test('an unavailable broker is waited for, visibly, also without events to publish', async () => {
  broker.away = true
  await settle('0')
  const publishing = start()
  await vi.waitFor(
    async () => expect((await publishing.status()).trouble).toBe('the broker is unavailable'),
    LONG,
  )
  expect(await publishing.status()).toMatchObject({ position: null, behind: null, stopped: false })
  broker.away = false
  await caughtUp(publishing)
  broker.away = true
  await vi.waitFor(
    async () =>
      expect(await publishing.status()).toMatchObject({ behind: 0, trouble: 'the broker is unavailable' }),
    LONG,
  )
  broker.away = false
  await caughtUp(publishing)
  await settle('1')
  await caughtUp(publishing)
  expect(settledIds()).toEqual(['0', '1'])
})

test('a second one of the same name takes over, and the first stops for good', async () => {
  const first = start()
  await settle('0')
  await caughtUp(first)
  const second = start()
  await vi.waitFor(async () => expect((await second.status()).position).toBe(1), LONG)
  await settle('1')
  await vi.waitFor(async () => expect((await first.status()).stopped).toBe(true), LONG)
  await caughtUp(second)
  expect(stops.map(({ message }) => message)).toEqual([
    'another publisher named main has taken over: this one has stopped until it is started again',
  ])
  await settle('2')
  await caughtUp(second)
  expect(settledIds()).toEqual(['0', '1', '2'])
  expect((await first.status()).trouble).toContain('has taken over')
})

test('it stands before an event that this release cannot read', async () => {
  await settle('0')
  await append(store, ledger, { ...newEvent(settled('1')), type: 'ChargeDoubled' })
  await settle('2')
  const publishing = start()
  await vi.waitFor(
    async () => expect((await publishing.status()).trouble).toContain('ChargeDoubled at position 2'),
    LONG,
  )
  expect(settledIds()).not.toContain('2')
})

test.each([
  ['ends before', { position: 9 }, 'the log ends at position 2, but it was published up to 9'],
  ['holds another event in the place of', {}, `the log is another one than was published: ${ledger}`],
  ['has no such stream as', { stream: 'ledger-other' as const }, 'the log is another one than was published'],
])('a log that %s what was published is not published', async (_, checkpoint, why) => {
  const last = { position: 1, stream: ledger, revision: 0, hash: 'a', ...checkpoint }
  await (await broker.create('main').open()).publish([], last)
  await settle('0')
  await settle('1')
  const publishing = start()
  await vi.waitFor(async () => expect((await publishing.status()).trouble).toContain(why), LONG)
  expect(broker.published).toEqual([])
})

test('publishing from the start leaves out what was erased, and never has file names', async () => {
  const accountId = newId()
  const mediaId = newId()
  const item: StreamName = `media-${mediaId}`
  const events = upload({ accountId, mediaId, filename: 'secret-plans.txt' })
  for (const [stream, of] of Object.entries(events)) await append(store, stream as StreamName, ...of)
  const [, ingested] = events[item]!
  const { ingestId } = ingested!.data as { ingestId: string }
  await append(store, item, deletion(accountId, ingestId, 'secret reason'))
  await caughtUp(start('early'))
  const early = [...broker.published]
  const typesOf = (of: typeof early) => of.map(({ headers }) => headers['ce_type'])
  expect(typesOf(early)).toEqual([
    'medialog.BalanceCharged',
    'medialog.ChargeSettled',
    'medialog.MediaIngested',
    'medialog.MediaDeleted',
  ])
  await store.truncate(item, 2)
  await caughtUp(start('late'))
  const late = broker.published.slice(early.length)
  expect(typesOf(late)).toEqual([
    'medialog.BalanceCharged',
    'medialog.ChargeSettled',
    'medialog.MediaDeleted',
  ])
  expect(JSON.stringify(broker.published)).not.toContain('secret')
  // Published again it is the same to the byte, except for the publisher's name.
  const bytesOf = (of: typeof early): typeof early =>
    of.map(({ headers, ...message }) => ({ ...message, headers: { ...headers, ce_source: 'any' } }))
  expect(bytesOf(late)).toEqual(
    bytesOf(early).filter(({ headers }) => headers['ce_type'] !== 'medialog.MediaIngested'),
  )
  expect(await store.head()).toBeGreaterThan(BEGINNING)
})
