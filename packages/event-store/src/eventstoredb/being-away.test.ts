import { EngineUnavailable } from '@medialog/application/ports'
import { BEGINNING } from '@medialog/kernel'
import { expect, test, vi } from 'vitest'
import { AccessRefused, InvalidAddress } from '../errors.ts'
import { startChild } from '../testing/child.ts'
import { all } from '../contract/fixture.ts'
import { startEventStoreDbDouble } from '../testing/eventstoredb/double.ts'
import { newEvent } from '../testing/events.ts'
import { openEventStoreDb, openEventStoreDbReader } from './store.ts'

vi.setConfig({ testTimeout: 120_000 })

const LIMITS = { callMs: 1_000, patienceMs: 500, silenceMs: 500, probeMs: 50 }
const GENEROUS = { timeout: 60_000 }

test('while the server is unavailable all is refused with the reason; once it is back all goes on', async () => {
  await using server = await startEventStoreDbDouble()
  const said: string[] = []
  const onTrouble = (what: string) => said.push(what)
  const store = await openEventStoreDb({ url: server.url, limits: LIMITS, onTrouble })
  await store.append('media-a', 'no-stream', [newEvent()])
  expect(store.trouble()).toBeNull()
  await server.stop()
  const refused = store.append('media-a', 0, [newEvent()])
  await expect(refused).rejects.toBeInstanceOf(EngineUnavailable)
  const why = `EventStoreDB (esdb://127.0.0.1:${server.port}) is unavailable: it cannot be reached`
  expect(store.trouble()).toBe(why)
  expect(said).toEqual([why])
  for (const asked of [store.head(), all(store.read('media-a')), store.truncate('media-a', 1)])
    await expect(asked).rejects.toThrow(why)
  await server.start()
  await vi.waitFor(() => expect(store.trouble()).toBeNull(), GENEROUS)
  expect((await store.append('media-a', 0, [newEvent()])).revision).toBe(1)
  await store.close()
})

test.each([
  [
    'reading $all',
    /^EventStoreDB \(esdb:\S+\) does not let the user read the stream \$all: .*\$r and \$mr of its \$acl$/,
  ],
  ['the user', /^EventStoreDB \(esdb:\S+\) does not know the user, or its password$/],
] as const)(
  'a server that refuses %s is not called unavailable: only the opening says why it fails',
  async (what, why) => {
    await using server = await startEventStoreDbDouble()
    server.faults.refuses = what
    const onTrouble = vi.fn<(what: string) => void>()
    const opening = openEventStoreDb({ url: server.url, limits: LIMITS, onTrouble })
    await expect(opening).rejects.toBeInstanceOf(AccessRefused)
    await expect(opening).rejects.toThrow(why)
    expect(onTrouble).not.toHaveBeenCalled()
  },
)

test('who only follows the log notices too, and is there again with what came meanwhile', async () => {
  await using server = await startEventStoreDbDouble()
  const store = await openEventStoreDb({ url: server.url, limits: LIMITS })
  const batches = store.subscribe(BEGINNING, { signal: new AbortController().signal })
  const reader = batches[Symbol.asyncIterator]()
  await reader.next()
  const next = reader.next()
  await server.stop()
  await vi.waitFor(() => expect(store.trouble()).not.toBeNull(), GENEROUS)
  await server.start()
  await vi.waitFor(() => expect(store.trouble()).toBeNull(), GENEROUS)
  const { events } = await store.append('media-a', 'no-stream', [newEvent()])
  expect((await next).value).toMatchObject({ events })
  await store.close()
})

test('a server that is not there ends the opening; a reader waits for it', async () => {
  await using server = await startEventStoreDbDouble()
  await server.stop()
  const { url } = server
  await expect(openEventStoreDb({ url, limits: LIMITS })).rejects.toThrow('it cannot be reached')
  const reader = openEventStoreDbReader({ url, limits: LIMITS })
  const batches = reader.subscribe(BEGINNING, { signal: new AbortController().signal })
  const first = batches[Symbol.asyncIterator]().next()
  await server.start()
  expect((await first).value).toEqual({ events: [], position: BEGINNING, live: true })
  await reader.close()
})

test('closing ends what waits for a server that hangs', async () => {
  await using server = await startEventStoreDbDouble()
  const store = await openEventStoreDb({ url: server.url, limits: { callMs: 60_000, patienceMs: 60_000 } })
  const batches = store.subscribe(BEGINNING, { signal: new AbortController().signal })
  const reader = batches[Symbol.asyncIterator]()
  await reader.next()
  const next = reader.next()
  server.faults.hanging = true
  const appended = store.append('media-a', 'no-stream', [newEvent()])
  const read = all(store.read('media-a'))
  const outcomes = Promise.allSettled([appended, read])
  await store.close()
  expect((await next).done).toBe(true)
  for (const outcome of await outcomes) expect(outcome.status).toBe('rejected')
})

test('a subscription that is left early is closed at the server too', async () => {
  await using server = await startEventStoreDbDouble()
  const store = await openEventStoreDb({ url: server.url })
  for (let round = 0; round < 5; round++)
    for await (const { live } of store.subscribe(BEGINNING, { signal: new AbortController().signal }))
      if (live) break
  expect(server.faults.startedAfter).toHaveLength(5)
  await vi.waitFor(() => expect(server.faults.subscriptions).toBe(0), GENEROUS)
  await store.close()
})

test('a process that has closed its store exits', async () => {
  await using server = await startEventStoreDbDouble()
  await using child = startChild('./eventstoredb/use-and-close.ts', [server.url])
  expect(await child.nextLine()).toBe('closed')
  expect(await child.nextLine()).toBeNull()
})

test.each([
  ['http://127.0.0.1:2113', 'must read like esdb://'],
  ['esdb://', 'must read like esdb://'],
  ['esdb://127.0.0.1:2113', 'must name a user'],
  ['esdb://ann:secret@127.0.0.1:port?tls=false', 'cannot be read'],
  ['esdb://ann:100%secret@127.0.0.1:2113', 'cannot be read'],
  ['esdb://ann:secret@127.0.0.1:2113?tls=perhaps', 'cannot be read'],
  ['esdb://ann:secret@127.0.0.1:2113?tlsCAFile=/nowhere/ca.crt', 'cannot be read'],
])(
  'the address %s is refused before anything is asked, and without what is secret in it',
  async (url, why) => {
    const opening = openEventStoreDb({ url })
    await expect(opening).rejects.toBeInstanceOf(InvalidAddress)
    await expect(opening).rejects.toThrow(why)
    await expect(opening).rejects.not.toThrow('secret')
  },
)
