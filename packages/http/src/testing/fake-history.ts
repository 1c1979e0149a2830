import {
  RequestNotFound,
  type CatalogItem,
  type HistoryEntry,
  type ItemHistory,
  type RequestHistory,
} from '@medialog/application'
import { requestId as requestIds, usd, type Uuid } from '@medialog/kernel'
import { BATCH, catalogItem, NOW } from './fixtures.ts'

const entry = (number: number, of: Partial<HistoryEntry>): HistoryEntry => ({
  at: NOW + number,
  event: 'IngestClaimed',
  eventId: `event-${number}`,
  hash: String(number).repeat(64),
  actor: 'keyall00',
  requestId: BATCH,
  mediaIds: [],
  ...of,
})

/** A file of a batch: charged for with another one, stored, then deleted by its collection's end. */
export const historyEntries = (mediaId: Uuid): HistoryEntry[] => [
  entry(1, {
    event: 'BalanceCharged',
    correlationId: 'mine',
    operation: 'batch',
    batchId: BATCH,
    jobId: BATCH,
    mediaIds: [mediaId],
    posting: {
      kind: 'charge',
      id: BATCH,
      amount: -usd('0.04'),
      lines: [{ price: 'DOCUMENT_PROCESSING', amount: usd('0.04') }],
    },
  }),
  entry(2, {
    event: 'MediaIngested',
    mediaIds: [mediaId],
    filename: '<b>.txt',
    file: { mediaType: 'document', format: 'txt', sizeBytes: 12, sha256: 'ab'.repeat(32) },
    collection: 'default',
    understanding: {
      embedder: 'test',
      enricher: 'test-1',
      vectors: { hd: 3, ld: 1 },
      milliseconds: 5,
      warnings: ['It was long.'],
    },
  }),
  entry(3, { event: 'MediaReembedded', mediaIds: [mediaId], understanding: { embedder: 'other' } }),
  entry(4, { event: 'RequestCompleted', operation: 'search', cost: usd('0.02'), mediaIds: [mediaId] }),
  entry(5, {
    event: 'BalanceRefunded',
    mediaIds: [mediaId],
    posting: { kind: 'refund', id: 'refund', chargeId: BATCH, amount: usd('0.01'), lines: [] },
    reason: 'corrupted_file',
  }),
]

export function fakeItemHistory(
  item: CatalogItem,
  { page, pageSize }: { page: number; pageSize: number },
): ItemHistory {
  const { mediaId } = item
  const entries = historyEntries(mediaId)
  return {
    mediaId,
    state: 'stored',
    item,
    deletedAt: null,
    erased: false,
    entries: entries.slice((page - 1) * pageSize, page * pageSize),
    total: entries.length,
  }
}

/** Of one request alone something is known: an item is there, another one is gone. */
export function fakeRequestHistory(id: string): RequestHistory {
  if (requestIds.parse(id) !== BATCH) throw new RequestNotFound(id)
  const item = catalogItem(1)
  const gone = catalogItem(2).mediaId
  return {
    requestId: BATCH,
    entries: [...historyEntries(item.mediaId), entry(6, { event: 'JobFailed', mediaIds: [gone] })],
    items: [
      { mediaId: item.mediaId, item },
      { mediaId: gone, item: null },
    ],
    charged: usd('0.04'),
    refunded: usd('0.01'),
  }
}
