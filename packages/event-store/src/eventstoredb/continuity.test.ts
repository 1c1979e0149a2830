import { EngineUnavailable } from '@medialog/application/ports'
import { BEGINNING } from '@medialog/kernel'
import { expect, test, vi } from 'vitest'
import { all, take } from '../contract/fixture.ts'
import { startEventStoreDbDouble, type EventStoreDbDouble } from '../testing/eventstoredb/double.ts'
import { intrude } from '../testing/eventstoredb/intruder.ts'
import { newEvent, newEvents } from '../testing/events.ts'
import { openEventStoreDb, openEventStoreDbReader } from './store.ts'

vi.setConfig({ testTimeout: 120_000 })

const LIMITS = { callMs: 2_000, patienceMs: 10_000, silenceMs: 1_000, probeMs: 50 }
const GENEROUS = { timeout: 60_000 }
const SHORT =
  /^the event log ends at position \d+, but this process has followed one that goes up to \d+: restore /
const OTHER = /^the event log does not hold the event that this process has seen at position \d+: restore /

/** Five events in a stream, of which the older copy of the server has two. */
async function served() {
  const server = await startEventStoreDbDouble()
  const onTrouble = vi.fn<(what: string) => void>()
  const store = await openEventStoreDb({ url: server.url, limits: LIMITS, onTrouble })
  const { events } = await store.append('media-a', 'no-stream', newEvents(5))
  return {
    server,
    store,
    onTrouble,
    kept: [...server.log.all],
    older: events[1]!.position,
    last: events[4]!.position,
    async [Symbol.asyncDispose]() {
      await store.close()
      await server[Symbol.asyncDispose]()
    },
  }
}

async function comesBackAt({ log, ...server }: EventStoreDbDouble, position: number): Promise<void> {
  await server.stop()
  log.goBackTo(position)
  await server.start()
}

test('an older copy of the server takes no append, and says how far it goes', async () => {
  await using it = await served()
  await comesBackAt(it.server, it.older)
  const recorded = it.server.log.all.length
  for (const [stream, expected] of [
    ['media-a', 4],
    ['media-a', 1],
    ['media-b', 'no-stream'],
  ] as const) {
    const appending = it.store.append(stream, expected, [newEvent()])
    await expect(appending).rejects.toBeInstanceOf(EngineUnavailable)
    await expect(appending).rejects.toThrow(SHORT)
  }
  expect(it.store.trouble()).toMatch(SHORT)
  expect(it.onTrouble.mock.calls).toEqual([[expect.stringMatching(SHORT), null]])
  expect(it.server.log.all).toHaveLength(recorded)
})

test('a copy that others have written to is known by the last event that was seen', async () => {
  await using it = await served()
  await it.server.stop()
  it.server.log.goBackTo(it.older)
  it.server.log.addSystemEvents(100)
  await it.server.start()
  await expect(it.store.append('media-b', 'no-stream', [newEvent()])).rejects.toThrow(OTHER)
})

test('an open subscription finds the older copy without a call, and hands nothing out', async () => {
  await using it = await served()
  const seen: string[] = []
  const stop = new AbortController()
  const following = (async () => {
    for await (const { events } of it.store.subscribe(BEGINNING, { signal: stop.signal }))
      seen.push(...events.map(({ id }) => id))
  })()
  await vi.waitFor(() => expect(seen).toHaveLength(5), GENEROUS)
  await comesBackAt(it.server, it.older)
  await vi.waitFor(() => expect(it.store.trouble()).toMatch(SHORT), GENEROUS)
  stop.abort()
  await following
  expect(seen).toHaveLength(5)
})

test('a reader that starts behind the end of the log is given nothing, however much is appended there', async () => {
  await using it = await served()
  await comesBackAt(it.server, it.older)
  const reader = openEventStoreDbReader({ url: it.server.url, limits: LIMITS })
  const stop = new AbortController()
  const batches = take(reader.subscribe(it.last, { signal: stop.signal }), () => true)
  const other = await openEventStoreDb({ url: it.server.url, limits: LIMITS })
  await other.append('media-c', 'no-stream', [newEvent()])
  await expect(reader.head()).rejects.toThrow(SHORT)
  stop.abort()
  expect(await batches).toEqual([])
  await reader.close()
  await other.close()
})

test('appends and reads go on once the log is there again', async () => {
  await using it = await served()
  await comesBackAt(it.server, it.older)
  await expect(it.store.append('media-a', 4, [newEvent()])).rejects.toThrow(SHORT)
  for (const event of it.kept) if (event.position > it.older) it.server.log.putIn(event)
  await vi.waitFor(() => expect(it.store.trouble()).toBeNull(), GENEROUS)
  expect(await all(it.store.read('media-a'))).toHaveLength(5)
})

test.each(['erased', 'deleted', 'tombstone'] as const)(
  'a log whose last event was hidden meanwhile (%s) is the same log',
  async (how) => {
    await using it = await served()
    await using by = intrude(it.server.url)
    const other = await openEventStoreDb({ url: it.server.url, limits: LIMITS })
    if (how === 'erased') {
      await other.append('media-a', 4, [newEvent()])
      await other.truncate('media-a', 5)
    } else if (how === 'deleted') await by.softDelete('medialog.media-a')
    else await by.tombstone('medialog.media-a')
    it.server.log.scavenge()
    await it.server.stop()
    await it.server.start()
    await it.store.append('media-b', 'no-stream', [newEvent()])
    expect(it.onTrouble).not.toHaveBeenCalled()
    await other.close()
  },
)
