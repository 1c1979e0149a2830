import type { EventStore } from '@medialog/application/ports'
import { EngineUnavailable } from '@medialog/application/ports'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { DecodedEvent } from '@medialog/contract'
import { accessStore } from '@medialog/read-model/records/stores'
import type { ProjectionHost } from '../host.ts'
import { projectedInto } from '../ports.ts'
import type { Projection } from '../projection.ts'
import { recordsProjection } from '../records.ts'
import { createHistory, idOf } from '../testing/history.ts'
import { createMemoryArtifacts } from '../testing/memory-artifacts.ts'
import { createMemoryCoordination, type Line } from '../testing/memory-coordination.ts'
import { MemoryEventStore } from '../testing/memory-event-store.ts'
import { createMemoryStore } from '../testing/memory-store.ts'
import { followProjections } from './follow.ts'
import { leaseOf, type Lease, type Timing } from './lease.ts'
import { BELL } from './requests.ts'
import { shareProjections } from './share.ts'

vi.setConfig({ testTimeout: 60_000 })
const PATIENT = { timeout: 40_000, interval: 20 }
const TIMING: Timing = {
  renewEvery: 50,
  stepBackAfter: 600,
  takeOverAfter: 1_200,
  lookEvery: 30,
  giveUpAfter: 2_500,
}

let log: EventStore
let history: ReturnType<typeof createHistory>
let shared: ReturnType<typeof createMemoryCoordination>
let accounts: ReturnType<typeof createMemoryStore<DecodedEvent>>
let opened: { close(): Promise<void> }[]
const artifacts = createMemoryArtifacts()

beforeEach(() => {
  log = new MemoryEventStore()
  history = createHistory(log, artifacts)
  shared = createMemoryCoordination()
  accounts = createMemoryStore<DecodedEvent>('access', (position) => shared.positions.set('access', position))
  opened = []
})
afterEach(async () => {
  for (const one of opened.reverse()) await one.close()
})

const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined }

async function host(
  holder: string,
  projection: Projection<DecodedEvent> = recordsProjection(accessStore),
): Promise<{ host: ProjectionHost; line: Line }> {
  const line = shared.connect()
  const host = await shareProjections(
    [projectedInto(projection, accounts.store)],
    { log, artifacts, logger: quiet },
    { coordination: line.coordination, holder, timing: TIMING },
  )
  const closed = { ...host, close: () => (line.mend(), host.close()) }
  opened.push(closed)
  return { host: closed, line }
}

function follow() {
  const { coordination } = shared.connect()
  const followed = followProjections({ coordination, log, holder: null, timing: TIMING })
  opened.push(followed)
  return followed
}

const leader = (): string => (shared.notes.get(leaseOf('access'))!.value as Lease).holder
const reach = async (name: string): Promise<void> => {
  const position = await history.open(idOf(name))
  const followed = follow()
  expect(await followed.reached(position, { readModels: ['accounts'], timeoutMs: 40_000 })).toBe(true)
}
/** Every account once, in the order in which they were opened. */
const accountsOpened = () =>
  accounts.changes.flatMap(({ change }) => (change.event.type === 'AccountOpened' ? [change.id] : []))

test('one leads, and the next one does as soon as it stops', async () => {
  const first = await host('first')
  await host('second')
  await reach('ann')
  expect(leader()).toBe('first')
  await first.host.close()
  opened = opened.filter((one) => one !== first.host)
  await vi.waitFor(() => expect(leader()).toBe('second'), PATIENT)
  await reach('ben')
  expect(accountsOpened()).toEqual([idOf('ann'), idOf('ben')])
})

test('a leader that is cut off makes room for the next, and stands by when it is back', async () => {
  const first = await host('first')
  await host('second')
  await reach('ann')
  first.line.cut()
  await vi.waitFor(() => expect(leader()).toBe('second'), PATIENT)
  await reach('ben')
  first.line.mend()
  await reach('cho')
  expect(accountsOpened()).toEqual([idOf('ann'), idOf('ben'), idOf('cho')])
  expect(leader()).toBe('second')
})

test('who comes with the same name need not wait until the one before is taken for dead', async () => {
  const first = await host('first')
  await reach('ann')
  first.line.cut()
  const { term } = shared.notes.get(leaseOf('access'))!.value as Lease
  await host('first')
  expect((shared.notes.get(leaseOf('access'))!.value as Lease).term).not.toBe(term)
  await reach('ben')
})

test('where a stalled leader opened it once more, the one that leads takes it back', async () => {
  await host('first')
  await reach('ann')
  await accounts.store.open()
  await reach('ben')
  expect(leader()).toBe('first')
})

test('every process sees the leader and its position, and that there is no leader', async () => {
  const followed = follow()
  const status = async () => (await followed.status()).find(({ name }) => name === 'accounts')!
  expect(await status()).toMatchObject({
    leader: null,
    isLeader: false,
    error: 'no process keeps it up to date',
  })
  const first = await host('first')
  await reach('ann')
  const position = await log.head()
  expect(await status()).toMatchObject({ isLeader: false, error: null, behind: 0, position })
  expect((await first.host.status()).find(({ name }) => name === 'accounts')).toMatchObject({
    isLeader: true,
  })
  first.line.cut()
  await vi.waitFor(async () => expect((await status()).error).toContain('was not heard of for'), PATIENT)
})

test('what is asked for is done by the leader, with its progress and its errors', async () => {
  const followed = follow()
  const { host: first } = await host('first')
  await reach('ann')
  const phases: string[] = []
  const [report] = await followed.rebuild('accounts', ({ phase }) => phases.push(phase))
  expect(report).toMatchObject({ identical: true, swapped: true, events: 2 })
  expect(await first.verify('accounts', () => undefined)).toMatchObject([{ identical: true, swapped: false }])
  vi.spyOn(accounts.store, 'build').mockRejectedValueOnce(new Error('there is no room'))
  await expect(followed.verify('accounts', () => undefined)).rejects.toThrow('there is no room')
  expect([...shared.notes.keys()].filter((id) => id.startsWith('request/'))).toEqual([])
})

test('what a leader began and did not live to end is done by the next', async () => {
  const followed = follow()
  const first = await host('first')
  await host('second')
  await reach('ann')
  // The first to make a build never completes it.
  vi.spyOn(accounts.store, 'build').mockImplementationOnce(
    () => new Promise((_, reject) => setTimeout(() => reject(new Error('it was cut off')), 3_000)),
  )
  const verified = followed.verify('accounts', () => undefined)
  await vi.waitFor(() => expect(JSON.stringify([...shared.notes.values()])).toContain('"running"'), PATIENT)
  first.line.cut()
  expect(await verified).toMatchObject([{ identical: true }])
})

test('a request without a leader fails in the end', async () => {
  const followed = follow()
  await expect(followed.verify('accounts', () => undefined)).rejects.toBeInstanceOf(EngineUnavailable)
  expect([...shared.notes.keys()]).toEqual([BELL])
})
