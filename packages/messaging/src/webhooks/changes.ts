import type { WebhookChange } from '@medialog/application/ports'
import { decodeRecorded } from '@medialog/contract'
import type { WebhooksEvent } from '@medialog/domain'
import type { RecordedEvent, StreamName, Uuid } from '@medialog/kernel'

const STREAMS = 'webhooks-'

export const isOfWebhooks = ({ stream }: { stream: StreamName }): boolean => stream.startsWith(STREAMS)

/**
 * What the event changes of deliveries, if anything, and whose webhook it is about. Null where it is about none: they went
 * when their account was closed. @throws UnreadableEvent
 */
export function changeBy(recorded: RecordedEvent): { webhookId: Uuid; change: WebhookChange | null } | null {
  const event = decodeRecorded(recorded) as WebhooksEvent
  if (event.type === 'WebhooksErased') return null
  return { webhookId: event.webhookId, change: changeOf(event, recorded) }
}

function changeOf(
  event: Exclude<WebhooksEvent, { type: 'WebhooksErased' }>,
  { id, position, stream, type }: RecordedEvent,
): WebhookChange | null {
  const { webhookId, at } = event
  switch (event.type) {
    case 'WebhookAdded':
      return { type: 'Add', webhookId, accountId: event.accountId, cursor: position }
    case 'WebhookRewound':
      return { type: 'Rewind', webhookId, cursor: event.after }
    case 'WebhookTested':
      return { type: 'Deliver', webhookId, event: { eventId: id, position, stream, eventType: type }, at }
    case 'DeliveryResent':
      return { type: 'Resend', webhookId, eventId: event.eventId, at }
    // What waited for the receiver to be mended is worth a try now.
    case 'WebhookResumed':
    case 'WebhookChanged':
      return { type: 'Resume', webhookId, at }
    case 'WebhookRemoved':
      return { type: 'Remove', webhookId }
    case 'WebhookPaused':
    case 'WebhookDisabled':
    case 'WebhookSecretRotated':
      return null
  }
}
