import type { PublishingStatus } from '@medialog/application'
import { Counter, Gauge, type Registry } from 'prom-client'

/** What is measured of publishing; nothing where events are not published. */
export function registerPublishingMetrics(
  registers: Registry[],
  publishing: () => Promise<PublishingStatus | null>,
): void {
  const counter = (name: string, help: string, count: (status: PublishingStatus) => number) =>
    new Counter({
      name,
      help,
      registers,
      async collect() {
        const status = await publishing()
        this.remove()
        if (status) this.inc(count(status))
      },
    })
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
  const gauge = (name: string, help: string, value: (status: PublishingStatus) => number | null) =>
    new Gauge({
      name,
      help,
      registers,
      async collect() {
        const status = await publishing()
        const measured = status && value(status)
        if (measured === null) this.remove()
        else this.set(measured)
      },
    })
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
