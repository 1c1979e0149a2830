import { AppendTooLarge } from '@medialog/application/ports'
import { BEGINNING } from '@medialog/kernel'
import { expect, test } from 'vitest'
import { all, take } from '../contract/fixture.ts'
import { startEventStoreDbDouble } from '../testing/eventstoredb/double.ts'
import { newEvent, newEvents } from '../testing/events.ts'
import { openEventStoreDb } from './store.ts'

const ignore = () => undefined
const never = () => new AbortController().signal

test('after a scavenge the bytes are gone, and reads, subscriptions and the proof are as before', async () => {
  await using server = await startEventStoreDbDouble()
  const store = await openEventStoreDb({ url: server.url })
  const secret = newEvent({ text: '«secret»' })
  await store.append('media-a', 'no-stream', [secret, ...newEvents(3)])
  await store.append('media-b', 'no-stream', newEvents(2))
  const [first] = await all(store.readAll(BEGINNING))
  const secretAt = first!.position
  await store.truncate('media-a', 3)
  const bytes = () => server.log.all.map(({ data }) => Buffer.from(data).toString()).join()
  const seen = async () => [
    await all(store.readAll(BEGINNING)),
    await all(store.readAll(first!.position, { proven: true })),
    await take(store.subscribe(BEGINNING, { signal: never() }), (_, { live }) => live),
    await take(store.subscribe(first!.position, { signal: never() }), (_, { live }) => live),
    await all(store.read('media-a')),
    { ...(await store.verify(ignore)), seconds: 0 },
    await store.eventAt(first!.position),
    await store.head(),
  ]
  const hidden = await seen()
  expect(hidden[0]).toMatchObject([{ revision: 3 }, { revision: 0 }, { revision: 1 }])
  expect(hidden[5]).toMatchObject({ events: 3, erased: 3, found: 0 })
  expect(bytes()).toContain('«secret»')
  expect(await store.retains(secretAt)).toBe(true)
  server.log.scavenge()
  expect(await store.retains(secretAt)).toBe(false)
  expect(bytes()).not.toContain('«secret»')
  expect(await seen()).toEqual(hidden)
  // The server may have forgotten them, or not: they are no repeat either way.
  for (const round of [1, 2]) {
    if (round === 2) server.log.forgetIds()
    await expect(store.append('media-a', 'no-stream', [secret])).rejects.toMatchObject({ actual: 3 })
  }
  expect((await store.append('media-a', 3, [newEvent()])).revision).toBe(4)
  await store.close()
})

test('what was read before it was erased counts as erased at once', async () => {
  await using server = await startEventStoreDbDouble()
  const store = await openEventStoreDb({ url: server.url })
  await store.append('media-a', 'no-stream', newEvents(3))
  expect(await store.verify(ignore)).toMatchObject({ events: 3, erased: 0 })
  await store.append('media-a', 2, newEvents(1))
  await store.truncate('media-a', 3)
  expect(await store.verify(ignore)).toMatchObject({ events: 1, erased: 3, found: 0 })
  await store.close()
})

test('a repeat is known though what stood before it was truncated', async () => {
  await using server = await startEventStoreDbDouble()
  const store = await openEventStoreDb({ url: server.url })
  await store.append('media-a', 'no-stream', newEvents(3))
  const events = newEvents(2)
  const first = await store.append('media-a', 2, events)
  await store.truncate('media-a', 3)
  const other = await openEventStoreDb({ url: server.url })
  expect(await other.append('media-a', 2, events)).toEqual(first)
  await expect(other.append('media-a', 2, newEvents(2))).rejects.toMatchObject({ actual: 4 })
  await other.close()
  await store.close()
})

test('an append beyond what the server takes at once is refused as that, and none of it is recorded', async () => {
  await using server = await startEventStoreDbDouble()
  const store = await openEventStoreDb({ url: server.url })
  const large = newEvents(12).map((event) => ({ ...event, data: { text: 'x'.repeat(100_000) } }))
  await expect(store.append('media-a', 'no-stream', large)).rejects.toBeInstanceOf(AppendTooLarge)
  expect(await all(store.read('media-a'))).toEqual([])
  expect((await store.append('media-a', 'no-stream', large.slice(0, 9))).revision).toBe(8)
  expect(store.trouble()).toBeNull()
  await store.close()
})

test('an id that the server would write otherwise is refused: the chain covers it as it is', async () => {
  await using server = await startEventStoreDbDouble()
  const store = await openEventStoreDb({ url: server.url })
  const event = newEvent()
  for (const id of ['7', event.id.toUpperCase()])
    await expect(store.append('media-a', 'no-stream', [{ ...event, id }])).rejects.toThrow(TypeError)
  await store.close()
})

const HANDS = {
  'a payload changed': {
    change: { data: Buffer.from('{"number":7}') },
    reason: 'the payload is not the one recorded',
  },
  'a type changed': { change: { type: 'MediaDeleted' }, reason: 'the header is not the one recorded' },
  'an id changed': {
    change: { id: crypto.randomUUID() },
    reason: 'the header is not the one recorded',
  },
  'a revision changed': { change: { revision: 9 }, reason: 'the header is not the one recorded' },
  'what the service did not write': {
    change: { metadata: Buffer.from('{"salt":1}') },
    reason: 'the event was not written by the service',
  },
}

test.each(Object.keys(HANDS) as (keyof typeof HANDS)[])('%s is named, with its place', async (hand) => {
  const { change, reason } = HANDS[hand]
  await using server = await startEventStoreDbDouble()
  const store = await openEventStoreDb({ url: server.url })
  for (let revision = -1; revision < 5; revision++)
    for (const stream of ['media-a', 'media-b'] as const)
      await store.append(stream, revision < 0 ? 'no-stream' : revision, newEvents(1))
  const log = await all(store.readAll(BEGINNING))
  const { position } = log[6]!
  server.log.tamper(position, change)
  // Those of the other stream, and those before it.
  expect(await store.verify(ignore)).toMatchObject({
    position: log[5]!.position,
    findings: expect.arrayContaining([expect.objectContaining({ position, stream: 'media-a', reason })]),
  })
  const proven = await all(store.readAll(BEGINNING, { proven: true }))
  expect(proven).toEqual(log.filter((event) => event.stream === 'media-b' || event.position < position))
  expect(await store.damaged()).toMatchObject([{ stream: 'media-a', reason }])
  await store.close()
})

test('an event taken out is named by the one behind it; two changed places by the first', async () => {
  await using server = await startEventStoreDbDouble()
  const store = await openEventStoreDb({ url: server.url })
  for (const stream of ['media-a', 'media-b'] as const) await store.append(stream, 'no-stream', newEvents(4))
  const log = await all(store.readAll(BEGINNING))
  server.log.takeOut(log[6]!.position)
  expect((await store.verify(ignore)).findings).toEqual([
    {
      position: log[7]!.position,
      stream: 'media-b',
      revision: 3,
      reason: 'revision 2 of its stream is missing',
    },
  ])
  await store.close()
})
