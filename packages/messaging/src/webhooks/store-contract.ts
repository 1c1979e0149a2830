import type { Delivery, SentEvent, WebhookStore } from '@medialog/application/ports'
import type { Uuid } from '@medialog/kernel'
import { describe, expect, test } from 'vitest'

export interface WebhookStoreUnderTest {
  store: WebhookStore
  /** Closes the store and opens it again, as after a restart. */
  reopen: () => Promise<WebhookStore>
  close: () => Promise<void>
}

const idOf = (kind: number, number: number): Uuid =>
  `0190d3c2-6f0e-7b1a-${9000 + kind}-${String(number).padStart(12, '0')}`
const account = idOf(0, 1)
const webhookId = idOf(1, 1)
const other = idOf(1, 2)
const eventOf = (number: number): SentEvent => ({
  eventId: idOf(2, number),
  position: number * 10,
  stream: `media-${number % 2}`,
  eventType: 'MediaIngested',
})
const pendingOf = (number: number, at: number): Delivery => ({
  ...eventOf(number),
  state: 'pending',
  since: at,
  tries: 0,
  dueAt: at,
  changedAt: at,
  attempts: [],
})
const add = { type: 'Add', webhookId, accountId: account, cursor: 5 } as const
const numbersOf = (deliveries: readonly Delivery[]): number[] =>
  deliveries.map(({ position }) => position / 10)

/** What every WebhookStore must do. `factory` is called once a test, for a place without webhooks. */
export function describeWebhookStoreContract(
  name: string,
  factory: () => Promise<WebhookStoreUnderTest>,
): void {
  const testOn = (title: string, run: (under: WebhookStoreUnderTest) => Promise<void>) =>
    // oxlint-disable-next-line vitest/valid-title -- the caller's title
    test(title, async () => {
      const under = await factory()
      try {
        await run(under)
      } finally {
        await under.close()
      }
    })

  describe(`webhooks and their deliveries: ${name}`, () => {
    testOn('begin with nothing', async ({ store }) => {
      expect(await store.position()).toBe(0)
      expect(await store.webhooks()).toEqual([])
      expect(await store.webhook(webhookId)).toBeNull()
      expect(await store.delivery(webhookId, eventOf(1).eventId)).toBeNull()
      expect(await store.counts()).toEqual({ pending: 0, dead: 0 })
    })

    testOn('are kept as they were, also over a restart', async ({ store, reopen }) => {
      await store.apply([add, { ...add, webhookId: other }], 7)
      await store.enqueue(webhookId, [eventOf(1), eventOf(2)], { cursor: 25, at: 100 })
      const again = await reopen()
      expect(await again.position()).toBe(7)
      expect(await again.webhook(webhookId)).toEqual({
        webhookId,
        accountId: account,
        cursor: 25,
        arrivedAt: null,
      })
      expect((await again.webhooks()).map((found) => found.webhookId).toSorted()).toEqual([webhookId, other])
      expect(await again.pending(webhookId)).toEqual([pendingOf(1, 100), pendingOf(2, 100)])
      expect(await again.pending(other)).toEqual([])
    })

    testOn('a webhook that is there already stays where it is', async ({ store }) => {
      await store.apply([add], 7)
      await store.enqueue(webhookId, [], { cursor: 25, at: 100 })
      await store.apply([add], 7)
      expect(await store.webhook(webhookId)).toMatchObject({ cursor: 25 })
    })

    testOn('deliveries end, and are shown by state, those that changed last first', async ({ store }) => {
      await store.apply([add], 7)
      await store.enqueue(webhookId, [1, 2, 3].map(eventOf), { cursor: 30, at: 100 })
      const attempts = [{ at: 150, tookMs: 5, status: 200, error: null }]
      const delivered: Delivery = {
        ...pendingOf(2, 100),
        state: 'delivered',
        tries: 1,
        changedAt: 155,
        attempts,
      }
      await store.record(webhookId, delivered)
      await store.record(webhookId, { ...pendingOf(1, 100), state: 'dead', changedAt: 140 })
      expect(await store.delivery(webhookId, delivered.eventId)).toEqual(delivered)
      expect(await store.webhook(webhookId)).toMatchObject({ arrivedAt: 155 })
      expect(await store.counts()).toEqual({ pending: 1, dead: 1 })
      expect(numbersOf(await store.pending(webhookId))).toEqual([3])
      const page = async (query: Parameters<WebhookStore['deliveries']>[1]) => {
        const { deliveries, total } = await store.deliveries(webhookId, query)
        return [numbersOf(deliveries), total]
      }
      expect(await page({ offset: 0, limit: 10 })).toEqual([[2, 1, 3], 3])
      expect(await page({ offset: 1, limit: 1 })).toEqual([[1], 3])
      expect(await page({ offset: 0, limit: 0 })).toEqual([[], 3])
      expect(await page({ state: 'dead', offset: 0, limit: 10 })).toEqual([[1], 1])
    })

    testOn('what ended is pending again when it comes again or is asked for', async ({ store }) => {
      await store.apply([add], 7)
      await store.enqueue(webhookId, [1, 2, 3].map(eventOf), { cursor: 30, at: 100 })
      const attempts = [{ at: 150, tookMs: 5, status: null, error: 'away' }]
      for (const number of [1, 2])
        await store.record(webhookId, {
          ...pendingOf(number, 100),
          state: 'dead',
          tries: 4,
          changedAt: 150,
          attempts,
        })
      await store.record(webhookId, { ...pendingOf(3, 100), tries: 2, dueAt: 900 })
      await store.enqueue(webhookId, [eventOf(1), eventOf(3)], { cursor: 30, at: 200 })
      await store.apply([{ type: 'Resend', webhookId, eventId: eventOf(2).eventId, at: 300 }], 8)
      expect(await store.pending(webhookId)).toEqual([
        { ...pendingOf(1, 200), attempts },
        { ...pendingOf(2, 300), attempts },
        { ...pendingOf(3, 100), tries: 2, dueAt: 900 },
      ])
      await store.apply([{ type: 'Resume', webhookId, at: 400 }], 9)
      expect(
        (await store.pending(webhookId)).map(({ since, tries, dueAt }) => [since, tries, dueAt]),
      ).toEqual([
        [400, 0, 400],
        [400, 0, 400],
        [400, 0, 400],
      ])
    })

    testOn('going back forgets what waits behind there, but no test', async ({ store }) => {
      await store.apply([add], 7)
      await store.enqueue(webhookId, [1, 2, 3].map(eventOf), { cursor: 30, at: 100 })
      await store.record(webhookId, { ...pendingOf(3, 100), state: 'delivered', changedAt: 150 })
      const tested = { ...eventOf(4), eventType: 'WebhookTested' }
      await store.apply([{ type: 'Deliver', webhookId, event: tested, at: 100 }], 8)
      await store.apply([{ type: 'Rewind', webhookId, cursor: 10 }], 9)
      expect(await store.webhook(webhookId)).toMatchObject({ cursor: 10 })
      expect(numbersOf(await store.pending(webhookId))).toEqual([1, 4])
      expect(await store.delivery(webhookId, eventOf(3).eventId)).toMatchObject({ state: 'delivered' })
    })

    testOn('a webhook goes with all that is its own, and nothing comes back', async ({ store }) => {
      await store.apply([add, { ...add, webhookId: other }], 7)
      await store.enqueue(webhookId, [eventOf(1)], { cursor: 30, at: 100 })
      await store.enqueue(other, [eventOf(1)], { cursor: 30, at: 100 })
      await store.apply([{ type: 'Remove', webhookId }], 8)
      await store.enqueue(webhookId, [eventOf(2)], { cursor: 40, at: 200 })
      await store.record(webhookId, { ...pendingOf(1, 100), state: 'delivered' })
      expect(await store.webhook(webhookId)).toBeNull()
      expect(await store.deliveries(webhookId, { offset: 0, limit: 10 })).toEqual({
        deliveries: [],
        total: 0,
      })
      expect(numbersOf(await store.pending(other))).toEqual([1])
    })

    testOn('what ended long ago is forgotten', async ({ store }) => {
      await store.apply([add], 7)
      await store.enqueue(webhookId, [1, 2, 3].map(eventOf), { cursor: 30, at: 100 })
      await store.record(webhookId, { ...pendingOf(1, 100), state: 'delivered', changedAt: 150 })
      await store.record(webhookId, { ...pendingOf(2, 100), state: 'dead', changedAt: 250 })
      const left = async () =>
        numbersOf((await store.deliveries(webhookId, { offset: 0, limit: 10 })).deliveries)
      await store.sweep(['dead', 'delivered'], 200)
      expect(await left()).toEqual([2, 3])
      await store.sweep(['delivered', 'erased'], 900)
      expect(await left()).toEqual([2, 3])
      await store.sweep(['dead'], 900)
      expect(await left()).toEqual([3])
    })
  })
}
