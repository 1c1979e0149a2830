import { WrongExpectedRevision } from '@medialog/application/ports'
import { expect } from 'vitest'
import { all, idsOf, newEvent, newEvents, newStream, testOn, type EventStoreFactory } from './fixture.ts'

export function appending(factory: EventStoreFactory): void {
  const test = testOn(factory)

  test('records events as given, from revision 0 on, and answers where they stand', async ({ store }) => {
    const stream = newStream()
    const event = newEvent({ size: 12 })
    const first = await store.append(stream, 'no-stream', [event])
    expect(first.events).toMatchObject([{ ...event, stream, revision: 0, position: first.position }])
    expect(first.revision).toBe(0)
    const second = await store.append(stream, 0, newEvents(2))
    expect(second.events.map(({ revision }) => revision)).toEqual([1, 2])
    expect(second.revision).toBe(2)
    expect(second.position).toBeGreaterThan(first.position)
    expect(await all(store.read(stream))).toEqual([...first.events, ...second.events])
  })

  test('refuses an append of nothing', async ({ store }) => {
    await expect(store.append(newStream(), 'no-stream', [])).rejects.toThrow(RangeError)
  })

  test('refuses what JSON cannot hold, and records no part of it', async ({ store }) => {
    const stream = newStream()
    const events = [newEvent({ good: 1 }), newEvent({ bad: Number.NaN })]
    await expect(store.append(stream, 'no-stream', events)).rejects.toThrow(TypeError)
    expect(await all(store.read(stream))).toEqual([])
  })

  test('refuses a stream that is there already, a wrong revision, and a revision not reached yet', async ({
    store,
  }) => {
    const stream = newStream()
    for (const expected of [0, 7])
      await expect(store.append(stream, expected, [newEvent()])).rejects.toMatchObject({
        name: 'WrongExpectedRevision',
        stream,
        expected,
        actual: null,
      })
    await store.append(stream, 'no-stream', newEvents(3))
    for (const expected of ['no-stream', 0, 1, 3] as const) {
      const refused = store.append(stream, expected, [newEvent()])
      await expect(refused).rejects.toBeInstanceOf(WrongExpectedRevision)
      await expect(refused).rejects.toMatchObject({ stream, expected, actual: 2 })
    }
    expect(await all(store.read(stream))).toHaveLength(3)
  })

  test('appends many events at once, all or none', async ({ store }) => {
    const stream = newStream()
    const events = newEvents(200)
    await store.append(stream, 'no-stream', events)
    await expect(store.append(stream, 100, newEvents(200))).rejects.toThrow(WrongExpectedRevision)
    expect(idsOf(await all(store.read(stream)))).toEqual(idsOf(events))
  })

  test('answers the same ids at the same expected revision with the first outcome, also after a restart', async (log) => {
    const stream = newStream()
    const events = newEvents(3)
    const opening = await log.store.append(stream, 'no-stream', [newEvent()])
    const first = await log.store.append(stream, 0, events)
    await log.store.append(newStream(), 'no-stream', newEvents(5))
    expect(await log.store.append(stream, 0, events)).toEqual(first)
    const store = await log.reopen()
    expect(await store.append(stream, 0, events)).toEqual(first)
    await store.append(stream, 3, [newEvent()])
    // What was recorded counts, not what the second attempt carries.
    const changed = events.map((event) => ({ ...event, data: { changed: true } }))
    expect(await store.append(stream, 0, changed)).toEqual(first)
    expect(await all(store.read(stream))).toHaveLength(5)
    expect(opening.revision).toBe(0)
  })

  test('takes a partial match of ids for a conflict', async ({ store }) => {
    const stream = newStream()
    const [a, b, c] = newEvents(3) as [
      ReturnType<typeof newEvent>,
      ReturnType<typeof newEvent>,
      ReturnType<typeof newEvent>,
    ]
    await store.append(stream, 'no-stream', [a, b])
    for (const again of [
      [a, c],
      [c, b],
      [b, a],
      [a, b, c],
    ])
      await expect(store.append(stream, 'no-stream', again)).rejects.toMatchObject({ actual: 1 })
    await expect(store.append(stream, 0, [a])).rejects.toThrow(WrongExpectedRevision)
    expect(idsOf(await all(store.read(stream)))).toEqual(idsOf([a, b]))
  })

  test('lets one of ten appends at the same expected revision win', async ({ store }) => {
    const stream = newStream()
    await store.append(stream, 'no-stream', [newEvent()])
    const racers = newEvents(10)
    const outcomes = await Promise.allSettled(racers.map((event) => store.append(stream, 0, [event])))
    const winners = racers.filter((_, index) => outcomes[index]!.status === 'fulfilled')
    expect(winners).toHaveLength(1)
    for (const outcome of outcomes)
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ expected: 0, actual: 1 })
    expect(idsOf(await all(store.read(stream))).slice(1)).toEqual(idsOf(winners))
  })

  test('lets all of ten appends of the same event succeed, once', async ({ store }) => {
    const stream = newStream()
    const event = newEvent()
    const appended = await Promise.all(
      Array.from({ length: 10 }, () => store.append(stream, 'no-stream', [event])),
    )
    expect(new Set(appended.map(({ position }) => position)).size).toBe(1)
    expect(await all(store.read(stream))).toHaveLength(1)
  })

  test('lets a conflict fail alone among appends made at the same time', async ({ store }) => {
    const bad = newStream()
    const outcomes = await Promise.allSettled([
      store.append(newStream(), 'no-stream', [newEvent()]),
      store.append(bad, 4, [newEvent()]),
      store.append(newStream(), 'no-stream', [newEvent()]),
    ])
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(await all(store.read(bad))).toEqual([])
  })

  test('keeps every character and large payloads', async (log) => {
    const stream = newStream()
    const data = {
      text: 'Grüße 한국어 中文 🎞️ e\u0301 \u0000 \u2028 "\\ \ud83d',
      '': null,
      __proto__x: [[], {}, 1e21, -0.5, 1e-7, true],
      'ключ 🗝': 'x'.repeat(900_000),
    }
    const appended = await log.store.append(stream, 'no-stream', [newEvent(data)])
    expect(appended.events[0]!.data).toEqual(data)
    const store = await log.reopen()
    expect(await all(store.read(stream))).toEqual(appended.events)
  })

  test('keeps its own copy of what it was given', async ({ store }) => {
    const event = newEvent({ list: [1] })
    const appended = store.append(newStream(), 'no-stream', [event])
    ;(event.data.list as number[]).push(2)
    expect((await appended).events[0]!.data).toEqual({ list: [1] })
  })
}
