import type { EventStore, SentEvent } from '@medialog/application/ports'
import { publishedEvent } from '@medialog/application/feed/published-event'
import { ACCOUNT_SOURCE } from '@medialog/contract/events/cloud-event'
import { TYPE_PREFIX } from '@medialog/contract/events/published'
import type { Webhook } from '@medialog/domain'
import { webhookId, type RecordedEvent } from '@medialog/kernel'

export const TEST_EVENT = 'WebhookTested'

/**
 * What is sent of an event, read from the log at every attempt: a CloudEvent in structured mode, as JSON. Null once it was
 * erased, or its item was deleted and is about to be.
 * @throws UnreadableEvent, EngineUnavailable
 */
export async function bodyOf(
  log: Pick<EventStore, 'eventAt' | 'read'>,
  { position, eventId }: SentEvent,
): Promise<string | null> {
  const recorded = await log.eventAt(position)
  if (!recorded || recorded.id !== eventId) return null
  if (recorded.type === TEST_EVENT) return JSON.stringify(testOf(recorded))
  if (await isOfDeleted(log, recorded)) return null
  const published = publishedEvent(recorded)
  if (!published) return null
  const { specversion, ...attributes } = published.attributes
  return JSON.stringify({
    specversion,
    source: ACCOUNT_SOURCE,
    ...attributes,
    datacontenttype: 'application/json',
    data: published.data,
  })
}

async function isOfDeleted(log: Pick<EventStore, 'read'>, recorded: RecordedEvent): Promise<boolean> {
  if (!recorded.stream.startsWith('media-') || recorded.type === 'MediaDeleted') return false
  for await (const last of log.read(recorded.stream, { direction: 'backwards', limit: 1 }))
    return last.type === 'MediaDeleted'
  return true
}

const testOf = ({ id, data, metadata }: RecordedEvent) => ({
  specversion: '1.0',
  source: ACCOUNT_SOURCE,
  id,
  type: `${TYPE_PREFIX}${TEST_EVENT}`,
  time: metadata.timestamp,
  datacontenttype: 'application/json',
  data: { webhookId: webhookId.format((data as { webhookId: Webhook['webhookId'] }).webhookId) },
})
