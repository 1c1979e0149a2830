import { BEGINNING } from '@medialog/kernel'
import { expect } from 'vitest'
import { all, idsOf, newEvents, newStream, testOn, type EventStoreFactory } from './fixture.ts'

const LONGER_THAN_A_PAGE = 1_200

export function reading(factory: EventStoreFactory): void {
  const test = testOn(factory)

  test('finds nothing in an empty log', async ({ store }) => {
    expect(await all(store.read(newStream()))).toEqual([])
    expect(await all(store.readAll(BEGINNING))).toEqual([])
    expect(await store.head()).toBe(BEGINNING)
  })

  test('reads a stream both ways, from any revision, up to a limit', async ({ store }) => {
    const stream = newStream()
    await store.append(stream, 'no-stream', newEvents(LONGER_THAN_A_PAGE))
    await store.append(newStream(), 'no-stream', newEvents(3))
    const revisions = async (options: Parameters<typeof store.read>[1]) =>
      (await all(store.read(stream, options))).map(({ revision }) => revision)
    const forwards = Array.from({ length: LONGER_THAN_A_PAGE }, (_, revision) => revision)
    const last = LONGER_THAN_A_PAGE - 1
    expect(await revisions({})).toEqual(forwards)
    expect(await revisions({ direction: 'backwards' })).toEqual(forwards.toReversed())
    expect(await revisions({ from: 600 })).toEqual(forwards.slice(600))
    expect(await revisions({ from: 600, limit: 2 })).toEqual([600, 601])
    expect(await revisions({ from: 2, direction: 'backwards' })).toEqual([2, 1, 0])
    expect(await revisions({ direction: 'backwards', limit: 2 })).toEqual([last, last - 1])
    expect(await revisions({ from: last + 1 })).toEqual([])
    expect(await revisions({ from: last + 5, direction: 'backwards', limit: 1 })).toEqual([last])
    expect(await revisions({ limit: 0 })).toEqual([])
  })

  test('reads all streams in one order that grows', async ({ store }) => {
    const streams = [newStream(), newStream(), newStream()]
    const appended = await Promise.all(
      streams.map((stream) => store.append(stream, 'no-stream', newEvents(400))),
    )
    const log = await all(store.readAll(BEGINNING))
    expect(log).toHaveLength(LONGER_THAN_A_PAGE)
    for (const [index, event] of log.entries())
      expect(event.position).toBeGreaterThan(log[index - 1]?.position ?? BEGINNING)
    for (const { events } of appended)
      expect(log.filter(({ stream }) => stream === events[0]!.stream)).toEqual(events)
    expect(await store.head()).toBe(log.at(-1)!.position)
  })

  test('reads on after a position, up to a limit', async ({ store }) => {
    await store.append(newStream(), 'no-stream', newEvents(700))
    const log = await all(store.readAll(BEGINNING))
    const after = log[99]!.position
    expect(idsOf(await all(store.readAll(after)))).toEqual(idsOf(log.slice(100)))
    expect(idsOf(await all(store.readAll(after, { limit: 550 })))).toEqual(idsOf(log.slice(100, 650)))
    expect(await all(store.readAll(await store.head()))).toEqual([])
  })

  test('finds an event by its position, and nothing where none lies any more', async ({ store }) => {
    const stream = newStream()
    await store.append(stream, 'no-stream', newEvents(3))
    const log = await all(store.readAll(BEGINNING))
    for (const event of log) expect(await store.eventAt(event.position)).toEqual(event)
    await store.truncate(stream, 1)
    expect(await store.eventAt(log[0]!.position)).toBeNull()
    expect(await store.eventAt(log[1]!.position)).toEqual(log[1])
  })

  test('leaves nothing behind where a reader stops early', async ({ store }) => {
    const stream = newStream()
    await store.append(stream, 'no-stream', newEvents(LONGER_THAN_A_PAGE))
    for (let round = 0; round < 20; round++)
      for await (const event of store.readAll(BEGINNING)) if (event.revision === round) break
    await store.truncate(stream, LONGER_THAN_A_PAGE)
    expect(await all(store.readAll(BEGINNING))).toHaveLength(1)
  })
}
