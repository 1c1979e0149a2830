import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { IdempotencyKeyReused, InsufficientFunds, refundOfCharge, RequestInProgress } from '@medialog/domain'
import { openSqliteEventStore } from '@medialog/event-store'
import { formatUsd, systemClock, usd, type RecordedEvent } from '@medialog/kernel'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createBackground } from '../core/background.ts'
import type { RequestContext } from '../core/context.ts'
import { AccountSuspended, ReplayGone } from '../core/errors.ts'
import { newId, requestStreamOf } from '../core/ids.ts'
import type { Ports } from '../core/ports.ts'
import { SYSTEM } from '../event-sourcing/executing.ts'
import { createStreams } from '../event-sourcing/streams.ts'
import { EngineUnavailable, type EventStore } from '../ports/index.ts'
import { paid, type Paid, type PaidRequest } from './charging.ts'
import { DEFAULT_PRICES } from './prices.ts'

type Request = PaidRequest<string, { word: number }>
type Charging = Parameters<typeof paid>[0]

let folder: string
let store: EventStore
let ports: Charging
let accountId: string
const failures: unknown[] = []

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'medialog-charging-'))
  store = await openSqliteEventStore({ path: join(folder, 'events.sqlite') })
  failures.length = 0
  accountId = newId()
  ports = {
    clock: systemClock,
    streams: createStreams(store, systemClock),
    background: createBackground((error) => failures.push(error)),
    projections: { reached: async () => true } as Partial<Ports['projections']> as never,
    settings: {
      prices: DEFAULT_PRICES,
      quotas: {} as never,
      mostVectors: Infinity,
      openBatches: {} as never,
      batchBytes: {} as never,
      webhooks: {} as never,
      erasedStores: [],
      readYourWritesMs: 1,
    },
  }
  await ports.streams.execute(
    'ledger',
    accountId,
    { type: 'Credit', creditId: newId(), amount: usd('0.1'), reference: null, at: Date.now() },
    SYSTEM,
  )
})
afterEach(async () => {
  vi.restoreAllMocks()
  ports.background.stop()
  await store.close()
  await rm(folder, { recursive: true })
})

const context = (status: 'active' | 'suspended' = 'active'): RequestContext => ({
  principal: { accountId, keyId: 'key', capabilities: ['read'], tier: 'standard', status },
  requestId: newId(),
})
const lines = (amount: string) => [{ price: 'ADVANCED_SEARCH', amount: usd(amount) }]

/** A request that is charged three cents and uses two. */
function request(
  changes: Partial<Request> = {},
  work: () => Promise<string> = async () => 'answer',
): Request {
  return {
    operation: 'search',
    idempotencyKey: undefined,
    fields: { query: 'whales' },
    prepare: async () => ({
      most: lines('0.03'),
      mediaId: newId(),
      work: async () => ({ value: await work(), cost: lines('0.02'), kept: { word: 7 } }),
    }),
    replay: async ({ word }) => `replayed ${word}`,
    ...changes,
  }
}
const ask = (changes?: Partial<Request>, work?: () => Promise<string>): Promise<Paid<string>> =>
  paid(ports, context(), request(changes, work))
const balance = async () => {
  const { selected } = await ports.streams.load('ledger', accountId, (ledger) => ledger.balance)
  return formatUsd(selected)
}
async function ledgerEvents(): Promise<RecordedEvent[]> {
  const events: RecordedEvent[] = []
  for await (const event of store.read(`ledger-${accountId}`)) events.push(event)
  return events.slice(1)
}
const types = async () => (await ledgerEvents()).map(({ type }) => type)

test('charges the most first, refunds what was not used, and settles', async () => {
  const during: string[] = []
  const answer = await ask({}, async () => {
    during.push(await balance())
    return 'answer'
  })
  expect(during).toEqual(['0.07'])
  expect(answer).toMatchObject({ value: 'answer', cost: usd('0.02'), balance: usd('0.08'), replayed: false })
  expect(await types()).toEqual(['BalanceCharged', 'BalanceRefunded', 'ChargeSettled'])
  const { requestId } = answer
  const [charged] = await ledgerEvents()
  expect(charged!.data).toMatchObject({
    chargeId: requestId,
    amount: '30000000',
    cause: { operation: 'search', requestId, mediaId: expect.any(String) },
  })
})

test.each([
  ['a refusal', new ReplayGone()],
  ['an unavailable engine', new EngineUnavailable('search', 'away')],
  ['a mistake', new TypeError('x is not a function')],
])('refunds all of it after %s', async (_, failure) => {
  await expect(ask({}, () => Promise.reject(failure))).rejects.toBe(failure)
  expect(await balance()).toBe('0.1')
  expect(await types()).toEqual(['BalanceCharged', 'BalanceRefunded'])
})

test('refunds all of it where the work claims to cost more than was charged', async () => {
  const prepare = async () => ({
    most: lines('0.01'),
    work: async () => ({ value: '', cost: lines('0.02'), kept: { word: 1 } }),
  })
  await expect(ask({ prepare })).rejects.toBeInstanceOf(RangeError)
  expect(await balance()).toBe('0.1')
})

test('a refusal before the charge leaves nothing in the ledger', async () => {
  await expect(ask({ prepare: () => Promise.reject(new ReplayGone()) })).rejects.toBeInstanceOf(ReplayGone)
  expect(await types()).toEqual([])
})

test('too little money and a suspended account are refused before any work', async () => {
  const work = vi.fn<() => Promise<string>>(async () => 'answer')
  await ask({}, work)
  for (let cents = 8; cents >= 4; cents -= 2) await ask({}, work)
  expect(await balance()).toBe('0.02')
  work.mockClear()
  await expect(ask({}, work)).rejects.toBeInstanceOf(InsufficientFunds)
  await expect(paid(ports, context('suspended'), request({}, work))).rejects.toBeInstanceOf(AccountSuspended)
  expect(work).not.toHaveBeenCalled()
  expect(await balance()).toBe('0.02')
})

test('what costs nothing is done for a suspended account too, and not in the ledger', async () => {
  const prepare = async () => ({
    most: lines('0'),
    work: async () => ({ value: 'free', cost: lines('0'), kept: { word: 1 } }),
  })
  const answer = await paid(ports, context('suspended'), request({ prepare }))
  expect(answer).toMatchObject({ value: 'free', cost: 0n, balance: usd('0.1') })
  expect(await types()).toEqual([])
})

test('a key replays the answer from what was kept, for free and under the first request id', async () => {
  const idempotencyKey = 'once'
  const first = await ask({ idempotencyKey })
  const work = vi.fn<() => Promise<string>>(async () => 'again')
  const second = await ask({ idempotencyKey }, work)
  expect(second).toEqual({ ...first, value: 'replayed 7', replayed: true })
  expect(work).not.toHaveBeenCalled()
  expect(await balance()).toBe('0.08')
  await expect(ask({ idempotencyKey, fields: { query: 'seals' } })).rejects.toBeInstanceOf(
    IdempotencyKeyReused,
  )
  await expect(ask({ idempotencyKey, operation: 'similar' })).rejects.toBeInstanceOf(IdempotencyKeyReused)
  await expect(
    ask({ idempotencyKey, replay: () => Promise.reject(new ReplayGone()) }),
  ).rejects.toBeInstanceOf(ReplayGone)
  expect(await balance()).toBe('0.08')
})

test('no word of the request is in the log', async () => {
  await ask({ idempotencyKey: 'once', fields: { query: 'unspeakable' } })
  const signal = AbortSignal.timeout(20_000)
  let events = 0
  for await (const batch of store.subscribe(0, { signal })) {
    events += batch.events.length
    expect(JSON.stringify(batch.events)).not.toContain('unspeakable')
    if (batch.live) break
  }
  expect(events).toBe(6)
})

test('a twin is refused while the first is under way; a failure sets the key free', async () => {
  const idempotencyKey = 'once'
  const gate = Promise.withResolvers<string>()
  const started = Promise.withResolvers<void>()
  const first = ask({ idempotencyKey }, () => {
    started.resolve()
    return gate.promise
  })
  await started.promise
  await expect(ask({ idempotencyKey })).rejects.toBeInstanceOf(RequestInProgress)
  gate.reject(new EngineUnavailable('search', 'away'))
  await expect(first).rejects.toBeInstanceOf(EngineUnavailable)
  expect(await balance()).toBe('0.1')
  expect(await ask({ idempotencyKey })).toMatchObject({ value: 'answer', replayed: false })
  expect(await balance()).toBe('0.08')
})

test('a refund that the log does not take is tried again until it is there', async () => {
  const append = store.append.bind(store)
  let away = false
  vi.spyOn(store, 'append').mockImplementation((...args) =>
    away ? Promise.reject(new EngineUnavailable('event store', 'away')) : append(...args),
  )
  const failed = ask({}, async () => {
    away = true
    throw new EngineUnavailable('search', 'away')
  })
  await expect(failed).rejects.toMatchObject({ engine: 'search' })
  expect(failures.length).toBeGreaterThan(0)
  away = false
  await vi.waitFor(async () => expect(await balance()).toBe('0.1'), { timeout: 15_000 })
})

/** The next appends of that event to such a stream are recorded, and reported as failed. */
function failingAfter(stream: string, type: string, times = 1): void {
  const append = store.append.bind(store)
  vi.spyOn(store, 'append').mockImplementation(async (...args) => {
    const appended = await append(...args)
    const [name, , events] = args
    if (!name.startsWith(stream) || !events.some((event) => event.type === type) || times-- <= 0)
      return appended
    throw new EngineUnavailable('event store', 'nobody knows')
  })
}

test('an answer that was kept, and reported as not kept, is answered and stays paid for', async () => {
  failingAfter('request-', 'RequestCompleted')
  const idempotencyKey = 'once'
  const first = await ask({ idempotencyKey })
  expect(first).toMatchObject({ value: 'answer', replayed: false, cost: usd('0.02') })
  expect(await ask({ idempotencyKey })).toMatchObject({ value: 'replayed 7', requestId: first.requestId })
  expect(await types()).toEqual(['BalanceCharged', 'BalanceRefunded', 'ChargeSettled'])
})

test('one whose outcome is unknown stays open until it is known: then kept and paid for, not refunded', async () => {
  const append = store.append.bind(store)
  let away = false
  vi.spyOn(store, 'append').mockImplementation(async (...args) => {
    if (away) throw new EngineUnavailable('event store', 'away')
    const appended = await append(...args)
    if (!args[2].some((event) => event.type === 'RequestCompleted')) return appended
    away = true
    throw new EngineUnavailable('event store', 'nobody knows')
  })
  // Where the log cannot be read either.
  const { streams } = ports
  const execute = streams.execute.bind(streams)
  vi.spyOn(streams, 'execute').mockImplementation((...args) =>
    away ? Promise.reject(new EngineUnavailable('event store', 'away')) : execute(...args),
  )
  const idempotencyKey = 'once'
  await expect(ask({ idempotencyKey })).rejects.toBeInstanceOf(EngineUnavailable)
  away = false
  expect((await streams.load('ledger', accountId, (ledger) => ledger.charges.size)).selected).toBe(1)
  await vi.waitFor(async () => expect((await types()).at(-1)).toBe('ChargeSettled'), { timeout: 30_000 })
  vi.restoreAllMocks()
  expect(await ask({ idempotencyKey })).toMatchObject({ replayed: true })
  expect(await balance()).toBe('0.08')
})

test('a key whose start was recorded, and reported as not, is free', async () => {
  failingAfter('request-', 'RequestStarted')
  const idempotencyKey = 'once'
  await expect(ask({ idempotencyKey })).rejects.toBeInstanceOf(EngineUnavailable)
  expect(await ask({ idempotencyKey })).toMatchObject({ value: 'answer', replayed: false })
  expect(await balance()).toBe('0.08')
})

test('a charge that was made, and reported as not made, is refunded', async () => {
  failingAfter('ledger-', 'BalanceCharged')
  await expect(ask()).rejects.toBeInstanceOf(EngineUnavailable)
  expect(await balance()).toBe('0.1')
  expect(await types()).toEqual(['BalanceCharged', 'BalanceRefunded'])
})

test.each([['BalanceRefunded'], ['ChargeSettled']])(
  'whatever becomes of %s, who was answered has paid once and who was not has paid nothing',
  async (type) => {
    failingAfter('ledger-', type)
    const answered = await ask().catch(() => null)
    vi.restoreAllMocks()
    expect(await balance()).toBe(answered ? '0.08' : '0.1')
    await vi.waitFor(
      async () => {
        const { selected: open } = await ports.streams.load('ledger', accountId, (ledger) =>
          [...ledger.charges.values()].filter((charge) => charge.open),
        )
        expect(open).toEqual([])
      },
      { timeout: 30_000 },
    )
  },
)

/** As recovery does where a request counts as dead: its key is set free first, then its charge refunded. */
async function takenForDead(requestId: string, requestStream: string | null): Promise<void> {
  const { streams } = ports
  const at = Date.now()
  if (requestStream !== null)
    await streams.execute('request', requestStream, { type: 'AbandonRequest', requestId, at }, SYSTEM)
  const refundId = refundOfCharge(requestId)
  const refund = { type: 'RefundRest', refundId, chargeId: requestId, reason: 'late', at } as const
  await streams.execute('ledger', accountId, refund, SYSTEM)
}

test.each([
  ['that used all of its charge', '0.03', undefined],
  ['that used some of its charge', '0.02', undefined],
  ['under a key', '0.03', 'once'],
])('a request %s and was taken for dead meanwhile is refunded and not answered', async (_, cost, key) => {
  const own = context()
  const stream = key === undefined ? null : requestStreamOf(accountId, key)
  const prepare = async () => ({
    most: lines('0.03'),
    work: async () => {
      await takenForDead(own.requestId, stream)
      return { value: 'late', cost: lines(cost), kept: { word: 1 } }
    },
  })
  const late = paid(ports, own, request({ prepare, idempotencyKey: key }))
  await expect(late).rejects.toMatchObject({ name: 'EngineUnavailable', engine: 'request' })
  expect(await balance()).toBe('0.1')
  expect(await types()).toEqual(['BalanceCharged', 'BalanceRefunded'])
  expect(await ask({ idempotencyKey: key })).toMatchObject({ value: 'answer', replayed: false })
  expect(await balance()).toBe('0.08')
})
