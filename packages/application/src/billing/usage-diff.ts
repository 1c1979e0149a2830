import { AccountNotFound } from '@medialog/domain'
import type { Money } from '@medialog/kernel'
import type { RequestContext } from '../core/context.ts'
import type { Ports } from '../core/ports.ts'
import type { AccountRecord } from '../ports/index.ts'
import { requireInOrder } from './usage.ts'

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

/**
 * What the account had spent at two moments, postings of the very moments included, and what came in between.
 * @throws InvalidInput, AccountNotFound
 */
export async function usageDiff(
  { usage, accounts }: Pick<Ports, 'usage' | 'accounts'>,
  { principal: { accountId } }: RequestContext,
  { from, to }: { from: number; to: number },
): Promise<UsageDiff> {
  requireInOrder(['from', from], ['to', to])
  if (!(await accounts.account(accountId))) throw new AccountNotFound()
  const usageAt = async (at: number): Promise<UsageAt> => ({
    at,
    account: await accounts.account(accountId, at),
    balance: await usage.balance(accountId, at),
    costs: await usage.costs(accountId, { from: 0, to: at + 1 }),
  })
  const [before, after] = await Promise.all([usageAt(from), usageAt(to)])
  return {
    from: before,
    to: after,
    balance: after.balance - before.balance,
    costs: new Map([...after.costs].map(([key, cost]) => [key, cost - (before.costs.get(key) ?? 0n)])),
  }
}
