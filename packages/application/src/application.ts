import type {
  AccountRecord,
  BatchJobRecord,
  BatchRecord,
  CatalogItem,
  CollectionRecord,
  EmbeddingCount,
  FileAnalysis,
  Format,
  GroupBy,
  ItemVectors,
  KeyRecord,
  ProviderStatus,
  PublishingStatus,
  Delivery,
  ReadModelName,
  ReadModelStatus,
  Room,
  SearchHit,
  ShownBatchStatus,
  Transaction,
  WebhookProgress,
  WebhooksStatus,
} from './ports/index.ts'
import type {
  BatchIntent,
  Capability,
  DeliveryState,
  IngestRecord,
  LogCheckpoint,
  PaymentStatus,
  PriceKey,
  Tier,
  Webhook,
} from '@medialog/domain'
import type { Json, LogPosition, MediaType, Money, Uuid } from '@medialog/kernel'
import type { LedgerQuery, ReplayedLedger } from './audit/ledger.ts'
import type { Statement } from './audit/statement.ts'
import type { FollowedEvents } from './feed/account-events.ts'
import type { ItemHistory } from './history/item-history.ts'
import type { RequestHistory } from './history/request-history.ts'
import type { ErasureView } from './erasure/receipt.ts'
import type { EventProofs, LedgerProof } from './log-tree/proofs.ts'
import type { PublicKeys } from './log-tree/handover.ts'
import type { OperatorContext, Principal, RequestContext } from './core/context.ts'
import type { Paid } from './billing/charging.ts'
import type { Arrival, FileUse } from './ingest/arrivals.ts'
import type { AdvancedHit, AdvancedQuery, SearchQuery, SimilarQuery } from './ports/index.ts'
import type { ShownConnection } from './search/connections.ts'
import type { StagedFile } from './ports/artifact-store.ts'
import type { CatalogContent, CatalogPlace } from './ports/catalog.ts'

/**
 * Everything the service does, for any edge to call. Ids that come from outside are strings in either form
 * (`doc_<uuid>`, `vec-<uuid>`); one of another account is "not found". Errors are DomainErrors with stable codes,
 * EngineUnavailable, UnsupportedFileType or UnreadableFile.
 */
export interface Application {
  /** The owner of an API key. @throws InvalidApiKey */
  authenticate(apiKey: string | undefined): Promise<Principal>

  /** Bytes of the largest file that any format may have. */
  readonly largestFile: number
  /** The format of a file by its first bytes and name, with its limits. @throws UnsupportedFileType, UnreadableFile */
  identify(filename: string, head: Uint8Array): Format

  /**
   * Admits a file that is sent to be stored or analysed, before its body is read; to be disposed of when it has been answered.
   * @throws TooManyFiles, EngineUnavailable
   */
  receiveFile(context: RequestContext, use: FileUse, idempotencyKey: string | undefined): Promise<Arrival>

  /**
   * Ingests one staged file and releases the staging whatever happens.
   * @throws UnsupportedFileType, UnreadableFile, DuplicateMedia, IngestInProgress, InsufficientFunds, QuotaExceeded,
   *   AccountSuspended, IdempotencyKeyReused, RequestInProgress, ReplayGone, EngineUnavailable
   */
  uploadMedia(context: RequestContext, command: UploadMedia, signal?: AbortSignal): Promise<UploadedMedia>

  /**
   * Counts the files of a batch while they arrive, until `end`, against what its account may have staged. `add` @throws
   * BacklogFull
   */
  receiveBatch(context: RequestContext): { add(bytes: number): Promise<void>; end(): void }
  /**
   * Makes a batch of staged files, which are its own from then on or else released; its jobs run after the answer.
   * @throws UnsupportedFileType, UnreadableFile, InsufficientFunds, QuotaExceeded, BacklogFull, AccountSuspended,
   *   IdempotencyKeyReused, RequestInProgress, EngineUnavailable
   */
  createBatch(context: RequestContext, command: CreateBatch): Promise<CreatedBatch>
  listBatches(context: RequestContext, query: ListBatches): Promise<{ batches: BatchView[]; total: number }>
  /** @throws BatchNotFound; the same of both below */
  readBatch(context: RequestContext, id: string): Promise<BatchView>
  /** With all its jobs, in the order of its files. */
  readBatchResults(context: RequestContext, id: string): Promise<{ batch: BatchRecord; jobs: BatchJobView[] }>
  /** A batch that has ended stays as it is. */
  cancelBatch(
    context: RequestContext,
    id: string,
  ): Promise<Written<{ batchId: Uuid; previous: ShownBatchStatus; current: ShownBatchStatus; at: number }>>

  listMedia(
    context: RequestContext,
    query: ListMedia,
  ): Promise<{ items: MediaView[]; total: number; hasNext: boolean }>
  /** What was stored at a moment. @throws AccountNotYetOpen, AccountNotFound, EngineUnavailable */
  listMediaAsOf(context: RequestContext, query: ListMediaAsOf): Promise<MediaThenPage>
  /** @throws MediaItemNotFound */
  readMedia(
    context: RequestContext,
    query: { id: string; vectors: boolean; content: boolean },
  ): Promise<MediaView>
  /** With `receipt`, as in the two below, it waits for the erasing, not for long. @throws MediaItemNotFound */
  deleteMedia(
    context: RequestContext,
    command: { id: string; reason?: string; receipt?: boolean },
  ): Promise<Written<{ item: CatalogItem; erasure: ErasureView | null }>>
  /** Deletes what is there; the rest is in `missing`, as it was named. Ids named twice count once. */
  deleteMediaBatch(
    context: RequestContext,
    command: { ids: readonly string[]; reason?: string; receipt?: boolean },
  ): Promise<Written<{ deleted: CatalogItem[]; missing: string[]; erasure: ErasureView | null }>>

  /** `default` is always listed; its `createdAt` is the account's. */
  listCollections(context: RequestContext): Promise<CollectionListing[]>
  /** @throws CollectionNotFound for an empty one too */
  readCollection(context: RequestContext, collection: string): Promise<CollectionRecord>
  /** @throws CollectionNotFound, CannotDeleteDefault */
  deleteCollection(
    context: RequestContext,
    command: { collection: string; receipt?: boolean },
  ): Promise<Written<{ items: number; vectors: { hd: number; ld: number }; erasure: ErasureView | null }>>
  /** What became of an erasure. @throws ErasureNotFound */
  erasure(context: RequestContext, id: string): Promise<ErasureView>
  /** All or none. @throws ItemsNotFound */
  moveItems(
    context: RequestContext,
    command: { collection: string; ids: readonly string[] },
  ): Promise<
    Written<{
      total: number
      moved: number
      alreadyThere: number
      byType: Partial<Record<MediaType, number>>
    }>
  >

  /**
   * Answers a query from an item's passages, or from those of the library that match best. The listener hears the
   * answer while it is made.
   * @throws InvalidInput, MediaItemNotFound, InsufficientFunds, AccountSuspended, IdempotencyKeyReused,
   *   RequestInProgress, ReplayGone, EngineUnavailable
   */
  ask(context: RequestContext, command: AskQuestion, listener?: AnswerListener): Promise<Answered>
  /**
   * Answers a question about one staged file of which nothing is kept; releases the staging whatever happens.
   * @throws UnsupportedFileType, UnreadableFile, InsufficientFunds, AccountSuspended, IdempotencyKeyReused,
   *   RequestInProgress, EngineUnavailable
   */
  analyzeFile(context: RequestContext, command: AnalyzeFile): Promise<AnalyzedFile>

  /** @throws CollectionNotFound, EngineUnavailable */
  search(context: RequestContext, query: BasicSearch): Promise<FoundMedia>

  /**
   * As `search`, and what is connected with what was found. Costs by the depth reached.
   * @throws CollectionNotFound, EngineUnavailable; AccountSuspended, InsufficientFunds, IdempotencyKeyReused,
   *   RequestInProgress, ReplayGone
   */
  advancedSearch(context: RequestContext, query: AdvancedSearch): Promise<FoundConnected>
  /** What is similar to an item in content. @throws MediaItemNotFound, and as advancedSearch */
  similar(context: RequestContext, query: SimilarSearch): Promise<FoundSimilar>

  /** The account's, the revoked ones as well. */
  keys(context: RequestContext): Promise<KeyRecord[]>
  /** @throws InvalidInput where the range ends before it begins, AccountNotYetOpen */
  usage(context: RequestContext, query: UsageQuery): Promise<UsageReport>
  /** Usage at two moments, and what came in between. @throws InvalidInput where `to` is before `from` */
  usageDiff(context: RequestContext, query: { from: number; to: number }): Promise<UsageDiff>
  /** The account's ledger, added up from its events alone, and the proof. @throws EngineUnavailable */
  ledger(context: RequestContext, query: LedgerQuery): ReplayedLedger
  /** Of the current month unless one is named (`2026-11`). @throws InvalidInput, AccountNotYetOpen, EngineUnavailable */
  statement(context: RequestContext, month?: string): Promise<Statement>
  /** The account's ledger as anybody can prove it, see proveLedger. */
  proveLedger(context: RequestContext, since?: number): Promise<LedgerProof | null>
  /** Proofs of what is the account's own, see proveEvents; null where there are none. */
  proveEvents(context: RequestContext, subject: string): Promise<EventProofs | null>
  webhooks: WebhookApplication
  /**
   * The account's published events after a position, or from now on where that is null, until the signal aborts or the
   * service stops. What failed ends it: EngineUnavailable, UnreadableEvent.
   * @throws InvalidInput where the log does not reach that far, EngineUnavailable
   */
  followEvents(
    context: RequestContext,
    query: { after: LogPosition | null; types?: ReadonlySet<string> },
    signal: AbortSignal,
  ): Promise<{ from: LogPosition; events: AsyncIterable<FollowedEvents> }>
  /** What happened to an item, page by page. @throws MediaItemNotFound where nothing ever did */
  itemHistory(
    context: RequestContext,
    query: { id: string; page: number; pageSize: number },
  ): Promise<ItemHistory>
  /** Everything that one request caused. @throws RequestNotFound where nothing is known of it */
  requestHistory(context: RequestContext, id: string): Promise<RequestHistory>
  /** How the parts are, for `/v1/status`, `/readyz` and metrics. */
  health(): Promise<Health>

  /** The log as far as every read shows it, for X-Position of reads. */
  position(): LogPosition
  /**
   * Waits (bounded) until reads show everything up to `position`; false where that takes too long.
   * @throws PositionLost for a position beyond the end of the log
   */
  reached(position: LogPosition): Promise<boolean>

  operator: OperatorApplication
}

/**
 * Where an account has its events sent to. Every method throws EngineUnavailable where webhooks are not configured, and
 * those that name one WebhookNotFound.
 */
export interface WebhookApplication {
  /** The secret is shown now and never again. @throws InvalidInput, TooManyWebhooks */
  add(
    context: RequestContext,
    target: { url: string; types: string[] },
  ): Promise<Written<{ webhook: Webhook; secret: string }>>
  list(context: RequestContext): Promise<Webhook[]>
  read(context: RequestContext, id: string): Promise<ShownWebhook>
  /** What is not named stays. @throws InvalidInput */
  change(
    context: RequestContext,
    command: { id: string; url?: string; types?: string[]; paused?: boolean },
  ): Promise<Written<{ webhook: Webhook }>>
  remove(context: RequestContext, id: string): Promise<Written<object>>
  /** The former secret signs too until then: milliseconds since the epoch. */
  rotateSecret(
    context: RequestContext,
    id: string,
  ): Promise<Written<{ secret: string; oldValidUntil: number }>>
  /** All after that position is sent again. @throws InvalidInput where the log does not reach that far */
  rewind(
    context: RequestContext,
    command: { id: string; after: LogPosition },
  ): Promise<Written<{ webhook: Webhook }>>
  /** Has an event sent that says nothing. @throws WebhookNotActive */
  test(context: RequestContext, id: string): Promise<Written<{ eventId: Uuid }>>
  deliveries(
    context: RequestContext,
    query: { id: string; page: number; pageSize: number; state?: DeliveryState },
  ): Promise<{ deliveries: Delivery[]; total: number }>
  /** @throws DeliveryNotFound, WebhookNotActive */
  resend(
    context: RequestContext,
    command: { id: string; deliveryId: string },
  ): Promise<Written<{ eventId: Uuid }>>
}

export interface ShownWebhook {
  webhook: Webhook
  /** Null: it was added just now. */
  progress: WebhookProgress | null
  /** Deliveries that wait, and such as were given up on. */
  pending: number
  dead: number
}

/** A command's outcome with the position that shows it. */
export type Written<T> = T & { position: LogPosition }

export interface UploadMedia {
  staged: StagedFile
  filename: string
  /** Null: `default` or, when overwriting, where the item is. */
  collection: string | null
  overwrite: boolean
  idempotencyKey?: string
}

export interface UploadedMedia {
  /** The request that did the work: another one than the caller's when `replayed`. */
  requestId: Uuid
  replayed: boolean
  item: Omit<CatalogItem, 'revision'>
  vectors: ItemVectors
  startedAt: number
  completedAt: number
  jobId: Uuid
  previousBalance: Money
  cost: Money
  newBalance: Money
  position: LogPosition
}

export interface CreateBatch {
  files: readonly { filename: string; staged: StagedFile }[]
  /** Null: `default` or, when overwriting, where each item is. */
  collection: string | null
  overwrite: boolean
  name: string | null
  idempotencyKey?: string
}

export interface CreatedBatch {
  batchId: Uuid
  replayed: boolean
  intent: BatchIntent
  collection: string
  charged: { total: Money; processing: Partial<Record<MediaType, Money>>; storage: Money }
  estimatedSeconds: number
  position: LogPosition
}

export interface ListBatches {
  status?: ShownBatchStatus
  page: number
  pageSize: number
}

export interface BatchJobView extends BatchJobRecord {
  /** Null once it was erased with its item, and while the log is unavailable. */
  filename: string | null
}

export interface BatchView extends BatchRecord {
  /** Milliseconds since the epoch, by measured times; null once it has ended. */
  estimatedCompletion: number | null
}

/** Null is "not given". */
export interface AskQuestion {
  query: string
  /** In the form `vec-<uuid>`. */
  mediaId: string | null
  /** Where an answer may be from; absent for the whole library. */
  collections?: string[]
  systemPrompt: string | null
  context: string | null
  temperature: number
  maxTokens: number
  idempotencyKey?: string
}

/** Hears an answer while it is made. */
export interface AnswerListener {
  /** Resolves once the text was taken: the next is not made before. `replayed`: it is the first answer again. */
  delta(text: string, about: { replayed: boolean }): Promise<void>
  /** Nobody listens any more. */
  signal: AbortSignal
}

export interface AnswerSource {
  mediaId: Uuid
  mediaType: MediaType
  filename: string
  collection: string
  /** As the file states it. */
  title: string | null
  chunk: number
  text: string
  /** Of the item's stream. */
  revision: number
}

/** What was paid for, as it is told: the first time and, `replayed`, again. */
interface PaidOutcome {
  /** Of the request that did the work. */
  requestId: Uuid
  cost: Money
  balance: Money
  position: LogPosition
  replayed: boolean
}

export interface Answered extends PaidOutcome {
  text: string
  /** False: the material holds no answer. */
  answered: boolean
  /** In the order in which the text names them: `[1]` is the first. */
  sources: AnswerSource[]
  /** The item that the query named. */
  item: CatalogItem | null
  price: { base: Money; tokens: Money; tier: 'minimum' | 'standard' }
  usage: { inputTokens: number; outputTokens: number; milliseconds: number }
  model: string
  disclaimer: string
}

export interface AnalyzeFile {
  staged: StagedFile
  filename: string
  query: string
  systemPrompt: string | null
  responseFormat: 'text' | 'json'
  /** Null: what the bytes say. */
  mediaType: MediaType | null
  idempotencyKey?: string
}

export interface AnalyzedFile extends PaidOutcome {
  analysis: FileAnalysis
  format: string
  mediaType: MediaType
  processedAt: number
  milliseconds: number
  model: string
}

export interface ListMedia {
  mediaType?: MediaType
  collection?: string
  page: number
  pageSize: number
  /** The page begins behind it. */
  after?: CatalogPlace
  vectors: boolean
}

export interface ListMediaAsOf extends Omit<ListMedia, 'vectors' | 'after'> {
  /** Milliseconds since the epoch, not in the future; what happened in that very moment is included. */
  asOf: number
}

export interface MediaThenPage {
  /** Newest first. */
  items: MediaThen[]
  total: number
  /** How many items were erased since of which it is not known whether they were there then. */
  undated: number
}

/** An item as it was at a moment, as far as that may be known now. */
export type MediaThen = { mediaId: Uuid; mediaType: MediaType; createdAt: number } & (
  | { state: 'stored'; item: CatalogItem }
  /** It was replaced since. Null is what is not known any more. */
  | { state: 'changed'; collection: string | null; ingest: IngestThen | null }
  | { state: 'erased'; erasedAt: number }
)

/** What the log keeps of an ingest that was replaced while its item is there. */
export type IngestThen = Pick<IngestRecord, 'filename' | 'sizeBytes' | 'sha256' | 'durationMs' | 'at'>

export interface MediaContent extends CatalogContent {
  /** Of a video: a JPEG of each of its key frames, in their order. */
  thumbnails?: Uint8Array[]
}

/** An item with what was asked for besides. */
export interface MediaView {
  item: CatalogItem
  content: MediaContent | null
  vectors: ItemVectors | null
}

export interface BasicSearch extends Pick<
  SearchQuery,
  'lexicalWeight' | 'minScore' | 'maxResults' | 'filters' | 'modality'
> {
  text: string
  /** `all`, or names that must exist (`default` always does). */
  collections: 'all' | readonly string[]
}

export interface FoundMedia {
  results: { hit: SearchHit; item: CatalogItem; explanation: string }[]
  /** Of words in a score, 0 to 1, for this query; meaning has the rest. */
  lexicalWeight: number
  total: number
  searched: string[]
  distribution: { [collection: string]: number }
  milliseconds: number
}

export interface AdvancedSearch extends BasicSearch, Pick<AdvancedQuery, 'contextDepth' | 'expansionFactor'> {
  idempotencyKey?: string
}

export interface ConnectedMedia {
  hit: AdvancedHit
  item: CatalogItem
  explanation: string
  /** From a direct match to the item. */
  path: ShownConnection[]
  crossModal: ShownConnection[]
}

export interface FoundConnected extends Omit<FoundMedia, 'results'>, Payment {
  results: ConnectedMedia[]
  depthReached: number
}

/** What a paid request came to; of the first answer where this is a replay. */
export type Payment = Omit<Paid<never>, 'value'>

export interface SimilarSearch extends Pick<SimilarQuery, 'minScore' | 'maxResults' | 'mediaType'> {
  /** The reference item, in either form. */
  id: string
  collections: 'all' | readonly string[]
  /** Whether the reference is the first of the results. */
  includeReference: boolean
  cluster: boolean
  idempotencyKey?: string
}

export interface SimilarMedia {
  item: CatalogItem
  score: number
  explanation: string
}

export interface FoundSimilar extends Omit<FoundMedia, 'results' | 'lexicalWeight'>, Payment {
  reference: CatalogItem
  results: SimilarMedia[]
  /** Null where none were asked for. */
  clusters: Cluster[] | null
}

/** Results that belong together, best first. */
export interface Cluster {
  /** Made of what the members share; unique in the answer. */
  name: string
  members: SimilarMedia[]
}

export interface UsageQuery {
  /** Milliseconds since the epoch. */
  from: number
  to: number
  groupBy: GroupBy
  detailed: boolean
  /** Answers from the history as it was then, that moment included; not in the future. */
  asOf?: number
  /** The range ends before that very moment. */
  endsAtAsOf?: boolean
}

/** A collection in the list of them; `default` is as old as the account. */
export type CollectionListing = Pick<CollectionRecord, 'collection' | 'itemCount' | 'mediaTypes'> & {
  createdAt: number
}

export interface UsageReport {
  account: AccountRecord
  balance: Money
  lastChargeAt: number | null
  /** Net costs in the range by price key. */
  costs: Map<string, Money>
  /** Price key to USD per operation. */
  prices: Map<string, Money>
  /** What is stored is not told of the past: an erasure takes it from the log, too. */
  storage: { stored: { vectors: number; bytes: number } | null; quota: number }
  detail: {
    /** Price key to bucket to cost. */
    trends: Map<string, Map<string, Money>>
    /** Before the range, and at the end of each of its buckets in which anything was posted. */
    before: Money
    balances: Map<string, Money>
    transactions: Transaction[]
  } | null
}

/** What had been spent by a moment (milliseconds since the epoch). */
export interface UsageAt {
  at: number
  /** Null before it was opened. */
  account: AccountRecord | null
  balance: Money
  /** Net of refunds since the account was opened, by price key. */
  costs: Map<string, Money>
}

export interface UsageDiff {
  from: UsageAt
  to: UsageAt
  /** What came in between. */
  balance: Money
  costs: Map<string, Money>
}

export type ComponentState = 'operational' | 'degraded' | 'unavailable'

export interface Health {
  status: 'operational' | 'degraded' | 'critical'
  components: {
    api: ComponentState
    storage: ComponentState
    search: ComponentState
    /** Object storage, where one is configured. */
    artifacts?: ComponentState
    /** What counts requests for all processes, where one is configured. */
    limits?: ComponentState
    /** Where events are published. */
    publisher?: ComponentState
    /** What sends events to webhooks, while something is wrong with it. */
    webhooks?: ComponentState
  }
  /** What is done less well than it could be for those who use the service, for people; null where nothing is. */
  limitation: string | null
  /** One entry a part that is not operational: what is wrong, for people. */
  problems: string[]
  readModels: ReadModelStatus[]
  /** None: everything is made offline. */
  providers: ProviderStatus[]
  /** Null: events are not published. */
  publishing: PublishingStatus | null
  /** Null: this process sends nothing to webhooks. */
  webhooks: WebhooksStatus | null
  /** Items whose content is dead and not wiped from every file yet; at least. */
  pendingErasures: number
  /** Of the disk that uploads are written to; null where it cannot be told. */
  room: Room | null
}

export interface EmbeddingStatus {
  /** The embedder that is configured, see Embedder. */
  model: string
  dimensions: number
  cosineFloor: number
  /** What is stored, by the embedder of its vectors; `words`: nobody can compare a query with those. */
  models: (EmbeddingCount & { foundBy: 'meaning' | 'words' })[]
  /** Items with vectors of another embedder than the configured one. */
  pending: number
}

/** Its balance is null where its ledger is damaged: no figure is better than a sum over half of it. */
export interface AccountWithBalance {
  account: AccountRecord
  balance: Money | null
}

/** The operator's side: any account, no API key. */
export interface OperatorApplication {
  /**
   * An Idempotency-Key answers a repeat with the account that was opened, and credits nothing more.
   * @throws IdempotencyKeyReused, RequestInProgress
   */
  openAccount(
    context: OperatorContext,
    command: { name: string; tier: Tier; credit: Money; idempotencyKey?: string },
  ): Promise<Written<{ account: AccountRecord; balance: Money; replayed: boolean }>>
  /** In the order in which they were opened. */
  accounts(query: {
    page: number
    pageSize: number
  }): Promise<{ accounts: AccountWithBalance[]; total: number }>
  /** @throws AccountNotFound; the same of everything below */
  account(accountId: string): Promise<AccountWithBalance>
  /**
   * The same `reference` credits once, for ever; an Idempotency-Key answers a repeat within a day.
   * @throws CreditReferenceReused, IdempotencyKeyReused, RequestInProgress
   */
  credit(
    context: OperatorContext,
    command: { accountId: string; amount: Money; reference: string | null; idempotencyKey?: string },
  ): Promise<Written<{ balance: Money; replayed: boolean }>>
  changeTier(
    context: OperatorContext,
    command: { accountId: string; tier: Tier },
  ): Promise<Written<{ account: AccountRecord }>>
  changeState(
    context: OperatorContext,
    command: { accountId: string; state: Exclude<PaymentStatus, 'closed'> },
  ): Promise<Written<{ account: AccountRecord }>>
  /**
   * For ever: its keys work no more, and all of it but its ledger is erased, which goes on after the answer. Asked again
   * it answers how far that is.
   */
  closeAccount(
    context: OperatorContext,
    accountId: string,
  ): Promise<Written<AccountWithBalance & { erasure: ErasureView }>>
  /** @throws InvalidInput where `expiresAt` has passed */
  issueKey(
    context: OperatorContext,
    command: { accountId: string; label: string; capabilities: Capability[]; expiresAt: number | null },
  ): Promise<Written<{ keyId: string; apiKey: string }>>
  keys(accountId: string): Promise<KeyRecord[]>
  revokeKey(context: OperatorContext, command: { accountId: string; keyId: string }): Promise<Written<object>>
  rotateKey(
    context: OperatorContext,
    command: { accountId: string; keyId: string; graceSeconds: number },
  ): Promise<Written<{ keyId: string; apiKey: string; oldKeyValidUntil: number }>>

  /** As the account's own. @throws AccountNotFound, EngineUnavailable */
  ledger(accountId: string, query: LedgerQuery): ReplayedLedger
  /** As the account's own. @throws AccountNotFound besides */
  statement(accountId: string, month?: string): Promise<Statement>
  /** As the account's own. @throws AccountNotFound besides */
  proveLedger(accountId: string, since?: number): Promise<LedgerProof | null>

  /** Any account's. @throws ErasureNotFound */
  erasure(id: string): Promise<ErasureView>

  /** What is stored of which embedder. */
  embeddings(): Promise<EmbeddingStatus>

  /** Signs what the log holds now. */
  checkpoint(context: OperatorContext): Promise<LogCheckpoint>
  checkpointKeys(): Promise<PublicKeys>
  /** Proofs of one event or of an item's, see proveEvents; null where there are none. */
  proveEvents(context: OperatorContext, subject: string): Promise<EventProofs | null>
  /** Between two sizes of the log, see proveConsistency. @throws InvalidInput */
  proveConsistency(from: number, to: number): Promise<string[]>

  /** Starts long work; answers at once. @throws OperationRunning when the same runs already */
  startOperation(request: OperationRequest): Promise<Operation>
  operation(id: string): Promise<Operation | null>
  operations(): Promise<Operation[]>
  /** Every change of one operation, the current state first; ends when it has ended. */
  watchOperation(id: string, signal: AbortSignal): AsyncIterable<Operation>
  /** By the kind of what proves the log: whether the last one that ended in this process failed or found something. */
  verifications(): ReadonlyMap<string, boolean>
}

/** Long work by kind, with its parameters. */
export type OperationRequest =
  | { kind: 'projections-rebuild'; name: ReadModelName }
  /** All of them, unless one is named. */
  | { kind: 'projections-verify'; name?: ReadModelName }
  | { kind: 'log-verify' }
  | { kind: 'log-scavenge' }
  | { kind: 'log-scavenge-stop' }
  /** `checkpoint`: a signed note that was exported. */
  | { kind: 'audit-verify'; checkpoint?: string }
  | { kind: 'audit-erasure'; erasure_id: string }
  | { kind: 'embeddings-migrate' }
  /** Prices in USD, those that are not named stay; charges made in `[from, to)`, ISO times; of all accounts or one. */
  | {
      kind: 'audit-reprice'
      prices: { [key in PriceKey]?: number }
      from?: string
      to?: string
      account_id?: string
    }

export interface Operation {
  operationId: string
  kind: string
  parameters: { [parameter: string]: Json }
  status: 'running' | 'succeeded' | 'failed'
  /** From 0 to 1, and a sentence for people. */
  progress: { ratio: number; message: string }
  result: { [key: string]: Json } | null
  error: string | null
  startedAt: number
  endedAt: number | null
}
