import {
  canonicalJson,
  type ExpectedRevision,
  type Json,
  type NewEvent,
  type Revision,
} from '@medialog/kernel'

/** An event in texts: a copy of the caller's, and JSON for sure. */
export interface EncodedEvent {
  id: string
  type: string
  version: number
  /** Canonical JSON. */
  metadata: string
  /** Canonical JSON. */
  data: string
}

/** @throws TypeError for what JSON cannot hold */
export const encodeEvent = ({ id, type, version, metadata, data }: NewEvent): EncodedEvent => ({
  id,
  type,
  version,
  // Flat text members: JSON by construction, though an interface has no index signature.
  metadata: canonicalJson(metadata as unknown as Json),
  data: canonicalJson(data),
})

/** -1 for a stream that is not there. */
export const revisionNumber = (expected: ExpectedRevision): Revision =>
  expected === 'no-stream' ? -1 : expected
