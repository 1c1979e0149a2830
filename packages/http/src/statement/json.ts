import type { LedgerEntry, Statement as MadeStatement } from '@medialog/application'
import type { Statement } from '@medialog/contract/http'
import { formatUsd, isoTime } from '@medialog/kernel'
import type { z } from 'zod'
import { amountsOf, postingOf, proofView, type Reader } from '../views/ledger.ts'
import { headOf } from './head.ts'

/** The answer up to where its postings begin: they are the last field. */
export function jsonHead(statement: MadeStatement, reader: Reader): string {
  const { accountId, name, month, from, until, madeAt, final, report } = statement
  const { opening, closing, totals, costs, openCharges, proof, holds } = report
  const data: Omit<z.input<typeof Statement>, 'postings'> = {
    account_id: accountId,
    account_name: name,
    month,
    from: isoTime(from),
    until: isoTime(until),
    made_at: isoTime(madeAt),
    final,
    opening_balance: formatUsd(opening),
    credited: formatUsd(totals.credited),
    charged: formatUsd(totals.charged),
    refunded: formatUsd(totals.refunded),
    closing_balance: formatUsd(closing),
    costs: amountsOf(costs, formatUsd),
    open_charges: { count: openCharges.count, amount: formatUsd(openCharges.rest) },
    ledger: headOf(statement),
    proof: proofView(proof, holds, reader),
  }
  const before = { success: true, message: `The statement of ${month}.`, timestamp: isoTime(madeAt) }
  return `${JSON.stringify(before).slice(0, -1)},"data":${JSON.stringify(data).slice(0, -1)},"postings":[`
}

export const jsonPostings = (entries: readonly LedgerEntry[]): string =>
  entries.map((entry) => JSON.stringify(postingOf(entry, formatUsd))).join(',')

export const JSON_END = ']}}'
