import type { ErasedStore, Tier } from '@medialog/domain'
import type { Clock } from '@medialog/kernel'
import type { Prices } from '../billing/prices.ts'
import type { Streams } from '../event-sourcing/streams.ts'
import type { AccountEvents } from '../feed/account-events.ts'
import type { LogTree } from '../log-tree/log-tree.ts'
import type {
  Accounts,
  ArtifactStore,
  Batches,
  Catalog,
  Coordination,
  Embedder,
  EventStore,
  FormerEmbedders,
  History,
  KeptAnswers,
  LanguageModel,
  LogScavenger,
  LogVerifier,
  Orchestrator,
  Projections,
  Providers,
  Publishing,
  RateLimiter,
  Search,
  SentElsewhere,
  Staging,
  Understanding,
  UnfinishedWork,
  Usage,
  Webhooks,
} from '../ports/index.ts'
import type { Background } from './background.ts'

/** Everything the application uses; the composition root fills it. */
export interface Ports {
  clock: Clock
  eventStore: EventStore
  logVerifier: LogVerifier
  logScavenger: LogScavenger
  logTree: LogTree
  accountEvents: AccountEvents
  /** Null where there is no key that requests are signed with: nothing is sent. */
  webhooks: Webhooks | null
  streams: Streams
  background: Background
  artifacts: ArtifactStore
  rateLimiter: RateLimiter
  staging: Staging
  understanding: Understanding
  embedder: Embedder
  formerEmbedders: FormerEmbedders
  languageModel: LanguageModel
  keptAnswers: KeptAnswers
  providers: Providers
  publishing: Publishing
  /** Null where there are no other processes, or this one sends. */
  sentElsewhere: SentElsewhere | null
  orchestrator: Orchestrator
  projections: Projections
  /** With the processes that share the read models; null for a single process. */
  coordination: Coordination | null
  catalog: Catalog
  search: Search
  accounts: Accounts
  usage: Usage
  work: UnfinishedWork
  batches: Batches
  history: History
  settings: Settings
}

export interface Settings {
  prices: Prices
  /** Most vectors (hd + ld) an account of the tier may hold. */
  quotas: Readonly<Record<Tier, number>>
  /** What the engine can search in one account: no tier lets it store more. */
  mostVectors: number
  /** Most batches that an account of the tier may have with files still to be processed, and most bytes of those. */
  openBatches: Readonly<Record<Tier, number>>
  batchBytes: Readonly<Record<Tier, number>>
  /** Most webhooks an account of the tier may have. */
  webhooks: Readonly<Record<Tier, number>>
  /** What receipts say of each store: how content is erased there, and what stays. */
  erasedStores: ErasedStore[]
  /** How long a command waits for the read models before it answers anyway. */
  readYourWritesMs: number
}
