import { InsufficientFunds, type Tier } from '@medialog/domain'
import type { Money, Uuid } from '@medialog/kernel'
import type { RequestContext } from './context.ts'
import type { Dependencies } from './dependencies.ts'
import { AccountSuspended, QuotaExceeded } from './errors.ts'
import { unlessAway } from './unless-away.ts'

/**
 * Quota, then money, before anything is written; the ledger is the judge of races.
 * @throws AccountSuspended, QuotaExceeded, InsufficientFunds
 */
export async function refuseUnpayable(
  dependencies: Pick<Dependencies, 'catalog' | 'streams' | 'settings'>,
  context: RequestContext,
  cost: Money,
): Promise<void> {
  const { accountId, tier } = context.principal
  refuseSuspended(context)
  await requireQuota(dependencies, accountId, tier)
  await requireBalance(dependencies, accountId, cost)
}

/**
 * Money for what stores nothing, before any work is done for it. What is free is anybody's.
 * @throws AccountSuspended, InsufficientFunds
 */
export async function refusePenniless(
  dependencies: Pick<Dependencies, 'streams'>,
  context: RequestContext,
  least: Money,
): Promise<void> {
  if (least === 0n) return
  refuseSuspended(context)
  await requireBalance(dependencies, context.principal.accountId, least)
}

async function requireBalance(
  { streams }: Pick<Dependencies, 'streams'>,
  accountId: Uuid,
  cost: Money,
): Promise<void> {
  const { selected: balance } = await streams.load('ledger', accountId, (ledger) => ledger.balance)
  if (balance < cost) throw new InsufficientFunds(cost, balance)
}

/** @throws AccountSuspended */
export function refuseSuspended({ principal }: Pick<RequestContext, 'principal'>): void {
  if (principal.status === 'suspended') throw new AccountSuspended()
}

/** @throws QuotaExceeded once as many vectors are stored as the tier may hold; nobody counts them while the catalog is away */
export async function requireQuota(
  { catalog, settings }: Pick<Dependencies, 'catalog' | 'settings'>,
  accountId: Uuid,
  tier: Tier,
): Promise<void> {
  const quota = settings.quotas[tier]
  const stored = await unlessAway(catalog.storage(accountId))
  if (stored && stored.vectors >= quota) throw new QuotaExceeded(quota, stored.vectors)
}
