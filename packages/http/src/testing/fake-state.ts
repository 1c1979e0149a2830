import type { EventEmitter } from 'node:events'
import type {
  AnalyzeFile,
  Application,
  AskQuestion,
  BatchAtWork,
  CatalogItem,
  CreateBatch,
  LedgerQuery,
  Principal,
  RequestContext,
  UploadMedia,
} from '@medialog/application'

/** What the fake application answers with, and what it was asked. */
export interface FakeState {
  items: CatalogItem[]
  /** Every upload that reached the application, with its context. */
  uploads: { context: RequestContext; command: UploadMedia }[]
  /** Every creation of a batch that reached the application. */
  creations: CreateBatch[]
  batches: BatchAtWork[]
  /** Keys by their text. */
  principals: Map<string, Principal>
  /** What any call throws instead of answering, by feature and method: `library.list`. */
  faults: Map<string, unknown>
  searches: unknown[]
  /** Every question and every analysis that reached the application. */
  asked: AskQuestion[]
  analyses: AnalyzeFile[]
  /** What ledgers were asked for by their accounts. */
  replays: LedgerQuery[]
  /** The positions that webhooks were rewound to. */
  rewinds: number[]
  /** How events were followed. */
  follows: Parameters<Application['feed']['follow']>[1][]
  /** Emits each `batch` that followers receive. */
  feed: EventEmitter
}
