import { setTimeout as pause } from 'node:timers/promises'
import type { EventBatch } from '@medialog/application/ports'
import { BEGINNING, type LogPosition, type Revision, type StreamName } from '@medialog/kernel'
import { expect } from 'vitest'
import type { ChainedEventStore } from '../log.ts'
import {
  all,
  idsOf,
  newEvent,
  newEvents,
  newStream,
  take,
  testOn,
  type EventStoreFactory,
} from './fixture.ts'

const WRITERS = 8
const APPENDS_EACH = 60
const never = () => new AbortController().signal

export function subscribing(factory: EventStoreFactory): void {
  const test = testOn(factory)

  test('says at once that an empty log is all there is', async ({ store }) => {
    for await (const batch of store.subscribe(BEGINNING, { signal: never() })) {
      expect(batch).toEqual({ events: [], position: BEGINNING, live: true })
      break
    }
  })

  test('delivers what is there, says when that was all, then what comes', async ({ store }) => {
    const stream = newStream()
    await store.append(stream, 'no-stream', newEvents(1_300))
    let liveAt = 0
    const events = await take(store.subscribe(BEGINNING, { signal: never() }), (sofar, batch) => {
      expect(batch.position).toBe(sofar.at(-1)!.position)
      if (batch.live && liveAt === 0) {
        liveAt = sofar.length
        void store.append(stream, 1_299, newEvents(2))
      }
      return sofar.length === 1_302
    })
    expect(liveAt).toBe(1_300)
    expect(events).toEqual(await all(store.readAll(BEGINNING)))
  })

  test('goes on from a saved position after a restart', async (log) => {
    const stream = newStream()
    await log.store.append(stream, 'no-stream', newEvents(10))
    const saved = (await all(log.store.readAll(BEGINNING)))[5]!.position
    const store = await log.reopen()
    await store.append(stream, 9, newEvents(2))
    const events = await take(store.subscribe(saved, { signal: never() }), (sofar) => sofar.length === 6)
    expect(events.map(({ revision }) => revision)).toEqual([6, 7, 8, 9, 10, 11])
  })

  test('misses nothing and repeats nothing while many write, wherever it starts', async ({ store }) => {
    const writing = Promise.all(Array.from({ length: WRITERS }, () => writeAtRandom(store)))
    const subscribers = Array.from({ length: 12 }, async () => {
      await pause(Math.random() * 150)
      const after = Math.random() < 0.3 ? await store.head() : await somePosition(store)
      return { after, seen: follow(store, after, writing) }
    })
    await writing
    const order = await all(store.readAll(BEGINNING))
    expect(order).toHaveLength(WRITERS * APPENDS_EACH * 2)
    for (const { after, seen } of await Promise.all(subscribers))
      expect(idsOf(await seen)).toEqual(idsOf(order.filter(({ position }) => position > after)))
  })

  test('ends promptly when aborted: before it starts, while it waits, while it reads', async ({ store }) => {
    expect(await all(store.subscribe(BEGINNING, { signal: AbortSignal.abort() }))).toEqual([])
    const waiting = new AbortController()
    const batches = store.subscribe(BEGINNING, { signal: waiting.signal })[Symbol.asyncIterator]()
    await batches.next()
    const next = batches.next()
    const since = performance.now()
    waiting.abort()
    expect((await next).done).toBe(true)
    expect(performance.now() - since).toBeLessThan(500)

    await store.append(newStream(), 'no-stream', newEvents(2_000))
    const reading = new AbortController()
    let events = 0
    for await (const batch of store.subscribe(BEGINNING, { signal: reading.signal })) {
      events += batch.events.length
      reading.abort()
    }
    expect(events).toBeGreaterThan(0)
    expect(events).toBeLessThan(2_000)
  })

  test('ends when the store is closed', async (log) => {
    const batches = log.store.subscribe(BEGINNING, { signal: never() })[Symbol.asyncIterator]()
    await batches.next()
    const next = batches.next()
    await log.reopen()
    expect((await next).done).toBe(true)
  })

  test('waits for a slow subscriber, who gets everything in bounded batches', async ({ store }) => {
    const stream = newStream()
    let largest = 0
    const slow = take(store.subscribe(BEGINNING, { signal: never() }), (sofar, batch) => {
      largest = Math.max(largest, batch.events.length)
      return sofar.length === 3_000
    })
    const lagging = (async () => {
      const seen: string[] = []
      for await (const batch of store.subscribe(BEGINNING, { signal: never() })) {
        await pause(20)
        seen.push(...idsOf(batch.events))
        if (seen.length === 3_000) return seen
      }
      return seen
    })()
    for (let revision: Revision | 'no-stream' = 'no-stream'; revision !== 2_999;)
      ({ revision } = await store.append(stream, revision, newEvents(100)))
    expect(await lagging).toEqual(idsOf(await slow))
    expect(largest).toBeLessThanOrEqual(512)
  })
}

async function writeAtRandom(store: ChainedEventStore): Promise<void> {
  const stream: StreamName = newStream()
  let revision: Revision | 'no-stream' = 'no-stream'
  for (let round = 0; round < APPENDS_EACH; round++) {
    ;({ revision } = await store.append(stream, revision, [newEvent(), newEvent()]))
    if (Math.random() < 0.1) await pause(Math.random() * 5)
  }
}

/** Of an event, or where nothing was written yet. */
async function somePosition(store: ChainedEventStore): Promise<LogPosition> {
  const positions = [BEGINNING]
  for await (const { position } of store.readAll(BEGINNING)) positions.push(position)
  return positions[Math.floor(Math.random() * positions.length)]!
}

/** Everything after `after` up to the head at the end of `writing`. */
async function follow(
  store: ChainedEventStore,
  after: LogPosition,
  writing: Promise<unknown>,
): Promise<EventBatch['events']> {
  const stop = new AbortController()
  const events: EventBatch['events'] = []
  let end = Infinity
  const endWithTheWriting = async () => {
    await writing
    end = await store.head()
    if ((events.at(-1)?.position ?? after) >= end) stop.abort()
  }
  const ending = endWithTheWriting()
  for await (const batch of store.subscribe(after, { signal: stop.signal })) {
    events.push(...batch.events)
    if (batch.position >= end) break
  }
  await ending
  return events
}
