import type { DataOf } from '@medialog/client'

export type UploadAnswer = DataOf<'uploadMedia'>
export type MediaPage = DataOf<'listMedia'>
export type ListedItem = MediaPage['items'][number]
export type MediaItem = DataOf<'readMedia'>
export type MediaHistory = DataOf<'readMediaHistory'>
export type HistoryEntry = MediaHistory['entries'][number]
export type RequestHistory = DataOf<'readRequest'>
export type DeletedBatch = DataOf<'deleteMediaBatch'>
export type SearchAnswer = DataOf<'search'>
export type SearchResult = SearchAnswer['results'][number]
export type SimilarAnswer = DataOf<'findSimilar'>
export type SimilarResult = SimilarAnswer['results'][number]
export type AnswerToQuestion = DataOf<'ask'>
export type FileAnalysis = DataOf<'analyzeFile'>
export type CollectionList = DataOf<'listCollections'>
export type CollectionAnswer = DataOf<'readCollection'>
export type DeletedCollection = DataOf<'deleteCollection'>
export type Moved = DataOf<'moveItems'>
export type BatchCreation = DataOf<'createBatch'>
export type Batch = DataOf<'readBatch'>
export type BatchPage = DataOf<'listBatches'>
export type BatchResults = DataOf<'readBatchResults'>
export type CancelledBatch = DataOf<'cancelBatch'>
export type UsageAnswer = DataOf<'readUsage'>
export type UsageDiff = DataOf<'readUsageDiff'>
export type LedgerPage = DataOf<'readLedger'>
export type Posting = LedgerPage['postings'][number]
export type LedgerReport = Omit<LedgerPage, 'postings' | 'pagination'>
export type Statement = DataOf<'readStatement'>
export type Webhooks = DataOf<'listWebhooks'>
export type Webhook = DataOf<'changeWebhook'>
export type AddedWebhook = DataOf<'addWebhook'>
export type RotatedSecret = DataOf<'rotateWebhookSecret'>
export type Deliveries = DataOf<'listDeliveries'>
export type Delivery = Deliveries['deliveries'][number]
export type QueuedDelivery = DataOf<'testWebhook'>
export type StatusAnswer = DataOf<'readStatus'>
export type AliveAnswer = DataOf<'healthz'>

export type Account = DataOf<'readAccount'>
export type ClosedAccount = DataOf<'closeAccount'>
export type Accounts = DataOf<'listAccounts'>
export type Keys = DataOf<'listKeys'>
export type Key = Keys['keys'][number]
export type NewKey = DataOf<'issueKey'> & Partial<DataOf<'rotateKey'>>
export type Operation = DataOf<'readOperation'>
export type Operations = DataOf<'listOperations'>
export type Embeddings = DataOf<'readEmbeddings'>
export type Checkpoint = DataOf<'makeCheckpoint'>
export type Erasure = DataOf<'readErasure'>
export type CheckpointKey = DataOf<'readCheckpointKey'>
export type EventProofs = DataOf<'readEventProofs'>
export type ConsistencyProof = DataOf<'readConsistencyProof'>

/** What is known of a file: its identity, and facts of its type such as page_count or duration. */
export type FileFacts = {
  readonly filename: string
  readonly size_bytes: number
  readonly [fact: string]: unknown
}

/** Names found in an item, by kind. */
export type Entities = { readonly [kind: string]: readonly string[] }
