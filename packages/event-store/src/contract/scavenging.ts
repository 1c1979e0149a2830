import { BEGINNING } from '@medialog/kernel'
import { expect } from 'vitest'
import { all, newEvents, newStream, testOn, type EventStoreFactory } from './fixture.ts'

export function scavenging(factory: EventStoreFactory): void {
  const test = testOn(factory)

  test('goes through every place, reports its progress, and changes no read', async ({ store }) => {
    const [stream, other] = [newStream(), newStream()]
    await store.append(stream, 'no-stream', newEvents(5))
    await store.append(other, 'no-stream', newEvents(2))
    await store.truncate(stream, 4)
    const shown = async () => [await all(store.readAll(BEGINNING)), await all(store.read(stream))]
    const before = await shown()
    const ratios: number[] = []
    const { places } = await store.scavenge(({ ratio }) => ratios.push(ratio))
    expect(places.map(({ outcome }) => outcome)).toEqual(places.map(() => 'done'))
    expect(places.length).toBeGreaterThan(0)
    expect(ratios.length).toBeGreaterThan(0)
    expect(ratios.every((ratio, index) => ratio <= 1 && ratio >= (ratios[index - 1] ?? 0))).toBe(true)
    expect(await shown()).toEqual(before)
    expect((await store.verify(() => undefined)).found).toBe(0)
  })

  test('can be stopped where none is under way: nothing happens', async ({ store }) => {
    expect(await store.stopScavenge()).toBe(0)
  })
}
