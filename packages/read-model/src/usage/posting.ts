import type { Transaction, UsageChange } from '@medialog/application/ports'
import type { Money } from '@medialog/kernel'

/** A posting as it is stored, without what depends on those before it. */
export interface Posting {
  type: Transaction['type']
  /** Credit, charge or refund id. */
  id: string
  /** Signed: what it did to the balance. */
  amount: Money
  /** Signed: what it did to the costs, by price. */
  costs: { price: string; amount: Money }[]
  reference: string | null
}

export function postingOf(change: UsageChange): Posting {
  const { amount } = change
  switch (change.type) {
    case 'PostCredit':
      return { type: 'credit', id: change.creditId, amount, costs: [], reference: change.reference }
    case 'PostCharge':
      return {
        type: 'charge',
        id: change.chargeId,
        amount: -amount,
        costs: change.lines.map(({ price, amount }) => ({ price, amount })),
        reference: null,
      }
    case 'PostRefund':
      return {
        type: 'refund',
        id: change.refundId,
        amount,
        costs: change.lines.map(({ price, amount }) => ({ price, amount: -amount })),
        reference: change.reason,
      }
  }
}

/** A charge or refund as the SQLite read model keeps it. */
export interface PostedRow {
  at: bigint
  type: 'charge' | 'refund'
  /** JSON: [[price key, digits], …], positive for charge and refund alike. */
  lines: string
}

/** What it did to the costs, by price. */
export const postedCosts = ({
  type,
  lines,
}: Pick<PostedRow, 'type' | 'lines'>): [price: string, amount: Money][] =>
  (JSON.parse(lines) as [string, string][]).map(([price, digits]) => [
    price,
    type === 'charge' ? BigInt(digits) : -BigInt(digits),
  ])
