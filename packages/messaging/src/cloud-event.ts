import type { PublishedMessage } from '@medialog/application/ports'
import { publishedEvent } from '@medialog/application/feed/published-event'
import type { RecordedEvent } from '@medialog/kernel'

/**
 * The event as a CloudEvent 1.0 in Kafka's binary content mode: its attributes are headers, its payload the value. Null
 * for what stays inside.
 * @throws UnreadableEvent
 */
export function toCloudEvent(recorded: RecordedEvent, source: string): PublishedMessage | null {
  const published = publishedEvent(recorded)
  if (!published) return null
  const attributes = { ...published.attributes, source, position: String(recorded.position) }
  return {
    topic: published.topic,
    key: recorded.stream,
    headers: {
      ...Object.fromEntries(Object.entries(attributes).map(([name, value]) => [`ce_${name}`, value])),
      'content-type': 'application/json',
    },
    value: JSON.stringify(published.data),
  }
}
