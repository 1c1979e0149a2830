import type { LedgerEntry, LedgerReport, ProofLine } from '@medialog/application'
import type { LedgerReport as ReportView, Posting, Proof } from '@medialog/contract/http'
import {
  batchId,
  isoTime,
  jobId as jobIds,
  requestId,
  sum,
  toUsdNumber,
  vectorId,
  type LogPosition,
  type Money,
} from '@medialog/kernel'
import type { z } from 'zod'

/** The reader: positions of the log reveal other accounts' activity, so only the operator sees them. */
export type Reader = 'account' | 'operator'

const positionFor = (reader: Reader, position: LogPosition | null): { position?: number } =>
  reader === 'operator' && position !== null ? { position } : {}

export function postingView(entry: LedgerEntry, reader: Reader): z.input<typeof Posting> {
  const { revision, position, eventId, hash } = entry
  return {
    ...postingOf(entry, toUsdNumber),
    revision,
    ...positionFor(reader, position),
    event_id: eventId,
    hash,
  }
}

/** What every form of a posting says, with amounts as `amountOf` writes them. */
export function postingOf<Amount>(entry: LedgerEntry, amountOf: (amount: Money) => Amount) {
  const { revision, at, kind, id, chargeId, amount, balance, lines } = entry
  return {
    revision,
    at: isoTime(at),
    kind,
    id,
    ...(chargeId !== null && { charge_id: chargeId }),
    amount: amountOf(amount),
    balance: amountOf(balance),
    lines: lines.map(({ price, amount }) => ({ price, amount: amountOf(amount) })),
    cause: causeOf(entry),
  }
}

function causeOf({ cause, jobId, filename, files, reference, actor, correlationId }: LedgerEntry) {
  return {
    ...(cause && { operation: cause.operation }),
    ...(cause?.requestId && { request_id: requestId.format(cause.requestId) }),
    ...(jobId !== null && { job_id: jobIds.format(jobId) }),
    ...(cause?.batchId && { batch_id: batchId.format(cause.batchId) }),
    ...(cause?.mediaId && { media_id: vectorId(cause.mediaId) }),
    ...(filename !== null && { filename }),
    ...(files !== null && { files }),
    ...(reference !== null && { reference }),
    actor,
    ...(correlationId !== null && { correlation_id: correlationId }),
  }
}

export function reportView(
  report: LedgerReport,
  range: { from: number | null; until: number | null },
  reader: Reader,
): z.input<typeof ReportView> {
  const { accountId, opening, closing, totals, costs, books, openCharges, proof, holds } = report
  const time = (at: number | null): string | null => (at === null ? null : isoTime(at))
  return {
    account_id: accountId,
    range: { from: time(range.from), until: time(range.until) },
    opening_balance: toUsdNumber(opening),
    closing_balance: toUsdNumber(closing),
    totals: {
      credited: toUsdNumber(totals.credited),
      charged: toUsdNumber(totals.charged),
      refunded: toUsdNumber(totals.refunded),
    },
    costs: amountsOf(costs, toUsdNumber),
    books: books.map(({ into, balance, revision, position }) => ({
      into,
      balance: toUsdNumber(balance),
      revision,
      ...positionFor(reader, position),
    })),
    open_charges: {
      count: openCharges.count,
      amount: toUsdNumber(openCharges.rest),
      first: openCharges.first.map(({ chargeId, at, cause, amount, rest }) => ({
        charge_id: chargeId,
        at: isoTime(at),
        operation: cause.operation,
        amount: toUsdNumber(amount),
        left: toUsdNumber(sum(rest.values())),
      })),
    },
    proof: proofView(proof, holds, reader),
  }
}

export const amountsOf = <Amount>(
  amounts: ReadonlyMap<string, Money>,
  amountOf: (amount: Money) => Amount,
): { [key: string]: Amount } =>
  Object.fromEntries([...amounts].map(([key, amount]) => [key, amountOf(amount)]))

export const proofView = (
  lines: readonly ProofLine[],
  holds: boolean,
  reader: Reader,
): z.input<typeof Proof> => ({
  holds,
  lines: lines.map(({ name, statement, holds, trouble, checked, faultCount, faults }) => ({
    name,
    statement,
    holds,
    ...(trouble !== null && { trouble }),
    checked,
    fault_count: faultCount,
    faults: faults.map(({ revision, position, subject, reason }) => ({
      ...(revision !== null && { revision }),
      ...positionFor(reader, position),
      subject,
      reason,
    })),
  })),
})
