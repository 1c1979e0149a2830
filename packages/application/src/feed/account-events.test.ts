import { encodeEvent } from '@medialog/contract'
import type { DomainEvent } from '@medialog/domain'
import { BEGINNING, type LogPosition, type NewEvent, type StreamName, type Uuid } from '@medialog/kernel'
import { MemoryEventStore } from '@medialog/projections/testing/memory-event-store'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { newId } from '../core/ids.ts'
import { EngineUnavailable, type EventBatch } from '../ports/index.ts'
import { startAccountEvents, type AccountEvents, type FollowedEvents } from './account-events.ts'
import { RecentEvents } from './recent-events.ts'

const LONG = { timeout: 30_000 }

class Log extends MemoryEventStore {
  /** Makes following the log fail as often. */
  failures = 0
  readonly #revisions = new Map<StreamName, number>()

  override async *subscribe(after: LogPosition, options: { signal: AbortSignal }): AsyncIterable<EventBatch> {
    for await (const batch of super.subscribe(after, options)) {
      if (this.failures-- > 0) throw new EngineUnavailable('the log', 'is away')
      yield batch
    }
  }

  async add(stream: StreamName, accountId: Uuid, ...events: (DomainEvent | NewEvent)[]): Promise<void> {
    const last = this.#revisions.get(stream) ?? -1
    this.#revisions.set(stream, last + events.length)
    const metadata = { timestamp: '2026-11-20T13:00:00.000Z', actor: 'k3y1d000', accountId }
    const appended = events.map((event) =>
      'metadata' in event ? event : { id: newId(), ...encodeEvent(event), metadata },
    )
    await this.append(stream, last < 0 ? 'no-stream' : last, appended)
  }

  /** One event, named by a number. */
  settle(accountId: Uuid, ...numbers: number[]): Promise<void> {
    const events = numbers.map((number) => ({ type: 'ChargeSettled', chargeId: `${number}`, at: 1 }) as const)
    return this.add(`ledger-${accountId}`, accountId, ...events)
  }
}

const failures: unknown[] = []
let log: Log
let feed: AccountEvents
let stopping: AbortController
const account = newId()

beforeEach(() => {
  failures.length = 0
  log = new Log()
  stopping = new AbortController()
  feed = startAccountEvents({
    eventStore: log,
    background: { pause: async (error) => void failures.push(error) },
  })
})
afterEach(async () => {
  stopping.abort()
  await feed.close()
})

/** Follows in the background and keeps what it receives; `pause` holds it up. */
function follow(
  accountId: Uuid = account,
  after: LogPosition = BEGINNING,
  { types, pause }: { types?: ReadonlySet<string>; pause?: Promise<void> } = {},
) {
  const told: FollowedEvents[] = []
  const { signal } = stopping
  const ended = (async () => {
    for await (const batch of feed.follow(accountId, after, { signal, ...(types && { types }) })) {
      told.push(batch)
      await pause
    }
  })()
  ended.catch(() => undefined)
  const events = () => told.flatMap((batch) => batch.events)
  return {
    told,
    ended,
    events,
    types: () => events().map(({ published }) => published.attributes.type),
    numbers: () => events().map(({ published }) => Number(published.data['chargeId'])),
    position: () => told.at(-1)?.position ?? after,
  }
}

const upTo = (count: number): number[] => Array.from({ length: count }, (_, number) => number)

test('what is there comes first, then what happens, each once and in order', async () => {
  await log.settle(account, 0, 1)
  await log.settle(account, 2)
  const follower = follow()
  await vi.waitFor(() => expect(follower.told.at(-1)?.live).toBe(true), LONG)
  expect(follower.numbers()).toEqual([0, 1, 2])
  await log.settle(account, 3)
  await log.settle(account, 4)
  await vi.waitFor(() => expect(follower.numbers()).toEqual(upTo(5)), LONG)
  const positions = follower.events().map(({ position }) => position)
  expect(positions).toEqual(positions.toSorted((a, b) => a - b))
  expect(follower.events()[0]!.published).toMatchObject({
    topic: 'billing',
    attributes: { type: 'medialog.ChargeSettled', subject: `ledger-${account}`, accountid: account },
    data: { chargeId: '0', at: 1 },
  })
})

test('wherever it is resumed while the log grows, nothing is left out and nothing repeated', async () => {
  const others = [newId(), newId()]
  const followers: { from: number; follower: ReturnType<typeof follow> }[] = []
  const first = follow()
  for (const number of upTo(400)) {
    await log.settle(account, number)
    for (const other of others) await log.settle(other, number)
    if (number % 20 !== 0) continue
    // From where the first one stands, and from further back.
    for (const seen of [first.events().length, Math.floor(first.events().length / 2)])
      followers.push({
        from: seen,
        follower: follow(account, first.events()[seen - 1]?.position ?? BEGINNING),
      })
  }
  await vi.waitFor(() => expect(first.numbers()).toEqual(upTo(400)), LONG)
  for (const { from, follower } of followers)
    await vi.waitFor(() => expect(follower.numbers()).toEqual(upTo(400).slice(from)), LONG)
})

test('each receives the events of its own account alone', async () => {
  const other = newId()
  const mine = follow()
  const theirs = follow(other)
  for (const number of upTo(50)) {
    await log.settle(account, number)
    await log.settle(other, 1_000 + number)
  }
  await vi.waitFor(() => expect(mine.numbers()).toEqual(upTo(50)), LONG)
  await vi.waitFor(() => expect(theirs.numbers()).toHaveLength(50), LONG)
  expect(theirs.numbers().every((number) => number >= 1_000)).toBe(true)
  const late = follow(other)
  await vi.waitFor(() => expect(late.numbers()).toEqual(theirs.numbers()), LONG)
})

test('who falls behind what is kept in memory reads on from the log, and gets everything', async () => {
  const held = Promise.withResolvers<void>()
  const slow = follow(account, BEGINNING, { pause: held.promise })
  await vi.waitFor(() => expect(slow.told).toHaveLength(1), LONG)
  for (const start of upTo(60)) await log.settle(account, ...upTo(100).map((number) => start * 100 + number))
  const quick = follow(account)
  await vi.waitFor(() => expect(quick.numbers()).toEqual(upTo(6_000)), LONG)
  expect(slow.numbers()).toEqual([])
  held.resolve()
  await vi.waitFor(() => expect(slow.numbers()).toEqual(upTo(6_000)), LONG)
  expect(feed.status()).toEqual({ followers: 2, catchingUp: 0 })
})

test('large events are sent and kept in portions', async () => {
  const mediaIds = Array.from({ length: 1_000 }, newId)
  const place = { collection: 'a', generation: 0 }
  const move = (at: number) =>
    log.add(`library-${account}`, account, { type: 'ItemsMoved', accountId: account, place, mediaIds, at })
  const length = (batch: Pick<FollowedEvents, 'events'>) => JSON.stringify(batch.events).length
  const numbers = (of: ReturnType<typeof follow>) => of.events().map(({ published }) => published.data['at'])
  for (const number of upTo(100)) await move(number)
  const held = Promise.withResolvers<void>()
  const slow = follow(account, BEGINNING, { pause: held.promise })
  await vi.waitFor(() => expect(slow.told).toHaveLength(1), LONG)
  // More than is kept in memory, and than one portion for a follower that resumes.
  for (const number of upTo(500)) await move(100 + number)
  const memory = new RecentEvents(BEGINNING)
  for await (const event of log.readAll(BEGINNING))
    memory.add({ events: [event], position: event.position, live: false })
  const { events: kept, isAll } = memory.after(account, memory.from, { events: 1_000, length: Infinity })
  expect(isAll).toBe(true)
  expect(kept.at(-1)!.position).toBe(await log.head())
  expect(kept.reduce((sum, event) => sum + event.length, 0)).toBeLessThanOrEqual(16 * 1024 * 1024)
  held.resolve()
  await vi.waitFor(() => expect(numbers(slow)).toEqual(upTo(600)), LONG)
  for (const batch of slow.told) expect(length(batch)).toBeLessThan(1.5 * 1024 * 1024)
})

test('types are picked, and the position moves on over the others', async () => {
  const follower = follow(account, BEGINNING, { types: new Set(['BalanceCredited']) })
  await log.settle(account, 1, 2)
  await log.add(`ledger-${account}`, account, {
    type: 'BalanceCredited',
    creditId: 'c',
    amount: 1n,
    reference: null,
    at: 1,
  })
  await log.settle(account, 3)
  await vi.waitFor(async () => expect(follower.position()).toBe(await log.head()), LONG)
  expect(follower.types()).toEqual(['medialog.BalanceCredited'])
})

test('of a deleted item a later follower receives the deletion alone, also before it is erased', async () => {
  const item: StreamName = `media-${newId()}`
  const kept: StreamName = `media-${newId()}`
  const ids = { accountId: account, ingestId: newId() }
  const reembedded = { type: 'MediaReembedded', ...ids, embedder: 'e', artifacts: {}, at: 1 } as const
  const early = follow()
  await vi.waitFor(() => expect(early.told).not.toEqual([]), LONG)
  const from = early.position()
  await log.add(item, account, reembedded)
  await log.add(kept, account, reembedded)
  await vi.waitFor(() => expect(early.events()).toHaveLength(2), LONG)
  await log.add(item, account, {
    type: 'MediaDeleted',
    ...ids,
    cause: 'requested',
    reason: 'secret',
    lives: [],
    at: 2,
  })
  await vi.waitFor(() => expect(early.events()).toHaveLength(3), LONG)
  const late = follow(account, from)
  await vi.waitFor(() => expect(late.events()).toHaveLength(2), LONG)
  expect(late.types()).toEqual(['medialog.MediaReembedded', 'medialog.MediaDeleted'])
  expect(late.events()[0]!.published.attributes.subject).toBe(kept)
  expect(JSON.stringify(early.told)).not.toContain('secret')
})

test('what happens to the account itself is not told, but that it did', async () => {
  const follower = follow()
  await vi.waitFor(() => expect(follower.told).not.toEqual([]), LONG)
  await log.add(`account-${account}`, account, { type: 'ApiKeyRevoked', keyId: 'k' })
  await vi.waitFor(
    async () =>
      expect(follower.told.at(-1)).toMatchObject({ events: [], accountChangedAt: await log.head() }),
    LONG,
  )
  await log.settle(account, 1)
  await vi.waitFor(() => expect(follower.told.at(-1)?.accountChangedAt).toBeNull(), LONG)
})

test('an event that cannot be read ends what follows its account, after all that came before it', async () => {
  const other = newId()
  const unknown = (event: NewEvent): NewEvent => ({ ...event, type: 'ChargeDoubled' })
  const metadata = { timestamp: '2026-11-20T13:00:00.000Z', actor: 'system', accountId: account }
  await log.settle(account, 1)
  await log.add(
    `ledger-${account}`,
    account,
    unknown({ id: newId(), type: '', version: 1, data: {}, metadata }),
  )
  await log.settle(account, 2)
  const stuck = follow()
  await expect(stuck.ended).rejects.toThrow('unknown event type ChargeDoubled')
  expect(stuck.numbers()).toEqual([1])
  await log.settle(other, 3)
  const fine = follow(other)
  await vi.waitFor(() => expect(fine.numbers()).toEqual([3]), LONG)
})

test('followers wait while the log is unavailable, and miss nothing', async () => {
  const follower = follow()
  await vi.waitFor(() => expect(follower.told).not.toEqual([]), LONG)
  log.failures = 3
  for (const number of upTo(20)) await log.settle(account, number)
  await vi.waitFor(() => expect(follower.numbers()).toEqual(upTo(20)), LONG)
  expect(failures).toHaveLength(3)
})

test('it ends with its signal, and all end when the process stops', async () => {
  const follower = follow()
  const { signal } = new AbortController()
  await vi.waitFor(() => expect(feed.status().followers).toBe(1), LONG)
  stopping.abort()
  await follower.ended
  expect(feed.status()).toEqual({ followers: 0, catchingUp: 0 })
  const next = feed.follow(account, BEGINNING, { signal })[Symbol.asyncIterator]()
  await next.next()
  const waiting = next.next()
  await feed.close()
  expect(await waiting).toEqual({ done: true, value: undefined })
})

test('an account that catches up waits for a turn of another, not for all its readers', LONG, async () => {
  const other = newId()
  await log.settle(account, ...upTo(5_000))
  await log.settle(other, 1)
  const readAll = log.readAll.bind(log)
  /** Events that the other account had received by each turn. */
  const toldBy: number[] = []
  vi.spyOn(log, 'readAll').mockImplementation((...asked) => {
    toldBy.push(later.events().length)
    return readAll(...asked)
  })
  const many = Array.from({ length: 30 }, () => follow(account))
  const later = follow(other)
  await vi.waitFor(() => expect(later.events()).toHaveLength(1), LONG)
  await vi.waitFor(() => expect(many.every(({ events }) => events().length === 5_000)).toBe(true), LONG)
  expect(toldBy.length).toBeGreaterThan(1_000)
  // Its event is on the fortieth page, and the other account has a turn before each.
  expect(toldBy.indexOf(1)).toBeLessThan(90)
})

test('a follower that has left takes no turn', LONG, async () => {
  await log.settle(account, ...upTo(5_000))
  const readAll = log.readAll.bind(log)
  const read = vi.spyOn(log, 'readAll').mockImplementation((...asked) => {
    stopping.abort()
    return readAll(...asked)
  })
  const many = Array.from({ length: 30 }, () => follow(account))
  await Promise.all(many.map(({ ended }) => ended))
  expect(read).toHaveBeenCalledOnce()
  expect(feed.status()).toEqual({ followers: 0, catchingUp: 0 })
})
