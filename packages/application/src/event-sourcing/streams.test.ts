import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { UnreadableEvent } from '@medialog/contract'
import { InsufficientFunds, type LedgerCommand, type LibraryCommand } from '@medialog/domain'
import { openSqliteEventStore } from '@medialog/event-store'
import { systemClock, usd, type NewEvent } from '@medialog/kernel'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { newId } from '../core/ids.ts'
import { recordOf, SHA256 } from '../ingest/testing/record.ts'
import { AppendTooLarge, EngineUnavailable, WrongExpectedRevision, type EventStore } from '../ports/index.ts'
import { SYSTEM } from './executing.ts'
import { createStreams, type Streams } from './streams.ts'

let folder: string
let store: EventStore
let streams: Streams
const account = newId()

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'medialog-streams-'))
  store = await openSqliteEventStore({ path: join(folder, 'events.sqlite') })
  streams = createStreams(store, systemClock)
})
afterEach(async () => {
  vi.restoreAllMocks()
  await store.close()
  await rm(folder, { recursive: true })
})

const at = Date.UTC(2026, 10, 20)
const credit = (amount: string): LedgerCommand => ({
  type: 'Credit',
  creditId: newId(),
  amount: usd(amount),
  reference: null,
  at,
})
const charge = (amount: string, chargeId: string = newId()): LedgerCommand => ({
  type: 'Charge',
  chargeId,
  lines: [{ price: 'DOCUMENT_PROCESSING', amount: usd(amount) }],
  cause: { operation: 'upload' },
  at,
})
const balance = async (of: Streams = streams) =>
  (await of.load('ledger', account, (ledger) => ledger.balance)).selected

async function chargeConcurrently(
  how: readonly Streams[],
  times: number,
): Promise<{ charged: number; refused: number }> {
  const outcomes = await Promise.allSettled(
    Array.from({ length: times }, (_, n) =>
      how[n % how.length]!.execute('ledger', account, charge('0.04'), SYSTEM),
    ),
  )
  const refusals = outcomes.filter((outcome) => outcome.status === 'rejected')
  for (const { reason } of refusals) expect(reason).toBeInstanceOf(InsufficientFunds)
  return { charged: times - refusals.length, refused: refusals.length }
}

test('appends nothing while the clock is wrong; what is there can be read', async () => {
  let trouble: string | null = null
  const clock = { now: () => at, trouble: () => trouble }
  const careful = createStreams(store, clock)
  await careful.execute('ledger', account, credit('1'), SYSTEM)
  trouble = 'it is a year ahead'
  await expect(careful.execute('ledger', account, charge('0.04', 'a'), SYSTEM)).rejects.toThrow(
    new EngineUnavailable('clock', 'it is a year ahead'),
  )
  expect(await balance(careful)).toBe(usd('1'))
  trouble = null
  await careful.execute('ledger', account, charge('0.04', 'a'), SYSTEM)
  expect(await balance(careful)).toBe(usd('0.96'))
})

describe('commands on one stream', () => {
  test('with money for 25 charges, exactly 25 of 100 concurrent ones are made, in few appends', async () => {
    await streams.execute('ledger', account, credit('1.00'), SYSTEM)
    const append = vi.spyOn(store, 'append')
    expect(await chargeConcurrently([streams], 100)).toEqual({ charged: 25, refused: 75 })
    expect(await balance()).toBe(0n)
    expect(append.mock.calls.length).toBeLessThanOrEqual(2)
  })

  test('the same holds where two processes write the same ledger', async () => {
    await streams.execute('ledger', account, credit('1.00'), SYSTEM)
    const other = createStreams(store, systemClock)
    expect(await chargeConcurrently([streams, other], 100)).toEqual({ charged: 25, refused: 75 })
    expect(await balance()).toBe(0n)
    expect(await balance(other)).toBe(0n)
  })

  test('what is refused, or needs nothing to be done, is decided on what another process wrote meanwhile', async () => {
    const other = createStreams(store, systemClock)
    const select = { select: (ledger: { balance: bigint }) => ledger.balance }
    await streams.execute('ledger', account, credit('0.04'), SYSTEM)
    await streams.execute('ledger', account, charge('0.04', 'a'), SYSTEM)
    await expect(streams.execute('ledger', account, charge('0.04'), SYSTEM)).rejects.toThrow(
      InsufficientFunds,
    )
    await other.execute('ledger', account, credit('0.04'), SYSTEM)
    expect((await streams.execute('ledger', account, charge('0.04', 'b'), SYSTEM, select)).selected).toBe(0n)
    // Of what this process knows there is nothing left to settle or to pay back.
    const settle = (chargeId: string) => ({ type: 'Settle', chargeId, at }) as const
    await streams.execute('ledger', account, settle('a'), SYSTEM)
    await other.execute('ledger', account, credit('0.04'), SYSTEM)
    const repeated = await streams.execute('ledger', account, settle('a'), SYSTEM, select)
    expect([repeated.events, repeated.selected]).toEqual([[], usd('0.04')])
  })

  test('each command has its own events, position and view of the state', async () => {
    const select = { select: (ledger: { balance: bigint }) => ledger.balance }
    const [first, second] = await Promise.all([
      streams.execute('ledger', account, credit('1'), SYSTEM, select),
      streams.execute('ledger', account, credit('2'), SYSTEM, select),
    ])
    expect([first.selected, second.selected]).toEqual([usd('1'), usd('3')])
    expect(first.events.map(({ revision }) => revision)).toEqual([0])
    expect(second.events.map(({ revision }) => revision)).toEqual([1])
  })

  test('a repeated command appends nothing and answers where the stream stands', async () => {
    await streams.execute('ledger', account, credit('1'), SYSTEM)
    const once = await streams.execute('ledger', account, charge('0.5', 'c1'), SYSTEM)
    const twice = await streams.execute('ledger', account, charge('0.5', 'c1'), SYSTEM)
    expect(twice).toMatchObject({ events: [], position: once.position, revision: 1 })
    expect(await balance()).toBe(usd('0.5'))
  })

  test('who caused an event is in its metadata', async () => {
    const origin = { actor: 'key1', accountId: account, requestId: newId(), correlationId: 'theirs' }
    const { events } = await streams.execute('ledger', account, credit('1'), origin)
    expect(events[0]!.metadata).toMatchObject({ ...origin, timestamp: expect.stringMatching(/^\d{4}-.*Z$/) })
  })
})

describe('when an append fails', () => {
  test('a group that is too large for one append is appended in parts; a command that is so alone fails', async () => {
    await streams.execute('ledger', account, credit('1.00'), SYSTEM)
    const append = store.append.bind(store)
    let most = 9
    vi.spyOn(store, 'append').mockImplementation(async (stream, expected, events) => {
      if (events.length > most) throw new AppendTooLarge(stream)
      return append(stream, expected, events)
    })
    expect(await chargeConcurrently([streams], 100)).toEqual({ charged: 25, refused: 75 })
    expect(await balance()).toBe(0n)
    most = 0
    const refused = streams.execute('ledger', account, credit('1.00'), SYSTEM)
    await expect(refused).rejects.toBeInstanceOf(AppendTooLarge)
    expect(await balance()).toBe(0n)
  })

  test('every command of the group fails with it, and the next one reads the stream again', async () => {
    await streams.execute('ledger', account, credit('1'), SYSTEM)
    const append = vi
      .spyOn(store, 'append')
      .mockRejectedValueOnce(new EngineUnavailable('event store', 'disk full'))
    const outcomes = await Promise.allSettled([
      streams.execute('ledger', account, charge('0.9'), SYSTEM),
      // Refused because of a charge that was never made: the client must not get that answer.
      streams.execute('ledger', account, charge('0.9'), SYSTEM),
    ])
    expect(outcomes.map((outcome) => outcome.status === 'rejected' && outcome.reason)).toEqual([
      expect.any(EngineUnavailable),
      expect.any(EngineUnavailable),
    ])
    append.mockRestore()
    await streams.execute('ledger', account, charge('0.9'), SYSTEM)
    expect(await balance()).toBe(usd('0.1'))
  })

  test('an append that was done although it failed is found and not done again', async () => {
    await streams.execute('ledger', account, credit('1'), SYSTEM)
    const real = store.append.bind(store)
    vi.spyOn(store, 'append').mockImplementationOnce(
      async (stream, expected, events: readonly NewEvent[]) => {
        await real(stream, expected, events)
        throw new EngineUnavailable('event store', 'the answer was lost')
      },
    )
    await expect(streams.execute('ledger', account, charge('0.4', 'c1'), SYSTEM)).rejects.toThrow('lost')
    await streams.execute('ledger', account, charge('0.4', 'c1'), SYSTEM)
    expect(await balance()).toBe(usd('0.6'))
  })
})

describe('an append that is reported as failed and may be done later', () => {
  /** The next append is reported as failed; `land` does it. */
  function failNext(): { land: () => Promise<unknown> } {
    let land = (): Promise<unknown> => Promise.resolve()
    const real = store.append.bind(store)
    vi.spyOn(store, 'append').mockImplementationOnce(async (...append) => {
      land = () => real(...append)
      throw new EngineUnavailable('event store', 'no answer in time')
    })
    return { land: () => land() }
  }
  const refundRest = (chargeId: string) =>
    streams.execute(
      'ledger',
      account,
      { type: 'RefundRest', refundId: 'r', chargeId, reason: '', at },
      SYSTEM,
      { undoes: true },
    )

  test.each(['before', 'after', 'never'])('is undone whether it lands %s that', async (when) => {
    await streams.execute('ledger', account, credit('1'), SYSTEM)
    const { land } = failNext()
    await expect(streams.execute('ledger', account, charge('0.4', 'c1'), SYSTEM)).rejects.toThrow('in time')
    if (when === 'before') await land()
    await refundRest('c1')
    if (when === 'after') await land()
    expect(await balance(createStreams(store, systemClock))).toBe(usd('1'))
    const open = await streams.load('ledger', account, ({ charges }) => charges.get('c1')?.open)
    expect(open.selected).toBe(false)
  })

  test('cannot land any more once something else was appended', async () => {
    await streams.execute('ledger', account, credit('1'), SYSTEM)
    const { land } = failNext()
    await expect(streams.execute('ledger', account, credit('2'), SYSTEM)).rejects.toThrow('in time')
    await streams.execute('ledger', account, credit('3'), SYSTEM)
    await expect(land()).rejects.toThrow(WrongExpectedRevision)
    // What it would have charged is not there: nothing is to be paid back.
    expect((await refundRest('c1')).events).toEqual([])
    expect(await balance()).toBe(usd('4'))
  })

  test('is asked for again until that is answered', async () => {
    await streams.execute('ledger', account, credit('1'), SYSTEM)
    failNext()
    await expect(streams.execute('ledger', account, charge('0.4', 'c1'), SYSTEM)).rejects.toThrow('in time')
    failNext()
    await expect(refundRest('c1')).rejects.toThrow('in time')
    expect((await refundRest('c1')).events.map(({ type }) => type)).toEqual(['BalanceRefunded'])
    expect(await balance()).toBe(usd('1'))
  })
})

test('an event that cannot be written fails its command, which leaves nothing behind', async () => {
  await streams.execute('ledger', account, credit('1'), SYSTEM)
  const noMoment = { ...charge('0.4', 'c1'), at: Date.UTC(2026, 11, 20) + 0.5 }
  const outcomes = await Promise.allSettled([
    streams.execute('ledger', account, noMoment, SYSTEM),
    streams.execute('ledger', account, charge('0.1', 'c2'), SYSTEM),
  ])
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled'])
  await expect(streams.execute('ledger', account, noMoment, SYSTEM)).rejects.toThrow('at')
  expect([await balance(), await balance(createStreams(store, systemClock))]).toEqual([
    usd('0.9'),
    usd('0.9'),
  ])
})

test('a decision on a revision that is no longer the last is refused, also within one group', async () => {
  const move = (collection: string): LibraryCommand => ({
    type: 'MoveItems',
    accountId: account,
    collection,
    mediaIds: [newId()],
    at,
  })
  const outcomes = await Promise.allSettled([
    streams.execute('library', account, move('a'), SYSTEM, { at: null }),
    streams.execute('library', account, move('b'), SYSTEM, { at: null }),
  ])
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
  await expect(streams.execute('library', account, move('c'), SYSTEM, { at: 5 })).rejects.toThrow(
    WrongExpectedRevision,
  )
  await expect(streams.execute('library', account, move('c'), SYSTEM, { at: 0 })).resolves.toMatchObject({
    revision: 1,
  })
})

test('a stream whose past was erased since this process looked at it is folded from what is left', async () => {
  const other = createStreams(store, systemClock)
  const mediaId = newId()
  const claim = (of: Streams, ingestId: string) => {
    const ids = { accountId: account, ingestId, jobId: ingestId, batchId: null, sha256: SHA256 }
    const command = { type: 'ClaimIngest', ...ids, overwrite: false, dead: null, at } as const
    return of.execute('media', mediaId, command, SYSTEM)
  }
  const [ingestId, later] = [newId(), newId()]
  await claim(other, ingestId)
  const claimant = async (of: Streams) =>
    (await of.load('media', mediaId, (media) => media.claim?.ingestId ?? null)).selected
  expect(await claimant(streams)).toBe(ingestId)
  const place = { collection: 'default', generation: 0 }
  await other.execute(
    'media',
    mediaId,
    { type: 'RecordIngest', place, keepPlace: false, record: recordOf(ingestId) },
    SYSTEM,
  )
  const deletion = { type: 'DeleteMedia', ingestId, cause: 'requested', reason: null, at } as const
  const { revision } = await other.execute('media', mediaId, deletion, SYSTEM)
  await other.truncate('media', mediaId, revision)
  await claim(streams, later)
  expect([await claimant(streams), await claimant(other)]).toEqual([later, later])
})

test('a ledger of many months folds from the last closing but one', async () => {
  const month = (n: number) => Date.UTC(2026, n, 2)
  for (let n = 0; n < 6; n++)
    await streams.execute('ledger', account, { ...credit('1'), at: month(n) }, SYSTEM)
  const read = vi.spyOn(store, 'read')
  const fresh = createStreams(store, systemClock)
  expect(await balance(fresh)).toBe(usd('6'))
  const starts = read.mock.calls.map(([, options]) => options?.from).filter((from) => from !== undefined)
  // Five closings, two events a month since: the last but one is at revision 7.
  expect(starts).toEqual([7])
})

test('a ledger stays folded however many items are asked for, of which the last do', async () => {
  vi.spyOn(performance, 'now').mockReturnValue(5)
  await streams.execute('ledger', account, credit('1'), SYSTEM)
  const items = Array.from({ length: 2_001 }, () => newId())
  for (const item of items) await streams.load('media', item, () => null)
  const isFolded = (item: string) => streams.peek('media', item, () => true) ?? false
  expect([isFolded(items[0]!), isFolded(items[1]!), isFolded(items.at(-1)!)]).toEqual([false, true, true])
  const read = vi.spyOn(store, 'read')
  expect(await balance()).toBe(usd('1'))
  expect(read.mock.calls).toEqual([[`ledger-${account}`, { from: 1 }]])
})

test.each([
  ['a type', { type: 'BalanceDonated', version: 1 }],
  ['a version', { type: 'BalanceCredited', version: 99 }],
  [
    'another kind of stream’s type',
    { type: 'WebhooksErased', version: 1, data: { accountId: account, at: 1 } },
  ],
])(
  'nothing is decided on a stream with an event of %s that this release does not expect there',
  async (_, of) => {
    await streams.execute('ledger', account, credit('1'), SYSTEM)
    const later: NewEvent = {
      id: newId(),
      data: {},
      metadata: { actor: 'system', timestamp: '2026-11-20T00:00:00.000Z' },
      ...of,
    }
    await store.append(`ledger-${account}`, 0, [later])
    for (const of of [streams, createStreams(store, systemClock)]) {
      await expect(of.execute('ledger', account, charge('0.5'), SYSTEM)).rejects.toThrow(UnreadableEvent)
      await expect(balance(of)).rejects.toThrow(UnreadableEvent)
    }
  },
)

test('a peek returns what was known a moment ago without a call, and pending events only on request', async () => {
  const look = (options: { pending?: boolean } = {}) =>
    streams.peek('ledger', account, (ledger) => ledger.balance, options)
  const clock = vi.spyOn(performance, 'now').mockReturnValue(5)
  expect(look()).toBeUndefined()
  await balance()
  expect(look()).toBe(0n)
  await createStreams(store, systemClock).execute('ledger', account, credit('1'), SYSTEM)
  expect(look()).toBe(0n)
  clock.mockReturnValue(1_006)
  expect(look()).toBeUndefined()
  await balance()
  expect(look()).toBe(usd('1'))
  const append = store.append.bind(store)
  const appending = vi.spyOn(store, 'append').mockImplementation(async (...args) => {
    expect([look(), look({ pending: true })]).toEqual([undefined, usd('3')])
    return append(...args)
  })
  await streams.execute('ledger', account, credit('2'), SYSTEM)
  expect(look()).toBe(usd('3'))
  appending.mockRejectedValue(new EngineUnavailable('event log', 'it is away'))
  await expect(streams.execute('ledger', account, credit('4'), SYSTEM)).rejects.toThrow(EngineUnavailable)
  expect(look()).toBeUndefined()
})
