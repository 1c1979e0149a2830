import { WEBHOOK_DISABLED_REASONS } from '@medialog/domain'
import { z } from 'zod'
import { count, instant, uuid } from './common.ts'

const target = { url: z.string(), types: z.array(z.string()) }

export const webhooksEvents = {
  WebhookAdded: z.object({ accountId: uuid, webhookId: uuid, secretId: uuid, ...target, at: instant }),
  WebhookChanged: z.object({ webhookId: uuid, ...target, at: instant }),
  WebhookPaused: z.object({ webhookId: uuid, at: instant }),
  WebhookResumed: z.object({ webhookId: uuid, at: instant }),
  WebhookDisabled: z.object({ webhookId: uuid, reason: z.enum(WEBHOOK_DISABLED_REASONS), at: instant }),
  WebhookSecretRotated: z.object({ webhookId: uuid, secretId: uuid, oldValidUntil: instant, at: instant }),
  WebhookRewound: z.object({ webhookId: uuid, after: count, at: instant }),
  WebhookTested: z.object({ webhookId: uuid, at: instant }),
  DeliveryResent: z.object({ webhookId: uuid, eventId: uuid, at: instant }),
  WebhookRemoved: z.object({ webhookId: uuid, at: instant }),
  WebhooksErased: z.object({ accountId: uuid, at: instant }),
}
