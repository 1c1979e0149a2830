import type { Uuid } from '@medialog/kernel'
import { accounts, type AccountUseCases } from './accounts/index.ts'
import { asking, type AskUseCases } from './ask/index.ts'
import { audit, type AuditUseCases } from './audit/index.ts'
import { batches, type BatchUseCases } from './batches/index.ts'
import { billing, type BillingUseCases } from './billing/index.ts'
import { Quota } from './billing/quota.ts'
import type { Ports } from './core/ports.ts'
import { findErasure } from './erasure/find-erasure.ts'
import type { ErasureView } from './erasure/receipt.ts'
import { followEvents, type FollowEvents } from './feed/follow-events.ts'
import { history, type HistoryUseCases } from './history/index.ts'
import { ingest, type IngestUseCases } from './ingest/index.ts'
import { library, type LibraryUseCases } from './library/index.ts'
import { operations } from './operations/index.ts'
import type { OperationUseCases } from './operations/operation.ts'
import { search, type SearchUseCases } from './search/index.ts'
import { status, type StatusUseCases } from './status/index.ts'
import { webhooks, type WebhookUseCases } from './webhooks/index.ts'

/**
 * Everything the service does, by feature, for any edge to call. Ids that come from outside are strings in either form
 * (`doc_<uuid>`, `vec-<uuid>`); one of another account is "not found". Errors are DomainErrors with stable codes,
 * EngineUnavailable, UnsupportedFileType or UnreadableFile.
 */
export interface Application {
  accounts: AccountUseCases
  ask: AskUseCases
  audit: AuditUseCases
  batches: BatchUseCases
  billing: BillingUseCases
  erasures: {
    /** The state of an erasure, of the account or (null) of any account. @throws ErasureNotFound */
    find(accountId: Uuid | null, id: string): Promise<ErasureView>
  }
  feed: { follow: FollowEvents }
  history: HistoryUseCases
  ingest: IngestUseCases
  library: LibraryUseCases
  operations: OperationUseCases
  search: SearchUseCases
  status: StatusUseCases
  webhooks: WebhookUseCases
}

export function createApplication(ports: Ports): Application {
  const quota = new Quota(ports)
  return {
    accounts: accounts(ports),
    ask: asking(ports),
    audit: audit(ports),
    batches: batches(ports, quota),
    billing: billing(ports),
    erasures: { find: (accountId, id) => findErasure(ports, accountId, id) },
    feed: { follow: (context, query, signal) => followEvents(ports, context, query, signal) },
    history: history(ports),
    ingest: ingest(ports, quota),
    library: library(ports),
    operations: operations(ports),
    search: search(ports),
    status: status(ports),
    webhooks: webhooks(ports),
  }
}
