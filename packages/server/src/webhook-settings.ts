import type { TargetSettings } from '@medialog/messaging/webhooks/targets'
import { blockList } from '@medialog/messaging/webhooks/targets'
import type { RetrySettings } from '@medialog/messaging/webhooks/retries'
import { explain } from '@medialog/kernel'
import { z } from 'zod'
import { integer, parsed, switched } from './config-values.ts'

/** What may be sent where, and how long it is tried. */
export interface WebhookSettings {
  /** What secrets of webhooks are made of; null: made at first start and kept in the data folder. A secret. */
  key: string | null
  targets: TargetSettings
  retries: RetrySettings
}

const networks = z
  .string()
  .default('')
  .transform((value, context) => {
    const named = value.split(',').flatMap((network) => network.trim() || [])
    try {
      blockList(named)
    } catch (error) {
      context.addIssue({ code: 'custom', message: `must read like 10.0.0.0/8,fd00::/8: ${explain(error)}` })
    }
    return named
  })

const Settings = z.object({
  MEDIALOG_WEBHOOK_KEY: z.string().min(32, 'must have at least 32 characters').optional(),
  MEDIALOG_WEBHOOK_HTTP: switched,
  MEDIALOG_WEBHOOK_NETWORKS: networks,
  MEDIALOG_WEBHOOK_RETRY_SECONDS: integer(1, 3_600).default(5),
  MEDIALOG_WEBHOOK_GIVE_UP_HOURS: integer(1, 720).default(72),
})

export const WEBHOOK_VARIABLES = Object.keys(Settings.shape)

/** @throws InvalidConfiguration */
export function readWebhookSettings(environment: Record<string, string | undefined>): WebhookSettings {
  const settings = parsed(Settings, environment)
  return {
    key: settings.MEDIALOG_WEBHOOK_KEY ?? null,
    targets: {
      plainHttp: settings.MEDIALOG_WEBHOOK_HTTP,
      networks: settings.MEDIALOG_WEBHOOK_NETWORKS,
    },
    retries: {
      first: settings.MEDIALOG_WEBHOOK_RETRY_SECONDS * 1000,
      giveUpAfter: settings.MEDIALOG_WEBHOOK_GIVE_UP_HOURS * 60 * 60 * 1000,
    },
  }
}
