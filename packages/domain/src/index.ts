export * from './account.ts'
export * from './batch.ts'
export * from './checkpoints.ts'
export * from './erasure.ts'
export * from './files.ts'
export * from './ledger.ts'
export * from './ledger-replay.ts'
export * from './ledger-time.ts'
export * from './library.ts'
export * from './media.ts'
export * from './prices.ts'
export * from './refund-ids.ts'
export * from './request.ts'
export * from './webhooks.ts'

import type { AccountEvent } from './account.ts'
import type { BatchEvent } from './batch.ts'
import type { CheckpointEvent } from './checkpoints.ts'
import type { ErasureEvent } from './erasure.ts'
import type { FilesEvent } from './files.ts'
import type { LedgerEvent } from './ledger.ts'
import type { LibraryEvent } from './library.ts'
import type { MediaEvent } from './media.ts'
import type { RequestEvent } from './request.ts'
import type { WebhooksEvent } from './webhooks.ts'

/** The events of each category of streams: `<category>-<id>`. */
export interface EventsOf {
  account: AccountEvent
  ledger: LedgerEvent
  media: MediaEvent
  library: LibraryEvent
  batch: BatchEvent
  files: FilesEvent
  request: RequestEvent
  checkpoints: CheckpointEvent
  webhooks: WebhooksEvent
  erasure: ErasureEvent
}
export type Category = keyof EventsOf
export type DomainEvent = EventsOf[Category]
