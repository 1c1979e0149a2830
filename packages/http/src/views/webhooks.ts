import type { Delivery, ShownWebhook } from '@medialog/application'
import type { Webhook } from '@medialog/domain'
import { isoTime, webhookId, type LogPosition } from '@medialog/kernel'

/** Positions as the account sees them. */
type Seal = (position: LogPosition) => string

export const webhookView = ({ webhookId: id, url, types, state, reason, addedAt, changedAt }: Webhook) => ({
  webhook_id: webhookId.format(id),
  url,
  types,
  status: state,
  disabled_reason: reason,
  created_at: isoTime(addedAt),
  changed_at: isoTime(changedAt),
})

export const progressView = ({ webhook, progress, pending, dead }: ShownWebhook, seal: Seal) => ({
  ...webhookView(webhook),
  position: progress && seal(progress.cursor),
  last_delivered_at: progress && timeOrNull(progress.arrivedAt),
  pending,
  dead,
})

export const deliveryView = (delivery: Delivery, seal: Seal) => ({
  delivery_id: delivery.eventId,
  type: delivery.eventType,
  subject: delivery.stream,
  position: seal(delivery.position),
  status: delivery.state,
  next_attempt_at: timeOrNull(delivery.state === 'pending' ? delivery.dueAt : null),
  changed_at: isoTime(delivery.changedAt),
  attempts: delivery.attempts.map(({ at, tookMs, status, error }) => ({
    at: isoTime(at),
    duration_ms: tookMs,
    status_code: status,
    error,
  })),
})

const timeOrNull = (at: number | null): string | null => (at === null ? null : isoTime(at))
