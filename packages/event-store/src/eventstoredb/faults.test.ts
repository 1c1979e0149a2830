import { setTimeout as pause } from 'node:timers/promises'
import { EngineUnavailable, type EventBatch } from '@medialog/application/ports'
import { BEGINNING, type NewEvent, type StreamName } from '@medialog/kernel'
import { expect, test, vi } from 'vitest'
import type { ChainedEventStore } from '../log.ts'
import { all, idsOf } from '../contract/fixture.ts'
import { openBlackHole } from '../testing/eventstoredb/black-hole.ts'
import { startEventStoreDbDouble, type EventStoreDbDouble } from '../testing/eventstoredb/double.ts'
import { newEvent, newEvents, newStream } from '../testing/events.ts'
import type { Limits } from './limits.ts'
import { openEventStoreDb } from './store.ts'

vi.setConfig({ testTimeout: 120_000 })

/** Short waits, so that faults are met soon; much patience, for machines with other work. */
const LIMITS: Limits = { callMs: 1_000, patienceMs: 60_000, silenceMs: 500, probeMs: 100 }
const GENEROUS = { timeout: 60_000 }
const ROUNDS = 30

/** As the service appends: what is refused for now is sent again, the same ids at the same revision. */
async function appendUntilDone(
  store: ChainedEventStore,
  stream: StreamName,
  expected: number | 'no-stream',
  events: NewEvent[],
) {
  for (;;)
    try {
      return await store.append(stream, expected, events)
    } catch (error) {
      if (!(error instanceof EngineUnavailable)) throw error
      await pause(20)
    }
}

/** Two writers and a subscriber; `fault` receives each round before it is written. */
async function expectSurvival(
  server: EventStoreDbDouble,
  fault: (round: number) => Promise<void> | void,
  { url = server.url, limits = LIMITS } = {},
): Promise<void> {
  const store = await openEventStoreDb({ url, limits })
  const stop = new AbortController()
  const seen: string[] = []
  const following = (async () => {
    for await (const { events } of store.subscribe(BEGINNING, { signal: stop.signal }))
      seen.push(...idsOf(events))
  })()
  const written: string[][] = [[], []]
  const writers = written.map(async (ids, writer) => {
    const stream = newStream()
    let revision: number | 'no-stream' = 'no-stream'
    for (let round = 0; round < ROUNDS; round++) {
      // One alone is not read back where its outcome is known.
      const events = newEvents(round % 3 === 0 ? 2 : 1)
      if (writer === 0) await fault(round)
      ;({ revision } = await appendUntilDone(store, stream, revision, events))
      ids.push(...idsOf(events))
    }
    // In its stream each stands once, in the order of writing.
    await vi.waitFor(async () => expect(idsOf(await all(store.read(stream)))).toEqual(ids), GENEROUS)
  })
  await Promise.all(writers)
  const log = idsOf(await all(store.readAll(BEGINNING)))
  expect(log.toSorted()).toEqual(written.flat().sort())
  await vi.waitFor(() => expect(seen.length).toBeGreaterThanOrEqual(log.length), GENEROUS)
  expect(seen).toEqual(log)
  expect(await store.verify(() => undefined)).toMatchObject({ events: log.length, found: 0 })
  expect(server.faults.appendsAtAnyRevision).toBe(0)
  stop.abort()
  await following
  await store.close()
}

const now =
  (rounds: readonly number[], fault: () => Promise<void> | void) =>
  async (round: number): Promise<void> => {
    if (rounds.includes(round)) await fault()
  }

test('appends that were recorded, and whose answer was lost with the connection', async () => {
  await using server = await startEventStoreDbDouble()
  await expectSurvival(server, () => void (server.faults.repliesToLose = 1))
  expect(server.faults.repliesToLose).toBe(0)
})

test('appends that were recorded and are never answered', async () => {
  await using server = await startEventStoreDbDouble()
  await expectSurvival(
    server,
    now([3, 9, 20], () => void (server.faults.repliesToHoldBack = 2)),
  )
  expect(server.faults.repliesToHoldBack).toBe(0)
})

test('an append whose outcome was never told, and its repetition, are what is recorded', async () => {
  await using server = await startEventStoreDbDouble()
  const store = await openEventStoreDb({
    url: server.url,
    limits: { ...LIMITS, callMs: 100, patienceMs: 50 },
  })
  const stream = newStream()
  const event = newEvent()
  server.faults.repliesToHoldBack = 1
  await expect(store.append(stream, 'no-stream', [event])).rejects.toThrow(EngineUnavailable)
  const { events } = await appendUntilDone(store, stream, 'no-stream', [event])
  await appendUntilDone(store, stream, 0, [newEvent()])
  expect((await all(store.read(stream)))[0]).toEqual(events[0])
  expect(await store.verify(() => undefined)).toMatchObject({ events: 2, found: 0 })
  await store.close()
})

test('appends that fail before anything is recorded, some several times in a row', async () => {
  await using server = await startEventStoreDbDouble()
  await expectSurvival(server, (round) => void (server.faults.appendsToFail = round % 4))
})

test('a server that has forgotten the ids knows a repeat by what it recorded', async () => {
  await using server = await startEventStoreDbDouble()
  await expectSurvival(server, () => {
    server.faults.repliesToLose = 1
    server.log.forgetIds()
  })
})

test('subscriptions that are cut, again and again', async () => {
  await using server = await startEventStoreDbDouble()
  server.faults.cutAfter = 7
  await expectSurvival(
    server,
    now([2, 5, 6, 11], () => server.faults.cutSubscriptions()),
  )
  expect(server.faults.startedAfter.length).toBeGreaterThan(8)
})

test('subscriptions that end without an error', async () => {
  await using server = await startEventStoreDbDouble()
  await expectSurvival(
    server,
    now([2, 5, 6, 11, 29], () => server.faults.endSubscriptions()),
  )
})

test('a subscription that falls silent though its connection lives', async () => {
  await using server = await startEventStoreDbDouble()
  await expectSurvival(
    server,
    now([10], () => void (server.faults.mute = true)),
  )
  expect(server.faults.startedAfter.length).toBeGreaterThan(1)
})

test('a subscription that falls behind and catches up again reports it once more, and repeats nothing', async () => {
  await using server = await startEventStoreDbDouble()
  await expectSurvival(server, () => server.faults.fallBehind())
})

test('a subscription whose reader was slow is live again only behind the last event', async () => {
  await using server = await startEventStoreDbDouble()
  const store = await openEventStoreDb({ url: server.url, limits: LIMITS })
  const batches = store.subscribe(BEGINNING, { signal: new AbortController().signal })
  const reader = batches[Symbol.asyncIterator]()
  const next = async () => (await reader.next()).value as EventBatch
  expect(await next()).toMatchObject({ events: [], live: true })
  let last = 0
  for (let round = 0, revision: number | 'no-stream' = 'no-stream'; round < 8; round++)
    ({ revision, position: last } = await store.append('media-a', revision, newEvents(500)))
  server.faults.fallBehind()
  for (;;) {
    const { live, position } = await next()
    expect([position, live]).toEqual([position, position === last])
    if (position === last) break
  }
  await reader.return!()
  await store.close()
})

test('a server that takes calls and does nothing for a while', async () => {
  await using server = await startEventStoreDbDouble()
  await expectSurvival(
    server,
    now([5, 15], () => {
      server.faults.hanging = true
      setTimeout(() => (server.faults.hanging = false), 1_500)
    }),
  )
})

test('a server that is killed and comes back with its log', async () => {
  await using server = await startEventStoreDbDouble()
  await expectSurvival(
    server,
    now([5, 15, 28], async () => {
      await server.stop()
      server.log.forgetIds()
      setTimeout(() => void server.start(), 300)
    }),
  )
})

test('a server that is unavailable for longer than the patience of the client', async () => {
  await using server = await startEventStoreDbDouble()
  const fault = now([5], async () => {
    await server.stop()
    setTimeout(() => void server.start(), 3_000)
  })
  await expectSurvival(server, fault, { limits: { ...LIMITS, patienceMs: 500 } })
})

test('a network in which everything gets lost', async () => {
  await using server = await startEventStoreDbDouble()
  await using hole = await openBlackHole(server.port)
  const fault = now([5, 15], () => {
    hole.swallow()
    setTimeout(() => hole.release(), 2_000)
  })
  await expectSurvival(server, fault, { url: `esdb://127.0.0.1:${hole.port}?tls=false` })
})

test('a server that becomes a follower', async () => {
  await using leader = await startEventStoreDbDouble()
  await using server = await startEventStoreDbDouble({ log: leader.log })
  await expectSurvival(
    server,
    now([7], () => {
      server.faults.leader = { host: '127.0.0.1', port: leader.port }
      server.faults.cutSubscriptions()
    }),
  )
  expect(leader.faults.startedAfter).not.toEqual([])
})

test('a cluster of which all nodes are unavailable for a while, and which has another leader then', async () => {
  await using first = await startEventStoreDbDouble()
  await using second = await startEventStoreDbDouble({ log: first.log })
  second.faults.leader = { host: '127.0.0.1', port: first.port }
  const fault = now([7], async () => {
    await Promise.all([first.stop(), second.stop()])
    second.faults.leader = null
    setTimeout(() => void second.start(), 1_500)
  })
  const url = `esdb://127.0.0.1:${first.port},127.0.0.1:${second.port}?tls=false&maxDiscoverAttempts=2`
  await expectSurvival(first, fault, { url, limits: { ...LIMITS, patienceMs: 500 } })
  expect(first.faults.startedAfter).not.toEqual([])
  expect(second.faults.startedAfter).not.toEqual([])
})

test('a server that is killed while large appends are on their way', async () => {
  await using server = await startEventStoreDbDouble()
  const store = await openEventStoreDb({ url: server.url, limits: LIMITS })
  const data = { text: 'x'.repeat(900_000) }
  const streams = Array.from({ length: 6 }, newStream)
  const appends = streams.map((stream) => appendUntilDone(store, stream, 'no-stream', [newEvent(data)]))
  await new Promise((resolve) => setImmediate(resolve))
  await server.stop()
  await server.start()
  expect((await Promise.all(appends)).map(({ revision }) => revision)).toEqual(streams.map(() => 0))
  expect(await all(store.readAll(BEGINNING))).toHaveLength(streams.length)
  await store.close()
})

test('events of the server and of others, before ours and between them', async () => {
  await using server = await startEventStoreDbDouble()
  server.log.addSystemEvents(700)
  const other = await openEventStoreDb({ url: server.url, prefix: 'other.' })
  await expectSurvival(server, async (round) => {
    server.log.addSystemEvents(round % 3 === 0 ? 100 : 1)
    await other.append(newStream(), 'no-stream', [newEvent()])
  })
  expect(await all(other.readAll(BEGINNING))).toHaveLength(ROUNDS)
  await other.close()
})

test('a new subscription goes on behind what others wrote since our last event', async () => {
  await using server = await startEventStoreDbDouble()
  const store = await openEventStoreDb({ url: server.url, limits: LIMITS })
  const { position } = await store.append('media-a', 'no-stream', [newEvent()])
  const batches = store.subscribe(BEGINNING, { signal: new AbortController().signal })
  const reader = batches[Symbol.asyncIterator]()
  for (let live = false; !live;) ({ live } = (await reader.next()).value as EventBatch)
  server.log.addSystemEvents(20_000)
  const rest = reader.next()
  await vi.waitFor(
    () => {
      server.faults.cutSubscriptions()
      expect(server.faults.startedAfter.at(-1)).toBeGreaterThan(position)
      // One that is cut at once has not heard of anything.
    },
    { ...GENEROUS, interval: 500 },
  )
  const second = await store.append('media-a', 0, [newEvent()])
  // Followers save positions of events alone.
  expect((await rest).value).toMatchObject({ position: second.position, events: second.events })
  await reader.return!()
  await store.close()
})
