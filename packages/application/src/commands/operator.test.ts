import { systemClock, usd } from '@medialog/kernel'
import { MemoryEventStore } from '@medialog/projections/testing/memory-event-store'
import { expect, test } from 'vitest'
import { createBackground } from '../background.ts'
import type { OperatorContext } from '../context.ts'
import type { Dependencies } from '../dependencies.ts'
import { createStreams } from '../event-sourcing/streams.ts'
import { newId } from '../ids.ts'
import { operatorCommands } from './operator.ts'

const context = (): OperatorContext => ({ requestId: newId() })

function openOperator() {
  const eventStore = new MemoryEventStore()
  const streams = createStreams(eventStore, systemClock)
  return operatorCommands({
    eventStore,
    streams,
    clock: systemClock,
    background: createBackground(() => undefined),
    accounts: { account: async (accountId: string) => ({ accountId }) },
    usage: { credited: async () => null },
    projections: { reached: async () => true },
    settings: { readYourWritesMs: 0 },
  } as unknown as Dependencies)
}

test('no reference, and no Idempotency-Key, of the operator’s is taken for the credit of the opening', async () => {
  const operator = openOperator()
  const amount = usd('10')
  const { account } = await operator.openAccount(context(), { name: 'a', tier: 'standard', credit: amount })
  const { accountId } = account
  const credit = (given: { reference: string | null; idempotencyKey?: string }) =>
    operator.credit(context(), { accountId, amount, ...given })
  expect((await credit({ reference: null, idempotencyKey: 'opening' })).balance).toBe(usd('20'))
  // Of the operator's own, each once.
  expect((await credit({ reference: null, idempotencyKey: 'opening' })).replayed).toBe(true)
  expect((await credit({ reference: 'invoice', idempotencyKey: 'a' })).balance).toBe(usd('30'))
  expect((await credit({ reference: 'invoice', idempotencyKey: 'b' })).balance).toBe(usd('30'))
})
