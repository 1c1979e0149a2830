import type { ChargeLine, DomainEvent } from '@medialog/domain'
import type { MediaType, Money, RecordedEvent, Uuid } from '@medialog/kernel'
import { idIn } from '../event-sourcing/streams.ts'

/** An event as its account may read it. What it does not tell is absent. */
export interface HistoryEntry {
  /** Milliseconds since the epoch. */
  at: number
  event: DomainEvent['type']
  eventId: string
  /** Of the event, in its stream's chain. */
  hash: string
  /** A key's id, `operator`, or `system` for recovery and background work. */
  actor: string
  requestId?: Uuid
  /** The caller's own X-Request-Id. */
  correlationId?: string
  /** What was paid for: `upload`, `batch`, `search`, … */
  operation?: string
  batchId?: Uuid
  jobId?: Uuid
  /** The items that it is about. */
  mediaIds: readonly Uuid[]
  /** While the item is there. */
  filename?: string
  file?: { mediaType: MediaType; format?: string; sizeBytes: number; sha256: string }
  collection?: string
  understanding?: Understood
  posting?: EntryPosting
  /** What the answer of a request cost. */
  cost?: Money
  /** Why it was given up, refunded or deleted. */
  reason?: string
}

/** What an item was made with. */
export interface Understood {
  /** Names of models or methods, with their versions. */
  embedder: string
  enricher?: string
  vectors?: { hd: number; ld: number }
  milliseconds?: number
  /** Of the ingest that is stored: those of earlier ones went with what they had made. */
  warnings?: readonly string[]
}

export interface EntryPosting {
  kind: 'credit' | 'charge' | 'refund'
  id: string
  /** Of a refund: what it pays back of. */
  chargeId?: string
  /** Signed, as all its lines are positive: a charge is negative. Of an item, what of it is for the item. */
  amount: Money
  lines: readonly ChargeLine[]
}

/** What every event has. */
export function entryOf(recorded: RecordedEvent, event: DomainEvent): HistoryEntry {
  const { id: eventId, hash, metadata } = recorded
  const { actor, requestId, correlationId } = metadata
  return {
    at: Date.parse(metadata.timestamp),
    event: event.type,
    eventId,
    hash,
    actor,
    mediaIds: [],
    ...(requestId && { requestId }),
    ...(correlationId && { correlationId }),
    ...placesOf(recorded, event),
    ...toldBy(recorded, event),
  }
}

/** The batch and the job that it belongs to, where it names them. */
function placesOf(recorded: RecordedEvent, event: DomainEvent): Pick<HistoryEntry, 'batchId' | 'jobId'> {
  const batchId = recorded.stream.startsWith('batch-')
    ? idIn(recorded.stream)
    : event.type === 'IngestClaimed'
      ? event.batchId
      : event.type === 'BalanceCharged'
        ? event.cause.batchId
        : null
  const jobId = 'jobId' in event ? event.jobId : event.type === 'BalanceCharged' ? event.cause.jobId : null
  return { ...(batchId && { batchId }), ...(jobId && { jobId }) }
}

function toldBy(recorded: RecordedEvent, event: DomainEvent): Partial<HistoryEntry> {
  switch (event.type) {
    case 'IngestClaimed':
      return { mediaIds: [idIn(recorded.stream)] }
    case 'IngestReleased':
      return { mediaIds: [idIn(recorded.stream)], reason: event.reason }
    case 'MediaIngested':
    case 'MediaOverwritten': {
      const { mediaType, format, sizeBytes, sha256, filename, place } = event
      const { embedder, enricher, vectorCount: vectors, durationMs: milliseconds } = event
      return {
        mediaIds: [idIn(recorded.stream)],
        filename,
        file: { mediaType, format, sizeBytes, sha256 },
        understanding: { embedder, enricher, vectors, milliseconds },
        ...(place && { collection: place.collection }),
      }
    }
    case 'MediaReembedded':
      return { mediaIds: [idIn(recorded.stream)], understanding: { embedder: event.embedder } }
    case 'MediaDeleted': {
      const { cause, reason } = event
      return {
        mediaIds: [idIn(recorded.stream)],
        ...(cause === 'collection-deleted' ? { reason: cause } : reason !== null && { reason }),
      }
    }
    case 'ItemsMoved':
      return { mediaIds: event.mediaIds, collection: event.place.collection }
    case 'CollectionDeleted':
      return { collection: event.place.collection }
    case 'BatchSubmitted': {
      const { jobs, collection } = event
      return {
        mediaIds: [...new Set(jobs.map(({ mediaId }) => mediaId))],
        ...(collection !== null && { collection }),
      }
    }
    case 'JobSucceeded':
    case 'JobSkipped':
      return { mediaIds: [event.mediaId] }
    case 'JobFailed':
      return { reason: event.code }
    case 'BalanceCredited': {
      const { creditId: id, amount, reference } = event
      return { posting: { kind: 'credit', id, amount, lines: [] }, ...(reference && { reason: reference }) }
    }
    case 'BalanceCharged': {
      const { chargeId: id, amount, lines, cause } = event
      const { operation, requestId, mediaId } = cause
      return {
        ...(mediaId && { mediaIds: [mediaId] }),
        ...(requestId && { requestId }),
        operation,
        posting: { kind: 'charge', id, amount: -amount, lines },
      }
    }
    case 'BalanceRefunded': {
      const { refundId: id, chargeId, amount, lines, reason } = event
      return { posting: { kind: 'refund', id, chargeId, amount, lines }, reason }
    }
    case 'RequestStarted':
    case 'RequestAbandoned':
      return { requestId: event.requestId }
    case 'RequestCompleted': {
      const { requestId, answer } = event
      const { cost } = answer
      return { requestId, ...(typeof cost === 'string' && /^\d+$/.test(cost) && { cost: BigInt(cost) }) }
    }
    default:
      return {}
  }
}
