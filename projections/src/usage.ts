import type { UsageChange } from '@medialog/application/ports'
import { decodedOf, type Decoded, type Projection } from './projection.ts'

/** What was charged, refunded and credited. */
export const usageProjection: Projection<UsageChange> = {
  name: 'usage',
  batchSize: 512,
  project(recorded) {
    const decoded = decodedOf('ledger', recorded)
    const change = decoded && changeOf(decoded)
    return change ? [change] : []
  },
}

function changeOf({ event, id: accountId }: Decoded<'ledger'>): UsageChange | null {
  switch (event.type) {
    case 'BalanceCredited':
      return { ...event, type: 'PostCredit', accountId }
    case 'BalanceCharged':
      return { ...event, type: 'PostCharge', accountId }
    case 'BalanceRefunded':
      return { ...event, type: 'PostRefund', accountId }
    case 'LedgerClosed':
    case 'ChargeSettled':
    case 'BooksClosed':
      return null
  }
}
