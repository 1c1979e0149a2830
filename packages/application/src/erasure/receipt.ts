import { decodeRecorded } from '@medialog/contract'
import { RECEIPT_HEADER } from '@medialog/contract/receipt'
import type { ErasedIngest, ErasedStore, ErasureEvent, ErasureSubject } from '@medialog/domain'
import {
  erasureId as erasureIds,
  isoTime,
  typedMediaId,
  type RecordedEvent,
  type StreamName,
  type Revision,
  type Uuid,
} from '@medialog/kernel'
import { unlessAway } from '../core/unless-away.ts'
import { streamName } from '../event-sourcing/streams.ts'
import type { LogTree } from '../log-tree/log-tree.ts'
import type { EventStore } from '../ports/index.ts'

/** What is signed. Times are ISO 8601; names as they are in the signed text. */
export interface ErasureReceipt {
  erasure_id: string
  account_id: Uuid
  /** What was asked to be erased; `collection` names it. */
  subject: { kind: ErasureSubject['kind']; collection?: string }
  requested_at: string
  erased_at: string
  /** How many, and the hex SHA-256 over their ids, sorted, a line each. */
  ingests: number
  digest: string
  items: { media_id: string; ingest_id: Uuid; sha256: string; artifacts: { [name: string]: string } }[]
  stores: ErasedStore[]
  /** The event that says that it is done, by which its place in the log can be proven. */
  event: { stream: StreamName; revision: Revision; hash: string }
}

/** An erasure as it stands: pending until nothing is left in any store. */
export interface ErasureView {
  erasureId: Uuid
  accountId: Uuid
  status: 'pending' | 'erased'
  requestedAt: number
  /** Named so far; of a collection they are named as the eraser comes to them. */
  ingests: number
  receipt: ErasureReceipt | null
  /** The signed note that holds the receipt, and the public key that proves it; null where this process cannot sign. */
  note: string | null
  key: string | null
}

/**
 * The erasure as the log has it, its receipt signed. The same receipt each time: Ed25519 signs a text in one way.
 * Null where there is no such erasure.
 */
export async function readErasure(
  { eventStore, logTree }: { eventStore: Pick<EventStore, 'read'>; logTree: Pick<LogTree, 'sign'> },
  erasureId: Uuid,
): Promise<ErasureView | null> {
  let requested: Extract<ErasureEvent, { type: 'ErasureRequested' }> | null = null
  const ingests = new Map<Uuid, ErasedIngest>()
  let completed: { event: Extract<ErasureEvent, { type: 'ErasureCompleted' }>; at: RecordedEvent } | null =
    null
  for await (const recorded of eventStore.read(streamName('erasure', erasureId))) {
    const event = decodeRecorded(recorded) as ErasureEvent
    if (event.type === 'ErasureCompleted') completed = { event, at: recorded }
    else {
      if (event.type === 'ErasureRequested') requested = event
      for (const ingest of event.ingests) ingests.set(ingest.ingestId, ingest)
    }
  }
  if (!requested) return null
  const view = {
    erasureId,
    accountId: requested.accountId,
    requestedAt: requested.at,
    ingests: ingests.size,
  }
  if (!completed) return { ...view, status: 'pending', receipt: null, note: null, key: null }
  const { subject } = requested
  const { stream, revision, hash } = completed.at
  const receipt: ErasureReceipt = {
    erasure_id: erasureIds.format(erasureId),
    account_id: requested.accountId,
    subject: { kind: subject.kind, ...(subject.kind === 'collection' && { collection: subject.collection }) },
    requested_at: isoTime(requested.at),
    erased_at: isoTime(completed.event.at),
    ingests: completed.event.ingests,
    digest: completed.event.digest,
    items: [...ingests.values()].map(itemOf),
    stores: completed.event.stores,
    event: { stream, revision, hash },
  }
  const signed = await unlessAway(
    logTree.sign((origin) => `${RECEIPT_HEADER}\n${origin}\n${JSON.stringify(receipt)}\n`),
  )
  return { ...view, status: 'erased', receipt, note: signed?.note ?? null, key: signed?.key ?? null }
}

const itemOf = ({ mediaId, ingestId, mediaType, sha256, artifacts }: ErasedIngest) => ({
  media_id: typedMediaId(mediaType, mediaId),
  ingest_id: ingestId,
  sha256,
  artifacts,
})
