import { systemClock, webhookId as webhookIds } from '@medialog/kernel'
import { MemoryEventStore } from '@medialog/projections/testing/memory-event-store'
import { expect, test } from 'vitest'
import type { RequestContext } from '../core/context.ts'
import { DeliveriesWaiting } from '../core/errors.ts'
import { newId } from '../core/ids.ts'
import type { Ports } from '../core/ports.ts'
import { createStreams } from '../event-sourcing/streams.ts'
import { webhooks as webhooksOf } from './index.ts'

const principal = { accountId: newId(), keyId: 'k3y00001', tier: 'standard', status: 'active' }
const context = { principal, requestId: newId() } as unknown as RequestContext

test('tests, and what is sent again, are not added without end to what waits', async () => {
  let pending = 1_999
  const eventStore = new MemoryEventStore()
  const eventId = newId()
  const store = {
    deliveries: async () => ({ deliveries: [], total: pending }),
    delivery: async () => ({ eventId }),
  }
  const webhooks = webhooksOf({
    eventStore,
    streams: createStreams(eventStore, systemClock),
    clock: systemClock,
    settings: { webhooks: { standard: 1 } },
    webhooks: { store, refusalOf: () => null, secretOf: () => 'whsec_' },
  } as unknown as Ports)
  const added = await webhooks.add(context, { url: 'https://receiver.example/', types: [] })
  const id = webhookIds.format(added.webhook.webhookId)
  await webhooks.test(context, id)
  await webhooks.resend(context, { id, deliveryId: eventId })
  const before = await eventStore.head()
  pending = 2_000
  for (const asked of [webhooks.test(context, id), webhooks.resend(context, { id, deliveryId: eventId })]) {
    const refused: unknown = await asked.catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(DeliveriesWaiting)
    expect(refused).toMatchObject({
      code: 'RATE_LIMIT_EXCEEDED',
      details: { pending: 2_000, most_pending: 2_000, retry_after_seconds: 60 },
    })
  }
  expect(await eventStore.head()).toBe(before)
})
