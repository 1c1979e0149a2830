import { AccountNotFound } from '@medialog/domain'
import { isoTime, type Money, type Uuid } from '@medialog/kernel'
import type { RequestContext } from '../core/context.ts'
import { AccountNotYetOpen, InvalidInput } from '../core/errors.ts'
import type { Ports } from '../core/ports.ts'
import { unlessAway } from '../core/unless-away.ts'
import { streamName } from '../event-sourcing/streams.ts'
import {
  StreamDamaged,
  type AccountRecord,
  type Accounts,
  type EventStore,
  type GroupBy,
  type TimeRange,
  type Usage,
  type Transaction,
} from '../ports/index.ts'

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

/** How many postings a detailed report shows. */
const RECENT_TRANSACTIONS = 50

export type UsagePorts = Pick<Ports, 'eventStore' | 'usage' | 'catalog' | 'accounts' | 'settings'>

/**
 * What the account spent, holds and may hold; with `asOf` as it was then, postings of that very moment included.
 * @throws InvalidInput, AccountNotFound, AccountNotYetOpen; StreamDamaged where the ledger is
 */
export async function readUsage(
  { eventStore, usage, catalog, accounts, settings }: UsagePorts,
  { principal: { accountId } }: RequestContext,
  { from, to, groupBy, detailed, asOf, endsAtAsOf = false }: UsageQuery,
): Promise<UsageReport> {
  requireInOrder(['start_time', from], ['end_time', to])
  const range = { from, to: asOf === undefined || to < asOf || endsAtAsOf ? to : asOf + 1 }
  await requireWholeLedger(eventStore, accountId)
  const [account, balance, lastChargeAt, costs, stored, detail] = await Promise.all([
    accountAt(accounts, accountId, asOf),
    usage.balance(accountId, asOf),
    usage.lastChargeAt(accountId, asOf),
    usage.costs(accountId, range),
    asOf === undefined ? catalog.storage(accountId) : null,
    detailed ? detailOf(usage, accountId, range, groupBy, asOf) : null,
  ])
  return {
    account,
    balance,
    lastChargeAt,
    costs,
    prices: new Map(Object.entries(settings.prices)),
    storage: { stored, quota: settings.quotas[account.tier] },
    detail,
  }
}

async function detailOf(
  usage: Usage,
  accountId: Uuid,
  range: TimeRange,
  groupBy: GroupBy,
  asOf: number | undefined,
): Promise<UsageReport['detail']> {
  const [trends, before, balances, transactions] = await Promise.all([
    usage.trends(accountId, range, groupBy),
    usage.balance(accountId, range.from - 1),
    usage.balances(accountId, range, groupBy),
    usage.transactions(accountId, { limit: RECENT_TRANSACTIONS, asOf }),
  ])
  return { trends: byPrice(trends), before, balances, transactions }
}

/** A sum over half a ledger is not the balance. An unavailable log refuses none. @throws StreamDamaged */
async function requireWholeLedger(eventStore: Pick<EventStore, 'damaged'>, accountId: Uuid): Promise<void> {
  const [damage] = (await unlessAway(eventStore.damaged(streamName('ledger', accountId)))) ?? []
  if (damage) throw new StreamDamaged(damage)
}

/** @throws InvalidInput where the first of two moments, each with its parameter's name, is after the second */
export function requireInOrder([first, from]: [string, number], [last, to]: [string, number]): void {
  if (from <= to) return
  throw new InvalidInput('VALIDATION_ERROR', `${first} must not be after ${last}.`, {
    parameter: first,
    reason: `must not be after ${last}`,
    [first]: isoTime(from),
    [last]: isoTime(to),
  })
}

/** @throws AccountNotFound, AccountNotYetOpen */
export async function accountAt(accounts: Accounts, accountId: Uuid, asOf?: number): Promise<AccountRecord> {
  const account = await accounts.account(accountId, asOf)
  if (account) return account
  const opened = await accounts.account(accountId)
  throw opened && asOf !== undefined ? new AccountNotYetOpen(opened.openedAt, asOf) : new AccountNotFound()
}

/** From bucket → price key to price key → bucket. */
function byPrice(buckets: Map<string, Map<string, Money>>): Map<string, Map<string, Money>> {
  const trends = new Map<string, Map<string, Money>>()
  for (const [bucket, costs] of buckets)
    for (const [price, cost] of costs)
      trends.set(price, (trends.get(price) ?? new Map<string, Money>()).set(bucket, cost))
  return trends
}
