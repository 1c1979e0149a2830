import { AccountNotFound } from '@medialog/domain'
import { isoTime, type Money, type Uuid } from '@medialog/kernel'
import type { UsageQuery, UsageReport } from '../application.ts'
import type { RequestContext } from '../context.ts'
import type { Dependencies } from '../dependencies.ts'
import { AccountNotYetOpen, InvalidInput } from '../errors.ts'
import type { AccountRecord, Accounts } from '../ports/index.ts'

/** How many postings a detailed report shows. */
const RECENT_TRANSACTIONS = 50

/**
 * What the account spent, holds and may hold; with `asOf` as it was then, postings of that very moment included.
 * @throws InvalidInput, AccountNotFound, AccountNotYetOpen
 */
export async function readUsage(
  { usage, catalog, accounts, settings }: Pick<Dependencies, 'usage' | 'catalog' | 'accounts' | 'settings'>,
  { principal: { accountId } }: RequestContext,
  { from, to, groupBy, detailed, asOf }: UsageQuery,
): Promise<UsageReport> {
  requireInOrder(['start_time', from], ['end_time', to])
  const range = { from, to: asOf === undefined || to < asOf ? to : asOf + 1 }
  const [account, balance, lastChargeAt, costs, stored] = await Promise.all([
    accountAt(accounts, accountId, asOf),
    usage.balance(accountId, asOf),
    usage.lastChargeAt(accountId, asOf),
    usage.costs(accountId, range),
    asOf === undefined ? catalog.storage(accountId) : null,
  ])
  return {
    account,
    balance,
    lastChargeAt,
    costs,
    prices: new Map(Object.entries(settings.prices)),
    storage: { stored, quota: settings.quotas[account.tier] },
    detail: detailed
      ? {
          trends: byPrice(await usage.trends(accountId, range, groupBy)),
          transactions: await usage.transactions(accountId, { limit: RECENT_TRANSACTIONS, asOf }),
        }
      : null,
  }
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
