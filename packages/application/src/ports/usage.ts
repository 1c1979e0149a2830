import type { Cause } from '@medialog/domain'
import type { LogPosition, Money, Uuid } from '@medialog/kernel'

/** A span of time in milliseconds since the epoch: `[from, to)`. */
export interface TimeRange {
  from: number
  to: number
}

/** What a bucket of time is, in UTC. */
export type GroupBy = 'hour' | 'day' | 'month'

export interface Transaction {
  at: number
  type: 'charge' | 'refund' | 'credit'
  /** Signed: a charge is negative. */
  amount: Money
  /** Balance right after it. */
  balance: Money
  /** Of a refund: the charge's. */
  cause: Cause | null
  /** Of a credit as it was given; of a refund the reason. */
  reference: string | null
}

/** A posting by its place in the log, as the read model has it. */
export interface PostingRow {
  position: LogPosition
  /** Credit, charge or refund id. */
  id: string
  type: Transaction['type']
  at: number
  /** Signed. */
  amount: Money
  balance: Money
}

/** What was charged, refunded and credited, as a read model of the ledgers. */
export interface Usage {
  /** As it is, or as it was at a moment (milliseconds). Zero for an account without postings. */
  balance(accountId: Uuid, asOf?: number): Promise<Money>
  /** Charges net of refunds by price key; a refund counts at the time of the refund. */
  costs(accountId: Uuid, range: TimeRange): Promise<Map<string, Money>>
  /** The same by bucket (UTC: `2026-11-20`, `2026-11-20T13:00:00Z`, `2026-11`), then price key. */
  trends(accountId: Uuid, range: TimeRange, groupBy: GroupBy): Promise<Map<string, Map<string, Money>>>
  /** The balance at the end of each bucket in which anything was posted, in the order of time. */
  balances(accountId: Uuid, range: TimeRange, groupBy: GroupBy): Promise<Map<string, Money>>
  /** Newest first. */
  transactions(accountId: Uuid, options: { limit: number; asOf?: number }): Promise<Transaction[]>
  /** Oldest first, those behind `after` (null: from the first). */
  postings(
    accountId: Uuid,
    options: { after: Pick<PostingRow, 'at' | 'position'> | null; limit: number },
  ): Promise<PostingRow[]>
  /** The amount of the credit with that id, or null where none was ever posted. */
  credited(accountId: Uuid, creditId: string): Promise<Money | null>
  /** Time of the last charge, or null. */
  lastChargeAt(accountId: Uuid, asOf?: number): Promise<number | null>
  position(): Promise<LogPosition>
}
