import type { CarriedOver, Posting, ReplayedCharge, Totals } from '@medialog/domain'
import type { LogPosition, Money, Revision, Uuid } from '@medialog/kernel'
import type { Ports } from '../core/ports.ts'
import type { PostedFiles } from './files.ts'
import type { ProofLine } from './proof.ts'

/** What audits read. */
export type Auditing = Pick<Ports, 'eventStore' | 'usage' | 'projections' | 'settings'>

/** Times are milliseconds since the epoch. */
export interface LedgerQuery {
  /** Postings from then on are shown; the replay still begins with the first event. */
  from: number
  /** The history ends before it. */
  until: number
  /** Which of those that could be shown are; all unless it is given. */
  window?: { offset: number; limit: number }
}

/** A posting with the event that records it. */
export interface LedgerEntry extends Posting, PostedFiles {
  revision: Revision
  position: LogPosition
  eventId: string
  /** Of the event, in the ledger's chain. */
  hash: string
  /** A key's id, `operator`, or `system` for recovery and background work. */
  actor: string
  correlationId: string | null
}

/** What a replay comes to. */
export interface LedgerReport {
  accountId: Uuid
  /** Of the last event that was replayed; null without events. */
  revision: Revision | null
  /** Of that event: it covers all before it. */
  hash: string | null
  /**
   * No posting can come any more before the end of what was asked for: something was posted after it, by a clock that is
   * not suspected, or the ledger is closed.
   */
  isOver: boolean
  /** Whether nothing can be posted ever again, nor a charge settled. */
  isClosed: boolean
  /** From the first on. */
  postings: number
  /** Of these, the ones that could be shown, whatever the window. */
  shown: number
  /** Before the first that could be shown, and after the last. */
  opening: Money
  closing: Money
  /** Of those that could be shown; costs are net of refunds, by price key. */
  totals: Totals
  costs: ReadonlyMap<string, Money>
  /** The months whose books were opened. */
  books: (CarriedOver & { revision: Revision; position: LogPosition })[]
  /** At the end: how many, what is left of them, and the first of them. */
  openCharges: { count: number; rest: Money; first: ReplayedCharge[] }
  proof: ProofLine[]
  /** Whether every line of the proof does. */
  holds: boolean
}

/** Pages of what is shown, then what it comes to. */
export type ReplayedLedger = AsyncGenerator<LedgerEntry[], LedgerReport, void>
