import { isoTime } from '@medialog/kernel'
import type { UsageAt, UsageDiff } from '../application.ts'
import type { RequestContext } from '../context.ts'
import type { Dependencies } from '../dependencies.ts'
import { InvalidInput } from '../errors.ts'
import { accountAt } from './usage.ts'

/**
 * What the account had spent at two moments, postings of the very moments included, and what came in between.
 * @throws InvalidInput, AccountNotFound, AccountNotYetOpen
 */
export async function usageDiff(
  dependencies: Pick<Dependencies, 'usage' | 'accounts'>,
  { principal: { accountId } }: RequestContext,
  { from, to }: { from: number; to: number },
): Promise<UsageDiff> {
  if (from > to)
    throw new InvalidInput('VALIDATION_ERROR', 'from must not be after to.', {
      parameter: 'from',
      reason: 'must not be after to',
      from: isoTime(from),
      to: isoTime(to),
    })
  const [before, after] = (await Promise.all(
    [from, to].map((at) => usageAt(dependencies, accountId, at)),
  )) as [UsageAt, UsageAt]
  return {
    from: before,
    to: after,
    balance: after.balance - before.balance,
    costs: new Map([...after.costs].map(([key, cost]) => [key, cost - (before.costs.get(key) ?? 0n)])),
  }
}

async function usageAt(
  { usage, accounts }: Pick<Dependencies, 'usage' | 'accounts'>,
  accountId: string,
  at: number,
): Promise<UsageAt> {
  const [account, balance, costs] = await Promise.all([
    accountAt(accounts, accountId, at),
    usage.balance(accountId, at),
    usage.costs(accountId, { from: 0, to: at + 1 }),
  ])
  return { at, account, balance, costs }
}
