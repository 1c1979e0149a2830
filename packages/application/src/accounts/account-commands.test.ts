import { IdempotencyKeyReused } from '@medialog/domain'
import { systemClock, usd } from '@medialog/kernel'
import { MemoryEventStore } from '@medialog/projections/testing/memory-event-store'
import { expect, test, vi } from 'vitest'
import { createBackground } from '../core/background.ts'
import type { OperatorContext } from '../core/context.ts'
import { newId } from '../core/ids.ts'
import type { Ports } from '../core/ports.ts'
import { createStreams } from '../event-sourcing/streams.ts'
import { EngineUnavailable, type DamagedStream } from '../ports/index.ts'
import { accountCommands } from './account-commands.ts'

const context = (): OperatorContext => ({ requestId: newId() })

function openOperator(eventStore = new MemoryEventStore()) {
  const streams = createStreams(eventStore, systemClock)
  return accountCommands({
    eventStore,
    streams,
    clock: systemClock,
    background: createBackground(() => undefined),
    accounts: { account: async (accountId: string) => ({ accountId, name: 'a' }) },
    usage: { credited: async () => null },
    projections: { reached: async () => true },
    settings: { readYourWritesMs: 0 },
  } as unknown as Ports)
}

test('no reference, and no Idempotency-Key, of the operator’s is taken for the credit of the opening', async () => {
  const operator = openOperator()
  const amount = usd('10')
  const { account } = await operator.open(context(), { name: 'a', tier: 'standard', credit: amount })
  const { accountId } = account
  const credit = (given: { reference: string | null; idempotencyKey?: string }) =>
    operator.credit(context(), { accountId, amount, ...given })
  expect((await credit({ reference: null, idempotencyKey: 'opening' })).balance).toBe(usd('20'))
  // Of the operator's own, each once.
  expect((await credit({ reference: null, idempotencyKey: 'opening' })).replayed).toBe(true)
  expect((await credit({ reference: 'invoice', idempotencyKey: 'a' })).balance).toBe(usd('30'))
  expect((await credit({ reference: 'invoice', idempotencyKey: 'b' })).balance).toBe(usd('30'))
})

test('an account is opened and credited once for an Idempotency-Key, after a failure in the middle too', async () => {
  const eventStore = new MemoryEventStore()
  const operator = openOperator(eventStore)
  const open = (credit: string, name = 'a') =>
    operator.open(context(), { name, tier: 'standard', credit: usd(credit), idempotencyKey: 'k' })
  const append = eventStore.append.bind(eventStore)
  const failing = vi.spyOn(eventStore, 'append').mockImplementation(async (stream, ...rest) => {
    if (stream.startsWith('ledger-')) throw new EngineUnavailable('event log', 'away')
    return append(stream, ...rest)
  })
  await expect(open('10')).rejects.toThrow(EngineUnavailable)
  failing.mockRestore()
  const first = await open('10')
  expect([first.balance, first.replayed]).toEqual([usd('10'), false])
  const again = await open('10')
  expect([again.account.accountId, again.balance, again.replayed]).toEqual([
    first.account.accountId,
    usd('10'),
    true,
  ])
  await expect(open('20')).rejects.toThrow(IdempotencyKeyReused)
  await expect(open('10', 'b')).rejects.toThrow(IdempotencyKeyReused)
  const other = await operator.open(context(), { name: 'a', tier: 'standard', credit: 0n })
  expect(other.account.accountId).not.toBe(first.account.accountId)
})

test('an account whose ledger is damaged has no balance; while the log is unavailable the read model decides', async () => {
  const found = ['a', 'b'].map((accountId) => ({ accountId, name: accountId }))
  let damaged: () => Promise<Partial<DamagedStream>[]> = async () => [{ stream: 'ledger-b' }]
  const operator = accountCommands({
    eventStore: { damaged: () => damaged() },
    accounts: { list: async () => ({ accounts: found, total: 2 }) },
    usage: { balance: async () => 3n },
  } as unknown as Ports)
  const balances = async () =>
    (await operator.list({ page: 1, pageSize: 10 })).accounts.map(({ balance }) => balance)
  expect(await balances()).toEqual([3n, null])
  damaged = async () => {
    throw new EngineUnavailable('event log', 'away')
  }
  expect(await balances()).toEqual([3n, 3n])
})
