import type { PublishingStatus } from '@medialog/application'
import type { Registry } from 'prom-client'
import { statusMetrics } from './status-metrics.ts'

/** What is measured of publishing; nothing where events are not published. */
export function registerPublishingMetrics(
  registers: Registry[],
  publishing: () => Promise<PublishingStatus | null>,
): void {
  const { counter, gauge } = statusMetrics(registers, publishing)
  counter('medialog_published_events_total', 'Events published to the broker.', ({ events }) => events)
  counter(
    'medialog_publishing_transactions_total',
    'Transactions in which events were published.',
    ({ transactions }) => transactions,
  )
  counter(
    'medialog_publishing_failures_total',
    'Times that publishing failed and was tried again.',
    ({ failures }) => failures,
  )
  gauge(
    'medialog_publishing_behind_events',
    'Events of the log behind what is published; counting stops at 1000, which means: at least so many.',
    ({ behind }) => behind,
  )
  gauge(
    'medialog_publishing_failing',
    'Whether publishing waits for the broker or has stopped (1).',
    ({ trouble }) => Number(trouble !== null),
  )
}
