import { currentVersion, decodeRecorded, isKnownType, isMisplaced } from '@medialog/contract'
import type { CloudEventAttributes } from '@medialog/contract/events/cloud-event'
import { publicationOf, publishedPayload, TYPE_PREFIX, type Topic } from '@medialog/contract/events/published'
import type { Category } from '@medialog/domain'
import type { JsonObject, RecordedEvent } from '@medialog/kernel'
import { categoryIn } from '../event-sourcing/streams.ts'

const CATEGORIES: Record<Category, true> = {
  account: true,
  ledger: true,
  media: true,
  library: true,
  batch: true,
  files: true,
  request: true,
  checkpoints: true,
  erasure: true,
  webhooks: true,
}

/** An event as it is published over every channel: a CloudEvent without its source. */
export interface PublishedEvent {
  topic: Topic
  attributes: CloudEventAttributes
  data: JsonObject
}

/**
 * The event as it is published. Null for what stays inside, and for streams that are not of this service.
 * @throws UnreadableEvent where this release cannot know what the event means: to pass it over would lose it for good
 */
export function publishedEvent(recorded: RecordedEvent): PublishedEvent | null {
  const { id, stream, revision, metadata } = recorded
  if (!Object.hasOwn(CATEGORIES, categoryIn(stream))) return null
  if (isInternal(recorded) || isMisplaced(recorded)) return null
  const event = decodeRecorded(recorded)
  const publication = publicationOf(event.type)
  if (publication === 'internal') return null
  const { timestamp, accountId, actor, requestId, causationId, traceparent } = metadata
  return {
    topic: publication.topic,
    attributes: {
      specversion: '1.0',
      id,
      type: TYPE_PREFIX + event.type,
      subject: stream,
      time: timestamp,
      dataversion: String(currentVersion(event.type)),
      revision: String(revision),
      actor,
      ...(accountId !== undefined && { accountid: accountId }),
      ...(requestId !== undefined && { requestid: requestId }),
      ...(causationId !== undefined && { causationid: causationId }),
      ...(traceparent !== undefined && { traceparent }),
    },
    data: publishedPayload(publication, event),
  }
}

/** Whether it is known to stay inside; its payload is not looked at. */
export const isInternal = ({ type }: Pick<RecordedEvent, 'type'>): boolean =>
  isKnownType(type) && publicationOf(type) === 'internal'
