import type { HistoryEntry, MediaHistory, RequestHistory } from '../client/answers.ts'
import { ok, refused, TIME, type Reply, type Routes } from './wire.ts'

const ENTRY: HistoryEntry = {
  at: TIME,
  event: 'IngestClaimed',
  event_id: 'e',
  hash: 'h',
  actor: 'testtest',
  request_id: 'req_1',
  media_ids: ['doc_1'],
}

export const ENTRIES: HistoryEntry[] = [
  ENTRY,
  {
    ...ENTRY,
    event: 'BalanceCharged',
    operation: 'upload',
    posting: { kind: 'charge', id: 'c', amount: -0.04, lines: [] },
  },
  {
    ...ENTRY,
    event: 'MediaIngested',
    filename: 'whales\u001b[31m.txt',
    collection: 'default',
    understanding: { embedder: 'MiniLM', enricher: 'offline-3', warnings: ['It was \u001b[31mlong.'] },
  },
  {
    ...ENTRY,
    event: 'BalanceRefunded',
    batch_id: 'batch_1',
    posting: { kind: 'refund', id: 'r', charge_id: 'c', amount: 0.01, lines: [] },
    reason: 'not used',
  },
  { ...ENTRY, event: 'RequestCompleted', operation: 'search', cost: 0.02 },
]

const pageOf = (query: URLSearchParams) => {
  const page = Number(query.get('page'))
  const pagination = { page, page_size: 3, total_items: ENTRIES.length, total_pages: 2, has_next: page < 2 }
  return { entries: ENTRIES.slice((page - 1) * 3, page * 3), pagination }
}

export const mediaHistory: Omit<MediaHistory, 'entries' | 'pagination'> = {
  media_id: 'doc_1',
  state: 'deleted',
  erased: true,
}

export const requestHistory: Omit<RequestHistory, 'entries' | 'pagination'> = {
  request_id: 'req_1',
  first_at: TIME,
  last_at: TIME,
  batch_id: 'batch_1',
  charged: 0.04,
  refunded: 0.01,
  items: [
    { media_id: 'doc_1', state: 'stored', filename: 'whales.txt', collection: 'default' },
    { media_id: 'vec-2', state: 'absent' },
  ],
}

const known = (id: string, all: string, data: object): Reply =>
  id === all ? ok(data) : refused(404, 'RESOURCE_NOT_FOUND', 'There is no such thing.')

/** Of one item and one request, in pages of three whatever is asked for. */
export const historyRoutes: Routes = [
  [
    'GET',
    /^\/v1\/media\/([^/]+)\/history$/,
    ({ query }, id) => known(id, 'doc_1', { ...mediaHistory, ...pageOf(query) }),
  ],
  [
    'GET',
    /^\/v1\/requests\/([^/]+)$/,
    ({ query }, id) => known(id, 'req_1', { ...requestHistory, ...pageOf(query) }),
  ],
]
