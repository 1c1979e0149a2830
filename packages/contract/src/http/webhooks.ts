import { DELIVERY_STATES, WEBHOOK_DISABLED_REASONS } from '@medialog/domain'
import { z } from 'zod'
import { PUBLISHED_TYPE, PUBLISHED_TYPES, TYPE_PREFIX } from '../events/published.ts'
import { count, defaulting, integerText, pageText, pagination, success, timestamp } from './common.ts'
import { route } from './route.ts'

const webhookId = z.string().meta({ example: 'wh_0190d3c2-6f0e-7b1a-9c1d-2f6f5f0a7b11' })
const params = z.strictObject({ webhook_id: webhookId })
const noQuery = z.strictObject({})
const url = z
  .url({ protocol: /^https?$/, error: 'must be an address that begins with https:' })
  .max(2_048)
  .meta({ description: 'Where to, over https.', example: 'https://example.com/medialog' })

/** Names of event types, with their prefix or without; made into names without. */
const types = z
  .array(
    z
      .string()
      .regex(new RegExp(`^${PUBLISHED_TYPE}$`), {
        error: `must be a published event type: ${PUBLISHED_TYPES.join(', ')}`,
      })
      .transform((text) => text.replace(TYPE_PREFIX, '')),
  )
  .max(PUBLISHED_TYPES.length)
  .meta({ description: 'Only events of these types; none: all.', example: ['MediaIngested', 'MediaDeleted'] })
const secret = z.string().meta({
  description: 'What its receiver verifies signatures with. Shown this once.',
  example: 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD',
})
const position = z.string().describe('A position, as X-Position is one.')

const described = {
  webhook_id: webhookId,
  url: z.string(),
  types: z.array(z.string()).describe('None: all.'),
  status: z.enum(['active', 'paused', 'disabled']),
  disabled_reason: z
    .enum(WEBHOOK_DISABLED_REASONS)
    .nullable()
    .describe('`gone`: it answered 410. `failing`: nothing arrived there for days.'),
  created_at: timestamp,
  changed_at: timestamp,
}
export const Webhook = z.strictObject(described).meta({ id: 'Webhook' })

const WebhookWithProgress = z
  .strictObject({
    ...described,
    position: position
      .nullable()
      .describe('Events up to there were handed to it. Null: it was added just now.'),
    last_delivered_at: timestamp.nullable(),
    pending: count.describe('Deliveries that wait.'),
    dead: count.describe('Deliveries that were given up.'),
  })
  .meta({ id: 'WebhookWithProgress' })

export const Delivery = z
  .strictObject({
    delivery_id: z.string().describe('The id of the event, and of the message: `webhook-id`.'),
    type: z.string().meta({ example: 'MediaIngested' }),
    subject: z.string().describe('The stream.'),
    position: position.describe('Where it stands: to replay what came after it.'),
    status: z
      .enum(DELIVERY_STATES)
      .describe('`dead`: given up. `erased`: it was taken out of the log before it arrived.'),
    next_attempt_at: timestamp.nullable().describe('Null: there is none.'),
    changed_at: timestamp,
    attempts: z
      .array(
        z.strictObject({
          at: timestamp,
          duration_ms: count,
          status_code: z.int().nullable().describe('Null: nothing was answered.'),
          error: z.string().nullable(),
        }),
      )
      .describe('The last ten, newest first.'),
  })
  .meta({ id: 'Delivery' })

const answerOf = <D extends z.ZodType>(data: D) => z.strictObject({ ...success, data, timestamp })
const webhooks = { tag: 'Webhooks', query: noQuery } as const
const one = { ...webhooks, params, errors: ['RESOURCE_NOT_FOUND'] } as const

/** Events sent to whom an account names, see docs/webhooks.md. */
export const webhookRoutes = {
  addWebhook: route({
    ...webhooks,
    operationId: 'addWebhook',
    method: 'post',
    path: '/v1/webhooks',
    access: 'write',
    summary: 'Have events sent to an address',
    description:
      'From now on. Needs the capability `read` as well. Messages are signed by the specification of Standard Webhooks.',
    body: z.strictObject({ url, types: types.optional() }),
    answer: answerOf(z.strictObject({ webhook: Webhook, secret })),
    errors: ['WEBHOOK_LIMIT_REACHED'],
  }),
  listWebhooks: route({
    ...webhooks,
    operationId: 'listWebhooks',
    method: 'get',
    path: '/v1/webhooks',
    access: 'read',
    summary: 'List webhooks',
    answer: answerOf(z.strictObject({ webhooks: z.array(Webhook) })),
  }),
  readWebhook: route({
    ...one,
    operationId: 'readWebhook',
    method: 'get',
    path: '/v1/webhooks/{webhook_id}',
    access: 'read',
    summary: 'Read a webhook, and how far it is',
    answer: answerOf(WebhookWithProgress),
  }),
  changeWebhook: route({
    ...one,
    operationId: 'changeWebhook',
    method: 'patch',
    path: '/v1/webhooks/{webhook_id}',
    access: 'write',
    summary: 'Change, pause or resume a webhook',
    description:
      'What is not named stays. What happens while it is paused is sent once it is resumed: `"paused": false`, as for one that was disabled. Needs the capability `read` as well.',
    body: z.strictObject({
      url: url.optional(),
      types: types.optional(),
      paused: z.boolean().optional(),
    }),
    answer: answerOf(Webhook),
  }),
  removeWebhook: route({
    ...one,
    operationId: 'removeWebhook',
    method: 'delete',
    path: '/v1/webhooks/{webhook_id}',
    access: 'delete',
    summary: 'Remove a webhook with its deliveries',
    answer: answerOf(z.strictObject({ webhook_id: webhookId })),
  }),
  rotateWebhookSecret: route({
    ...one,
    operationId: 'rotateWebhookSecret',
    method: 'post',
    path: '/v1/webhooks/{webhook_id}/secret',
    access: 'write',
    summary: 'Make a new secret',
    description:
      'For a day messages are signed with the former one as well. Needs the capability `read` as well.',
    answer: answerOf(z.strictObject({ webhook_id: webhookId, secret, former_valid_until: timestamp })),
  }),
  replayWebhook: route({
    ...one,
    operationId: 'replayWebhook',
    method: 'post',
    path: '/v1/webhooks/{webhook_id}/replay',
    access: 'write',
    summary: 'Send again all that came after a position',
    description: 'With the same ids as before. What was erased since is not sent.',
    body: z.strictObject({
      after: z.string().min(1).max(200).meta({
        description:
          'The position of a delivery, or the X-Position of any answer; `beginning` for all that the log holds.',
        example: 'beginning',
      }),
    }),
    answer: answerOf(Webhook),
  }),
  testWebhook: route({
    ...one,
    operationId: 'testWebhook',
    method: 'post',
    path: '/v1/webhooks/{webhook_id}/test',
    access: 'write',
    summary: 'Send an event that says nothing',
    description: 'Of the type `medialog.WebhookTested`. Its delivery tells how it went.',
    answer: answerOf(z.strictObject({ webhook_id: webhookId, delivery_id: z.string() })),
    errors: ['RESOURCE_NOT_FOUND', 'WEBHOOK_NOT_ACTIVE'],
  }),
  listDeliveries: route({
    ...one,
    operationId: 'listDeliveries',
    method: 'get',
    path: '/v1/webhooks/{webhook_id}/deliveries',
    access: 'read',
    summary: 'List deliveries, those that changed last first',
    query: z.strictObject({
      status: z.enum(DELIVERY_STATES).optional(),
      page: defaulting(pageText, 1),
      page_size: defaulting(integerText(1, 100), 20),
    }),
    answer: answerOf(z.strictObject({ deliveries: z.array(Delivery), pagination })),
  }),
  resendDelivery: route({
    ...one,
    operationId: 'resendDelivery',
    method: 'post',
    path: '/v1/webhooks/{webhook_id}/deliveries/{delivery_id}/resend',
    access: 'write',
    summary: 'Send an event again',
    params: z.strictObject({
      webhook_id: webhookId,
      delivery_id: z.string().meta({ example: '0190d3c2-6f0e-7b1a-9c1d-2f6f5f0a7b11' }),
    }),
    answer: answerOf(z.strictObject({ webhook_id: webhookId, delivery_id: z.string() })),
    errors: ['RESOURCE_NOT_FOUND', 'WEBHOOK_NOT_ACTIVE'],
  }),
}
