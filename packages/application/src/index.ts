export { createApplication, type Application } from './application.ts'
export { keptAnswerOf } from './ask/keep.ts'
export type * from './audit/ledger.ts'
export type { HistoryEntry } from './history/entry.ts'
export type { ItemHistory } from './history/item-history.ts'
export type { RequestHistory } from './history/request-history.ts'
export { monthRange, type Statement } from './audit/statement.ts'
export type { ProofFault, ProofLine } from './audit/proof.ts'
export { createBackground, keepDoing, OUTCOME_PATIENCE_MS, type Background } from './core/background.ts'
export { LogSummary } from './backup/log-summary.ts'
export {
  isDeletedBy,
  recordedArtifacts,
  StoredItems,
  type DeletedItem,
  type StoredItem,
} from './backup/stored-items.ts'
export type { Paid, Payment } from './billing/charging.ts'
export type { ShownConnection } from './search/connections.ts'
export { answerOf, outcomeOf, type IngestAnswer } from './ingest/ingest-answer.ts'
export { Quota } from './billing/quota.ts'
export type * from './core/context.ts'
export { moveLateItem, nameEndedItem } from './library/ended-items.ts'
export type { Ports, Settings } from './core/ports.ts'
export { embeddingProblems } from './embedding/status.ts'
export { namedIngest } from './erasure/named-ingest.ts'
export type { ErasureReceipt, ErasureView } from './erasure/receipt.ts'
export { extendErasure, requestAccountErasure } from './erasure/request.ts'
export { eraseFileNames, jobsOfDeleted } from './erasure/file-names.ts'
export { hasUnsettledIngest } from './erasure/unsettled.ts'
export * from './core/errors.ts'
export {
  startAccountEvents,
  type AccountEvents,
  type AccountEventsStatus,
  type FollowedEvent,
  type FollowedEvents,
} from './feed/account-events.ts'
export type { PublishedEvent } from './feed/published-event.ts'
export {
  createStreams,
  streamName,
  type CommandOf,
  type StateOf,
  type Streams,
  idIn,
} from './event-sourcing/streams.ts'
export { SYSTEM, type Origin } from './event-sourcing/executing.ts'
export { requireKey } from './requests/idempotency.ts'
export { accountErasureIdOf, collectionErasureIdOf, ingestIdOf, newId, placeIdOf } from './core/ids.ts'
export { verifyLog, type AuditReport } from './log-tree/verify.ts'
export type { Finding } from './log-tree/findings.ts'
export type { EventProofs, LedgerProof } from './log-tree/proofs.ts'
export { TreeFollower } from './log-tree/follow-log.ts'
export { trustedKeys, type FormerKey, type PublicKeys } from './log-tree/handover.ts'
export {
  signTree,
  startLogTree,
  watchLogTree,
  type FollowingLogTree,
  type LogTree,
  type LogTreePorts,
  type SigningPorts,
} from './log-tree/log-tree.ts'
export { originFrom } from './core/origin.ts'
export { OperationRunning } from './operations/operations.ts'
export * from './ports/index.ts'
export { DEFAULT_PRICES, ingestPrice, type PriceKey, type Prices } from './billing/prices.ts'
export { encodeUnderstood, encodeReembedded, isOfVectors, readUnderstood } from './artifacts/encoding.ts'
export { answerKeptFor } from './requests/request-key.ts'
export { saidAt } from './library/said-at.ts'
export { fileNamesOf } from './library/file-names.ts'
export { recordedAnswer } from './ask/recorded-answer.ts'
export { recordedIngest, type RecordedIngest } from './ingest/recorded-ingest.ts'
export { submittedBatch, type SubmittedBatch } from './batches/submitted-batch.ts'
export { requireCatalog, settleReads } from './core/read-your-writes.ts'
export { Turns } from './core/turns.ts'
export { unlessAway, unlessDamaged } from './core/unless-away.ts'
export type { AccountWithBalance } from './accounts/account-commands.ts'
export type { AnalyzeFile, AnalyzedFile } from './ask/analyze.ts'
export type { Answered, AnswerSource } from './ask/ask.ts'
export type { AskQuestion } from './ask/ground.ts'
export type { AnswerListener } from './ask/made-answer.ts'
export type { CreateBatch, CreatedBatch } from './batches/create-batch.ts'
export type { BatchAtWork, BatchJobView, BatchView, ListBatches } from './batches/read-batches.ts'
export type { UsageQuery, UsageReport } from './billing/usage.ts'
export type { UsageAt, UsageDiff } from './billing/usage-diff.ts'
export type { Written } from './core/written.ts'
export type { EmbeddingStatus } from './embedding/status.ts'
export type { UploadedMedia } from './ingest/read-ingest.ts'
export type { UploadMedia } from './ingest/upload-media.ts'
export type { IngestThen, ListMediaAsOf, MediaThen, MediaThenPage } from './library/media-as-of.ts'
export type { CollectionListing } from './library/read-collections.ts'
export type { ListMedia, MediaContent, MediaView } from './library/read-media.ts'
export type { Operation, OperationRequest } from './operations/operation.ts'
export type { AdvancedSearch, ConnectedMedia, FoundConnected } from './search/advanced-search.ts'
export type { Cluster, SimilarMedia } from './search/cluster-names.ts'
export type { BasicSearch, FoundMedia } from './search/search.ts'
export type { FoundSimilar, SimilarSearch } from './search/similar.ts'
export { LIMITS } from './status/health.ts'
export type { ComponentState, Health, Limit } from './status/health.ts'
export type { ShownWebhook, WebhookUseCases } from './webhooks/index.ts'
