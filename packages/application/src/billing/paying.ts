import { InsufficientFunds } from '@medialog/domain'
import type { Money, Uuid } from '@medialog/kernel'
import type { RequestContext } from '../core/context.ts'
import { AccountSuspended, InvalidApiKey } from '../core/errors.ts'
import type { Ports } from '../core/ports.ts'
import type { Quota } from './quota.ts'

/**
 * Quota, then money, before anything is written; the ledger is the judge of races.
 * @throws AccountSuspended, QuotaExceeded, InsufficientFunds; what `requireCost` does; EngineUnavailable while it is not known
 *   how much is stored
 */
export async function refuseUnpayable(
  ports: Pick<Ports, 'streams'>,
  quota: Quota,
  context: RequestContext,
  cost: Money,
): Promise<void> {
  const { accountId, tier } = context.principal
  context.requireCost?.(cost)
  refuseSuspended(context)
  await quota.require(accountId, tier)
  await requireBalance(ports, accountId, cost)
}

/**
 * Money for what stores nothing, before any work is done for it. What is free is anybody's.
 * @throws AccountSuspended, InsufficientFunds
 */
export async function refusePenniless(
  ports: Pick<Ports, 'streams'>,
  context: RequestContext,
  least: Money,
): Promise<void> {
  if (least === 0n) return
  refuseSuspended(context)
  await requireBalance(ports, context.principal.accountId, least)
}

async function requireBalance(
  { streams }: Pick<Ports, 'streams'>,
  accountId: Uuid,
  cost: Money,
): Promise<void> {
  // The ledger decides when it is charged.
  const known = streams.peek('ledger', accountId, (ledger) => ledger.balance, { pending: true })
  if (known !== undefined && known >= cost) return
  const { selected: balance } = await streams.load('ledger', accountId, (ledger) => ledger.balance)
  if (balance < cost) throw new InsufficientFunds(cost, balance)
}

/**
 * For what writes names that are erased with the account: it may have been closed, and erased, while the files came in.
 * @throws InvalidApiKey
 */
export async function refuseClosed(
  { streams }: Pick<Ports, 'streams'>,
  { principal: { accountId } }: Pick<RequestContext, 'principal'>,
): Promise<void> {
  const { selected: status } = await streams.load('account', accountId, (account) => account.status)
  if (status === 'closed') throw new InvalidApiKey()
}

/** @throws AccountSuspended */
export function refuseSuspended({ principal }: Pick<RequestContext, 'principal'>): void {
  if (principal.status === 'suspended') throw new AccountSuspended()
}
