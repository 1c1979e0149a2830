import { ErasureNotFound, type Application, type ErasureView } from '@medialog/application'
import { isoTime } from '@medialog/kernel'
import { ACCOUNT, NOW } from './fixtures.ts'

const HEX = 'cd'.repeat(32)
export const ERASURE: ErasureView = {
  erasureId: '0190d3c2-6f0e-7b1a-9c1d-2f6f5f0a7b77',
  accountId: ACCOUNT,
  status: 'erased',
  requestedAt: NOW,
  ingests: 1,
  receipt: {
    erasure_id: 'erasure_0190d3c2-6f0e-7b1a-9c1d-2f6f5f0a7b77',
    account_id: ACCOUNT,
    subject: { kind: 'items' },
    requested_at: isoTime(NOW),
    erased_at: isoTime(NOW),
    ingests: 1,
    digest: HEX,
    items: [{ media_id: 'doc_x', ingest_id: 'y', sha256: HEX, artifacts: { 'vectors.bin': HEX } }],
    stores: [{ store: 'log', how: 'overwritten' }],
    event: { stream: 'erasure-x', revision: 1, hash: HEX },
  },
  note: 'medialog erasure receipt 1\n…',
  key: 'medialog/a+id+key',
}
export const PENDING_ERASURE: ErasureView = {
  ...ERASURE,
  status: 'pending',
  receipt: null,
  note: null,
  key: null,
}

export const fakeErasures: Application['erasures'] = {
  async find(_accountId, id) {
    if (id !== ERASURE.receipt!.erasure_id) throw new ErasureNotFound(id)
    return ERASURE
  },
}
