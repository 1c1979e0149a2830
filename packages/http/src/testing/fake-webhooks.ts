import { DeliveryNotFound, type Delivery, type Application } from '@medialog/application'
import { WebhookNotFound, type Webhook } from '@medialog/domain'
import type { LogPosition } from '@medialog/kernel'
import { NOW } from './fixtures.ts'

export const WEBHOOK_ID = '0190d3c2-6f0e-7b1a-9c1d-2f6f5f0a7b99'
const EVENT_ID = '0190d3c2-6f0e-7b1a-9c1d-2f6f5f0a7b98'
const SECRET = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD'
const position = 30

const webhook: Webhook = {
  webhookId: WEBHOOK_ID,
  url: 'https://receiver.example/hook',
  types: ['MediaIngested'],
  state: 'active',
  reason: null,
  secrets: [],
  addedAt: NOW,
  changedAt: NOW,
}
const delivery: Delivery = {
  eventId: EVENT_ID,
  position: 17,
  stream: 'media-1',
  eventType: 'MediaIngested',
  state: 'pending',
  since: NOW,
  tries: 1,
  dueAt: NOW + 5_000,
  changedAt: NOW,
  attempts: [{ at: NOW, tookMs: 12, status: 500, error: '500 was answered' }],
}

/** One webhook with one delivery; `rewinds` records the positions that it was rewound to. */
export function fakeWebhooks(rewinds: LogPosition[]): Application['webhooks'] {
  const known = async (id: string): Promise<Webhook> => {
    if (id !== `wh_${WEBHOOK_ID}`) throw new WebhookNotFound()
    return webhook
  }
  return {
    add: async (_context, target) => ({ webhook: { ...webhook, ...target }, secret: SECRET, position }),
    list: async () => [webhook],
    read: async (_context, id) => ({
      webhook: await known(id),
      progress: { webhookId: WEBHOOK_ID, accountId: 'a', cursor: 17, arrivedAt: null },
      pending: 1,
      dead: 0,
    }),
    change: async (_context, { id, paused, ...target }) => ({
      webhook: { ...(await known(id)), ...target, state: paused ? 'paused' : 'active' },
      position,
    }),
    async remove(_context, id) {
      await known(id)
      return { position }
    },
    async rotateSecret(_context, id) {
      await known(id)
      return { secret: SECRET, oldValidUntil: NOW + 86_400_000, position }
    },
    async rewind(_context, { id, after }) {
      rewinds.push(after)
      return { webhook: await known(id), position }
    },
    async test(_context, id) {
      await known(id)
      return { eventId: EVENT_ID, position }
    },
    async deliveries(_context, { id, state }) {
      await known(id)
      const deliveries = state === undefined || state === delivery.state ? [delivery] : []
      return { deliveries, total: deliveries.length }
    },
    async resend(_context, { id, deliveryId }) {
      await known(id)
      if (deliveryId !== EVENT_ID) throw new DeliveryNotFound(deliveryId)
      return { eventId: EVENT_ID, position }
    },
  }
}
