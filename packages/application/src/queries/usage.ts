import { AccountNotFound } from '@medialog/domain'
import { isoTime, type Money } from '@medialog/kernel'
import type { UsageQuery, UsageReport } from '../application.ts'
import type { RequestContext } from '../context.ts'
import type { Dependencies } from '../dependencies.ts'
import { InvalidInput } from '../errors.ts'

/** How many postings a detailed report shows. */
const RECENT_TRANSACTIONS = 50

/** What the account spent, holds and may hold; `asOf` answers from the postings as they were then. @throws InvalidInput, AccountNotFound */
export async function readUsage(
  { usage, catalog, accounts, settings }: Pick<Dependencies, 'usage' | 'catalog' | 'accounts' | 'settings'>,
  { principal: { accountId } }: RequestContext,
  { from, to, groupBy, detailed, asOf }: UsageQuery,
): Promise<UsageReport> {
  if (from > to)
    throw new InvalidInput('VALIDATION_ERROR', 'start_time must not be after end_time.', {
      parameter: 'start_time',
      reason: 'must not be after end_time',
      start_time: isoTime(from),
      end_time: isoTime(to),
    })
  const range = { from, to: asOf === undefined ? to : Math.min(to, asOf + 1) }
  const [account, balance, lastChargeAt, costs, stored] = await Promise.all([
    accounts.account(accountId),
    usage.balance(accountId, asOf),
    usage.lastChargeAt(accountId, asOf),
    usage.costs(accountId, range),
    catalog.storage(accountId),
  ])
  if (!account) throw new AccountNotFound()
  return {
    account,
    balance,
    lastChargeAt,
    costs,
    prices: new Map(Object.entries(settings.prices)),
    storage: { ...stored, quota: settings.quotas[account.tier] },
    detail: detailed
      ? {
          trends: byPrice(await usage.trends(accountId, range, groupBy)),
          transactions: await usage.transactions(accountId, { limit: RECENT_TRANSACTIONS, asOf }),
        }
      : null,
  }
}

/** From bucket → price key to price key → bucket. */
function byPrice(buckets: Map<string, Map<string, Money>>): Map<string, Map<string, Money>> {
  const trends = new Map<string, Map<string, Money>>()
  for (const [bucket, costs] of buckets)
    for (const [price, cost] of costs)
      trends.set(price, (trends.get(price) ?? new Map<string, Money>()).set(bucket, cost))
  return trends
}
