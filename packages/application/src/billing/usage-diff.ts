import { AccountNotFound } from '@medialog/domain'
import type { UsageAt, UsageDiff } from '../application.ts'
import type { RequestContext } from '../core/context.ts'
import type { Dependencies } from '../dependencies.ts'
import { requireInOrder } from './usage.ts'

/**
 * What the account had spent at two moments, postings of the very moments included, and what came in between.
 * @throws InvalidInput, AccountNotFound
 */
export async function usageDiff(
  { usage, accounts }: Pick<Dependencies, 'usage' | 'accounts'>,
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
