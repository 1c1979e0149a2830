import type { PublishedMessage } from '@medialog/application/ports'
import { currentVersion, decodeRecorded, isKnownEvent } from '@medialog/contract'
import { publicationOf, publishedPayload } from '@medialog/contract/events/published'
import type { Category } from '@medialog/domain'
import type { RecordedEvent } from '@medialog/kernel'

const CATEGORIES: Record<Category, true> = {
  account: true,
  ledger: true,
  media: true,
  library: true,
  batch: true,
  request: true,
  checkpoints: true,
  erasure: true,
}

/** Of every event type. */
const TYPE_PREFIX = 'medialog.'

/**
 * The event as a CloudEvent 1.0 in Kafka's binary content mode: its attributes are headers, its payload the value. Null
 * for what stays inside, and for streams that are not of this service.
 * @throws UnreadableEvent where this release cannot know what the event means: to pass it over would lose it for good
 */
export function toCloudEvent(recorded: RecordedEvent, source: string): PublishedMessage | null {
  const { id, stream, revision, position, metadata } = recorded
  if (!Object.hasOwn(CATEGORIES, stream.slice(0, stream.indexOf('-')))) return null
  if (isKnownEvent(recorded.type) && publicationOf(recorded.type) === 'internal') return null
  const event = decodeRecorded(recorded)
  const publication = publicationOf(event.type)
  if (publication === 'internal') return null
  const { timestamp, accountId, actor, requestId, causationId, traceparent } = metadata
  return {
    topic: publication.topic,
    key: stream,
    headers: {
      ce_specversion: '1.0',
      ce_id: id,
      ce_source: source,
      ce_type: TYPE_PREFIX + event.type,
      ce_subject: stream,
      ce_time: timestamp,
      ce_dataversion: String(currentVersion(event.type)),
      ce_revision: String(revision),
      ce_position: String(position),
      ce_actor: actor,
      ...(accountId !== undefined && { ce_accountid: accountId }),
      ...(requestId !== undefined && { ce_requestid: requestId }),
      ...(causationId !== undefined && { ce_causationid: causationId }),
      ...(traceparent !== undefined && { ce_traceparent: traceparent }),
      'content-type': 'application/json',
    },
    value: JSON.stringify(publishedPayload(publication, event)),
  }
}
