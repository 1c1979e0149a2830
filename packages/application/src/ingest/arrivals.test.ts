import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { InsufficientFunds } from '@medialog/domain'
import { openSqliteEventStore } from '@medialog/event-store'
import { systemClock, usd, type Uuid } from '@medialog/kernel'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { DEFAULT_PRICES } from '../billing/prices.ts'
import type { RequestContext } from '../core/context.ts'
import { AccountSuspended, TooManyFiles } from '../core/errors.ts'
import { newId, requestStreamOf } from '../core/ids.ts'
import type { Ports } from '../core/ports.ts'
import { SYSTEM } from '../event-sourcing/executing.ts'
import { createStreams } from '../event-sourcing/streams.ts'
import { Arrivals } from './arrivals.ts'

let folder: string
let store: Awaited<ReturnType<typeof openSqliteEventStore>>
let ports: Pick<Ports, 'streams' | 'settings'>
let arrivals: Arrivals

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'medialog-arrivals-'))
  store = await openSqliteEventStore({ path: join(folder, 'events.sqlite') })
  ports = {
    streams: createStreams(store, systemClock),
    settings: { prices: DEFAULT_PRICES, batchBytes: { free: 4 * MIB } } as Ports['settings'],
  }
  arrivals = new Arrivals(ports)
})
afterEach(async () => {
  await store.close()
  await rm(folder, { recursive: true })
})

const MIB = 1_048_576
const caller = (accountId: Uuid, status: 'active' | 'suspended' = 'active'): RequestContext => ({
  principal: { accountId, keyId: 'key', capabilities: ['write'], tier: 'free', status },
  requestId: newId(),
})
async function funded(amount = '1'): Promise<Uuid> {
  const accountId = newId()
  const credit = { type: 'Credit', creditId: newId(), amount: usd(amount), reference: null, at: 1 } as const
  await ports.streams.execute('ledger', accountId, credit, SYSTEM)
  return accountId
}

test.each([
  ['upload', '0.03'],
  ['analysis', '0.02'],
] as const)(
  'an %s that its account cannot pay may be small: other refusals come before the one for money',
  async (use, amount) => {
    const poor = caller(await funded(amount))
    using first = await arrivals.begin(poor, use, undefined)
    first.add(MIB - 1_000)
    using second = await arrivals.begin(poor, use, 'a new key')
    second.add(1_000)
    expect(() => second.add(1)).toThrow(InsufficientFunds)
    using suspended = await arrivals.begin(caller(await funded(), 'suspended'), use, undefined)
    suspended.add(MIB)
    expect(() => suspended.add(1)).toThrow(AccountSuspended)
  },
)

test('a repeat of a request needs no money', async () => {
  const accountId = newId()
  const start = {
    type: 'StartRequest',
    accountId,
    requestId: newId(),
    fingerprint: '',
    known: [],
    at: 1,
  } as const
  await ports.streams.execute('request', requestStreamOf(accountId, 'key'), start, SYSTEM)
  using arrival = await arrivals.begin(caller(accountId), 'upload', 'key')
  arrival.add(2 * MIB)
  using others = await arrivals.begin(caller(newId()), 'upload', 'key')
  expect(() => others.add(2 * MIB)).toThrow(InsufficientFunds)
})

test('an account has no more bytes under way than it may; others are not concerned', async () => {
  const [one, other] = [caller(await funded()), caller(await funded())]
  using alone = await arrivals.begin(one, 'upload', undefined)
  alone.add(5 * MIB)
  using elsewhere = await arrivals.begin(other, 'upload', undefined)
  elsewhere.add(3 * MIB)
  await expect(arrivals.begin(one, 'analysis', undefined)).rejects.toMatchObject({
    code: 'RATE_LIMIT_EXCEEDED',
    details: { files: 1, bytes: 5 * MIB, most_bytes: 4 * MIB, retry_after_seconds: 1 },
  })
  using second = await arrivals.begin(other, 'analysis', undefined)
  second.add(MIB)
  expect(() => second.add(1)).toThrow(TooManyFiles)
})

test('an account has no more files under way than it may, and room again for each that was answered', async () => {
  const context = caller(await funded())
  const all = await Promise.all(
    Array.from({ length: 128 }, () => arrivals.begin(context, 'upload', undefined)),
  )
  await expect(arrivals.begin(context, 'upload', undefined)).rejects.toBeInstanceOf(TooManyFiles)
  all.pop()![Symbol.dispose]()
  using another = await arrivals.begin(context, 'upload', undefined)
  await expect(arrivals.begin(context, 'upload', undefined)).rejects.toBeInstanceOf(TooManyFiles)
  another.add(1)
  for (const arrival of all) arrival[Symbol.dispose]()
})
