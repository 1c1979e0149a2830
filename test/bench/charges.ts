import { randomUUID } from 'node:crypto'
import type { NewEvent } from '@medialog/kernel'

/** What most events of a log are about. */
export const charge = (): NewEvent => ({
  id: randomUUID(),
  type: 'BalanceCharged',
  version: 1,
  data: {
    chargeId: randomUUID(),
    lines: [{ key: 'DOCUMENT_PROCESSING', amount: '30000000' }],
    cause: { operation: 'upload', jobId: randomUUID(), mediaId: randomUUID(), requestId: randomUUID() },
  },
  metadata: {
    timestamp: new Date().toISOString(),
    actor: 'k3y1d000',
    accountId: randomUUID(),
    requestId: randomUUID(),
    correlationId: randomUUID(),
  },
})
