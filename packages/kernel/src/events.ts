/** `<category>-<id>`, e.g. `ledger-3f2a…`. One decider a category. */
export type StreamName = `${string}-${string}`

/** 0 for a stream's first event, then 1, 2, … without gaps. */
export type Revision = number

/** The revision that a stream must have for an append to succeed: never optional. */
export type ExpectedRevision = Revision | 'no-stream'

/** Place in the one global order of all streams: grows, may skip numbers. 0 is before the first event. */
export type LogPosition = number

export const BEGINNING: LogPosition = 0

export type Json = string | number | boolean | null | Json[] | { [key: string]: Json }
export type JsonObject = { [key: string]: Json }

export interface EventMetadata {
  /** ISO 8601 UTC with milliseconds: when the fact was decided. */
  timestamp: string
  accountId?: string
  /** Who caused it: an API key's id, `operator`, or `system` for recovery and background work. */
  actor: string
  requestId?: string
  /** The caller's own X-Request-Id: kept, never derived from. */
  correlationId?: string
  /** The id of the event that caused this one. */
  causationId?: string
  traceparent?: string
}

export interface NewEvent {
  /** A UUID, made once by the appending code and kept over every retry: appending the same ids again is no second append. */
  id: string
  type: string
  /** The version of the type's payload schema. */
  version: number
  data: JsonObject
  metadata: EventMetadata
}

export interface RecordedEvent extends NewEvent {
  stream: StreamName
  revision: Revision
  position: LogPosition
  /** Hash of the stream's event before this one (hex SHA-256); of the stream's name for the first. */
  prev: string
  /** SHA-256 over `prev`, this event's header and its salted payload digest: the chain that audit proves. */
  hash: string
}
