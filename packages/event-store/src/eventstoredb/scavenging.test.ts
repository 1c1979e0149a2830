import { BEGINNING } from '@medialog/kernel'
import { expect, test, vi } from 'vitest'
import { all } from '../contract/fixture.ts'
import { startEventStoreDbDouble, type EventStoreDbDouble } from '../testing/eventstoredb/double.ts'
import { newEvent, newEvents } from '../testing/events.ts'
import { openEventStoreDb } from './store.ts'

vi.setConfig({ testTimeout: 120_000 })

const LIMITS = { callMs: 5_000, patienceMs: 5_000, silenceMs: 5_000, probeMs: 20 }
const GENEROUS = { timeout: 60_000 }
const ignore = () => undefined

/** A log with something to take out of it. */
async function withSecret(server: EventStoreDbDouble) {
  const store = await openEventStoreDb({ url: server.url, limits: LIMITS })
  await store.append('media-a', 'no-stream', [newEvent({ text: '«secret»' }), ...newEvents(2)])
  await store.truncate('media-a', 2)
  const bytes = () => server.log.all.map(({ data }) => Buffer.from(data).toString()).join()
  expect(bytes()).toContain('«secret»')
  return { store, bytes }
}

test('the server takes what is hidden out of its files, and says how much that was', async () => {
  await using server = await startEventStoreDbDouble()
  const { store, bytes } = await withSecret(server)
  const { places } = await store.scavenge(ignore)
  expect(places).toEqual([
    {
      name: `127.0.0.1:${server.port}`,
      outcome: 'done',
      freedBytes: expect.any(Number),
      said: 'what was erased is out of all completed chunks',
    },
  ])
  expect(places[0]!.freedBytes).toBeGreaterThan(0)
  expect(bytes()).not.toContain('«secret»')
  expect(await all(store.readAll(BEGINNING))).toMatchObject([{ revision: 2 }])
  await store.close()
})

test('one that is under way is joined, and stopped from elsewhere; the bytes are there then', async () => {
  await using server = await startEventStoreDbDouble()
  const { store, bytes } = await withSecret(server)
  server.faults.holdsScavenges = true
  const told: string[] = []
  const first = store.scavenge(({ message }) => told.push(message))
  await vi.waitFor(() => expect(told.at(-1)).toMatch(/through 1 of about 1 chunks/), GENEROUS)
  const other = await openEventStoreDb({ url: server.url, limits: LIMITS })
  const joined = other.scavenge(({ message }) => told.push(`joined ${message}`))
  await vi.waitFor(() => expect(told.at(-1)).toMatch(/^joined .*through 1/), GENEROUS)
  expect(await other.stopScavenge()).toBe(1)
  for (const { places } of [await first, await joined]) expect(places).toMatchObject([{ outcome: 'stopped' }])
  expect(bytes()).toContain('«secret»')
  for (const opened of [store, other]) await opened.close()
})

test('a node that is restarted, or refuses the user, has failed; an unavailable server is reported', async () => {
  await using server = await startEventStoreDbDouble()
  const { store } = await withSecret(server)
  server.faults.forgetsScavenge = true
  expect((await store.scavenge(ignore)).places).toMatchObject([
    { outcome: 'failed', said: 'the node is unavailable, or was restarted: start it again' },
  ])
  server.faults.refusesAdministration = true
  expect((await store.scavenge(ignore)).places).toMatchObject([
    {
      outcome: 'failed',
      said: expect.stringContaining('refuses the user: a scavenge is for members of $admins'),
    },
  ])
  await server.stop()
  await expect(store.scavenge(ignore)).rejects.toThrow('does not say which nodes it has')
  await store.close()
})

test('every node of a cluster is gone through, the leader last', async () => {
  await using leader = await startEventStoreDbDouble()
  await using follower = await startEventStoreDbDouble({ log: leader.log })
  follower.faults.leader = { host: '127.0.0.1', port: leader.port }
  const { store } = await withSecret(follower)
  const told: string[] = []
  const { places } = await store.scavenge(({ message }) => told.push(message))
  const names = [`127.0.0.1:${follower.port}`, `127.0.0.1:${leader.port}`]
  expect(places).toMatchObject(names.map((name) => ({ name, outcome: 'done' })))
  expect([...new Set(told.map((message) => message.replace(/: \D.*$/, '')))]).toEqual(names)
  await store.close()
})
