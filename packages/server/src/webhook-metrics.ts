import type { WebhooksStatus } from '@medialog/application'
import type { Registry } from 'prom-client'
import { statusMetrics } from './status-metrics.ts'

/** What is measured of webhooks, in the process that sends them. */
export function registerWebhookMetrics(
  registers: Registry[],
  webhooks: () => Promise<WebhooksStatus | null>,
): void {
  const { counter, gauge } = statusMetrics(registers, webhooks)
  counter(
    'medialog_webhook_delivered_total',
    'Events that arrived at webhooks.',
    ({ delivered }) => delivered,
  )
  counter(
    'medialog_webhook_failed_total',
    'Requests to webhooks that failed; most are tried again.',
    ({ failed }) => failed,
  )
  counter('medialog_webhook_dead_total', 'Deliveries to webhooks that were given up.', ({ dead }) => dead)
  gauge('medialog_webhook_pending', 'Deliveries that wait.', ({ pending }) => pending)
  gauge(
    'medialog_webhook_behind_positions',
    'Positions of the log behind which the webhook is that has got least far; receivers that are away count.',
    ({ behind }) => behind,
  )
  gauge(
    'medialog_webhook_failing',
    'Whether something is not sent for a reason of the service’s own (1).',
    ({ trouble }) => Number(trouble !== null),
  )
}
