import { jsonEvent, type EventData } from '@eventstore/db-client'
import type { EventMetadata, JsonObject, Revision, StreamName } from '@medialog/kernel'
import { headerJson, link, newSalt, type ChainedEvent } from '../chain.ts'
import type { EncodedEvent } from '../encoded-event.ts'
import { positionOf, type ServerEvent } from './pages.ts'

/** What an event's metadata has beside the caller's: its version and its place in the chain. */
interface StoredMetadata {
  metadata: EventMetadata
  version: number
  salt: string
  digest: string
  prev: string
  hash: string
}

/** The events as they are sent, linked to the event at revision `expected` (-1: none), whose hash is `prev`. */
export function chained(
  stream: StreamName,
  expected: Revision,
  prev: string,
  events: readonly EncodedEvent[],
): EventData[] {
  let before = prev
  return events.map((event, index) => {
    const salt = newSalt()
    const header = headerJson({ ...event, stream, revision: expected + 1 + index })
    const { digest, hash } = link(before, header, salt, event.data)
    const stored = {
      metadata: JSON.parse(event.metadata) as EventMetadata,
      version: event.version,
      salt,
      digest,
      prev: before,
      hash,
    } satisfies StoredMetadata
    before = hash
    return jsonEvent({
      id: event.id,
      type: event.type,
      data: JSON.parse(event.data) as JsonObject,
      metadata: stored,
    })
  })
}

/** The event as it was appended; null for one that the service did not write. */
export function decodeEvent(event: ServerEvent, stream: StreamName): ChainedEvent | null {
  const { id, type, data } = event
  const { metadata: stored } = event
  if (!isObject(data) || !isStored(stored)) return null
  return {
    id,
    type,
    version: stored.version,
    data,
    metadata: stored.metadata,
    stream,
    revision: Number(event.revision),
    position: positionOf(event),
    salt: stored.salt,
    digest: stored.digest,
    prev: stored.prev,
    hash: stored.hash,
  }
}

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Uint8Array)

function isStored(value: unknown): value is StoredMetadata & JsonObject {
  if (!isObject(value) || !isObject(value.metadata) || !Number.isInteger(value.version)) return false
  return [value.salt, value.digest, value.prev, value.hash].every((text) => typeof text === 'string')
}
