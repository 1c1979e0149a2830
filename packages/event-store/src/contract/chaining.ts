import { createHash } from 'node:crypto'
import { BEGINNING } from '@medialog/kernel'
import { expect } from 'vitest'
import { verifyChain } from '../testing/verify-chain.ts'
import { all, appendOneByOne, newEvents, newStream, testOn, type EventStoreFactory } from './fixture.ts'

export function chaining(factory: EventStoreFactory): void {
  const test = testOn(factory)

  test('links the events of each stream, from the hash of its name on', async ({ store }) => {
    const stream = newStream()
    const events = await appendOneByOne(store, stream, 4)
    expect(events[0]!.prev).toBe(createHash('sha256').update(stream).digest('hex'))
    for (const [index, event] of events.entries()) {
      expect(event.hash).toMatch(/^[0-9a-f]{64}$/)
      if (index > 0) expect(event.prev).toBe(events[index - 1]!.hash)
    }
  })

  test('is proven end to end, across streams, appends of many and a restart', async (log) => {
    const streams = Array.from({ length: 10 }, newStream)
    await Promise.all(streams.map((stream) => log.store.append(stream, 'no-stream', newEvents(20))))
    const store = await log.reopen()
    await Promise.all(streams.map((stream) => store.append(stream, 19, newEvents(20))))
    expect(await verifyChain(store.readAll(BEGINNING))).toEqual({ verified: 400, broken: null })
  })

  test('names the first event that was changed, moved or taken out', async ({ store }) => {
    const stream = newStream()
    await store.append(stream, 'no-stream', newEvents(6))
    const events = await all(store.read(stream))
    const verify = async (changed: typeof events) => (await verifyChain(changed)).broken?.revision
    const with3 = (change: object) =>
      events.map((event) => (event.revision === 3 ? { ...event, ...change } : event))
    expect(await verify(events)).toBeUndefined()
    expect(await verify(with3({ data: { number: 4 } }))).toBe(3)
    expect(await verify(with3({ type: 'MediaDeleted' }))).toBe(3)
    expect(await verify(with3({ metadata: { ...events[3]!.metadata, actor: 'someone' } }))).toBe(3)
    expect(await verify(with3({ hash: events[2]!.hash }))).toBe(3)
    expect(await verify(events.toSpliced(3, 1))).toBe(4)
    expect(await verify([...events.slice(0, 3), events[4]!, events[3]!])).toBe(4)
  })

  test('stays provable where a payload and its salt were erased', async ({ store }) => {
    const stream = newStream()
    await store.append(stream, 'no-stream', newEvents(3))
    const events = await all(store.read(stream))
    const erased = events.map((event) => (event.revision === 1 ? { ...event, data: {}, salt: null } : event))
    expect(await verifyChain(erased)).toEqual({ verified: 3, broken: null })
  })
}
