import type { HistoryEntry, ItemHistory, RequestHistory } from '@medialog/application'
import type { HistoryEntry as EntryView } from '@medialog/contract/http'
import { batchId, isoTime, jobId, requestId, toUsdNumber, vectorId, type Uuid } from '@medialog/kernel'
import type { z } from 'zod'
import { idOf } from './media.ts'

type Stored = ItemHistory['item']
type Named = (mediaId: Uuid) => string

export const nameOf = ({ mediaId, item }: { mediaId: Uuid; item: Stored }): string =>
  item ? idOf(item) : vectorId(mediaId)

export const itemView = (named: RequestHistory['items'][number]) => ({
  media_id: nameOf(named),
  state: named.item ? ('stored' as const) : ('absent' as const),
  ...(named.item && { filename: named.item.filename, collection: named.item.collection }),
})

/** `name`: what an item is called in the answer. */
export const entryView = (entry: HistoryEntry, name: Named): z.input<typeof EntryView> => ({
  at: isoTime(entry.at),
  event: entry.event,
  event_id: entry.eventId,
  hash: entry.hash,
  actor: entry.actor,
  ...(entry.requestId && { request_id: requestId.format(entry.requestId) }),
  ...(entry.correlationId && { correlation_id: entry.correlationId }),
  ...(entry.operation && { operation: entry.operation }),
  ...(entry.batchId && { batch_id: batchId.format(entry.batchId) }),
  ...(entry.jobId && { job_id: jobId.format(entry.jobId) }),
  media_ids: entry.mediaIds.map(name),
  ...(entry.filename !== undefined && { filename: entry.filename }),
  ...fileView(entry),
  ...(entry.collection !== undefined && { collection: entry.collection }),
  ...understandingView(entry),
  ...postingView(entry),
  ...(entry.cost !== undefined && { cost: toUsdNumber(entry.cost) }),
  ...(entry.reason !== undefined && { reason: entry.reason }),
})

function fileView({ file }: HistoryEntry) {
  if (!file) return {}
  const { mediaType, format, sizeBytes, sha256 } = file
  return { media_type: mediaType, ...(format && { format }), size_bytes: sizeBytes, sha256 }
}

function understandingView({ understanding }: HistoryEntry) {
  if (!understanding) return {}
  const { embedder, enricher, vectors, milliseconds, warnings } = understanding
  return {
    understanding: {
      embedder,
      ...(enricher && { enricher }),
      ...(vectors && { hd_vectors: vectors.hd, ld_vectors: vectors.ld }),
      ...(milliseconds !== undefined && { duration_ms: milliseconds }),
      ...(warnings && { warnings: [...warnings] }),
    },
  }
}

function postingView({ posting }: HistoryEntry) {
  if (!posting) return {}
  const { kind, id, chargeId, amount, lines } = posting
  return {
    posting: {
      kind,
      id,
      ...(chargeId && { charge_id: chargeId }),
      amount: toUsdNumber(amount),
      lines: lines.map(({ price, amount }) => ({ price, amount: toUsdNumber(amount) })),
    },
  }
}
