import { BEGINNING } from '@medialog/kernel'
import { expect } from 'vitest'
import { verifyChain } from '../testing/verify-chain.ts'
import { all, newEvent, newEvents, newStream, take, testOn, type EventStoreFactory } from './fixture.ts'

export function truncating(factory: EventStoreFactory): void {
  const test = testOn(factory)

  test('takes the events below a revision away from every read', async ({ store }) => {
    const [stream, other] = [newStream(), newStream()]
    await store.append(stream, 'no-stream', newEvents(3))
    await store.append(other, 'no-stream', newEvents(2))
    await store.append(stream, 2, newEvents(3))
    await store.truncate(stream, 4)
    const revisions = (events: { revision: number }[]) => events.map(({ revision }) => revision)
    expect(revisions(await all(store.read(stream)))).toEqual([4, 5])
    expect(revisions(await all(store.read(stream, { direction: 'backwards' })))).toEqual([5, 4])
    expect(revisions(await all(store.read(stream, { from: 1, limit: 1 })))).toEqual([4])
    const log = await all(store.readAll(BEGINNING))
    expect(log.map((event) => [event.stream === other, event.revision])).toEqual([
      [true, 0],
      [true, 1],
      [false, 4],
      [false, 5],
    ])
    const signal = new AbortController().signal
    expect(await take(store.subscribe(BEGINNING, { signal }), (_, batch) => batch.live)).toEqual(log)
  })

  test('always leaves the last event, so revisions and chain go on, also after a restart', async (log) => {
    const stream = newStream()
    await log.store.append(stream, 'no-stream', newEvents(5))
    await log.store.truncate(stream, 1_000)
    const kept = await all(log.store.read(stream))
    expect(kept.map(({ revision }) => revision)).toEqual([4])
    expect(await log.store.head()).toBe(kept[0]!.position)
    const store = await log.reopen()
    await expect(store.append(stream, 'no-stream', [newEvent()])).rejects.toMatchObject({ actual: 4 })
    const appended = await store.append(stream, 4, [newEvent()])
    expect(appended.events[0]).toMatchObject({ revision: 5, prev: kept[0]!.hash })
    expect(appended.position).toBeGreaterThan(kept[0]!.position)
    expect(await verifyChain(store.readAll(BEGINNING))).toEqual({ verified: 2, broken: null })
  })

  test('does nothing to a stream that is not there or is truncated already', async ({ store }) => {
    const stream = newStream()
    await store.truncate(stream, 3)
    await store.append(stream, 'no-stream', newEvents(4))
    await store.truncate(stream, 2)
    await store.truncate(stream, 2)
    await store.truncate(stream, 0)
    expect(await all(store.read(stream))).toHaveLength(2)
  })

  test('lets a repeated append whose events were truncated conflict', async ({ store }) => {
    const stream = newStream()
    const events = newEvents(2)
    await store.append(stream, 'no-stream', events)
    await store.append(stream, 1, newEvents(1))
    await store.truncate(stream, 2)
    await expect(store.append(stream, 'no-stream', events)).rejects.toMatchObject({ actual: 2 })
  })

  test('truncates many streams at the same time, while others are appended to', async ({ store }) => {
    const streams = Array.from({ length: 50 }, newStream)
    await Promise.all(streams.map((stream) => store.append(stream, 'no-stream', newEvents(4))))
    await Promise.all(
      streams.flatMap((stream) => [store.truncate(stream, 3), store.append(stream, 3, [newEvent()])]),
    )
    for (const stream of streams)
      expect((await all(store.read(stream))).map(({ revision }) => revision)).toEqual([3, 4])
  })
}
