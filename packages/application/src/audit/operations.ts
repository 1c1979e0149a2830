import { counted, fromUsdNumber, sum, toUsdNumber, type Json, type Money } from '@medialog/kernel'
import type { Prices } from '../billing/prices.ts'
import type { Ports } from '../core/ports.ts'
import type { OperationKinds } from '../operations/operations.ts'
import { repriceHistory, type RepricedAccount, type Repricing } from './reprice.ts'

/** `audit-reprice`: what history would have cost under other prices. */
export const auditOperations = (
  ports: Pick<Ports, 'eventStore' | 'accounts' | 'settings' | 'clock'>,
): Pick<OperationKinds, 'audit-reprice'> => ({
  async 'audit-reprice'({ prices, from, to, account_id: accountId = null }, report) {
    const query = {
      prices: Object.fromEntries(
        Object.entries(prices).map(([key, price]) => [key, fromUsdNumber(price)]),
      ) as Partial<Prices>,
      from: from === undefined ? 0 : Date.parse(from),
      until: to === undefined ? ports.clock.now() + 1 : Date.parse(to),
      accountId,
    }
    const accounts = await repriceHistory(ports, query, (done, all) =>
      report(done / all, `replayed ${done} of ${counted(all, 'account')}`),
    )
    return {
      accounts: accounts.map(accountView),
      operations: operationsView(inAll(accounts)),
      ...totalsView([...inAll(accounts).values()]),
    }
  },
})

function inAll(accounts: readonly RepricedAccount[]): Map<string, Repricing> {
  const all = new Map<string, Repricing>()
  for (const { operations } of accounts)
    for (const [key, { charged, repriced }] of operations) {
      const before = all.get(key) ?? { charged: 0n, repriced: 0n }
      all.set(key, { charged: before.charged + charged, repriced: before.repriced + repriced })
    }
  return all
}

const accountView = ({ accountId, name, charges, operations, unexplained }: RepricedAccount): Json => ({
  account_id: accountId,
  name,
  charges,
  unexplained: { charges: unexplained.charges, amount: toUsdNumber(unexplained.amount) },
  operations: operationsView(operations),
  ...totalsView([...operations.values()]),
})

const operationsView = (operations: ReadonlyMap<string, Repricing>): { [key: string]: Json } =>
  Object.fromEntries([...operations].map(([key, repricing]) => [key, totalsView([repricing])]))

function totalsView(all: readonly Repricing[]): { charged: number; repriced: number; difference: number } {
  const charged = sum(all.map((one) => one.charged))
  const repriced = sum(all.map((one) => one.repriced))
  const view = (amount: Money): number => toUsdNumber(amount)
  return { charged: view(charged), repriced: view(repriced), difference: view(repriced - charged) }
}
