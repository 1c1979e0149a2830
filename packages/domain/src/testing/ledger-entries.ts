import type { Money } from '@medialog/kernel'
import type { Cause, ChargeLine, LedgerCommand, LedgerEvent } from '../ledger.ts'

/** Commands and events of the ledger in few words; times are noon of a day of 2026, `on('03-01')`. */
export const on = (day: string): number => Date.parse(`2026-${day}T12:00:00.000Z`)

export const CAUSE: Cause = { operation: 'upload', jobId: 'j' }
export const lines = (amounts: { [price: string]: Money }): ChargeLine[] =>
  Object.entries(amounts).map(([price, amount]) => ({ price, amount }))
const total = (amounts: { [price: string]: Money }): Money =>
  Object.values(amounts).reduce((sum, amount) => sum + amount, 0n)

type Amounts = { [price: string]: Money }

export const credit = (creditId: string, amount: Money, at: number): LedgerCommand => ({
  type: 'Credit',
  creditId,
  amount,
  reference: null,
  at,
})
export const credited = (creditId: string, amount: Money, at: number): LedgerEvent => ({
  type: 'BalanceCredited',
  creditId,
  amount,
  reference: null,
  at,
})
export const charge = (chargeId: string, amounts: Amounts, at: number): LedgerCommand => ({
  type: 'Charge',
  chargeId,
  lines: lines(amounts),
  cause: CAUSE,
  at,
})
export const charged = (chargeId: string, amounts: Amounts, at: number): LedgerEvent => ({
  type: 'BalanceCharged',
  chargeId,
  amount: total(amounts),
  lines: lines(amounts),
  cause: CAUSE,
  at,
})
export const settle = (chargeId: string, at: number): LedgerCommand => ({ type: 'Settle', chargeId, at })
export const settled = (chargeId: string, at: number): LedgerEvent => ({
  type: 'ChargeSettled',
  chargeId,
  at,
})
export const refund = (refundId: string, chargeId: string, amounts: Amounts, at: number): LedgerCommand => ({
  type: 'Refund',
  refundId,
  chargeId,
  lines: lines(amounts),
  reason: 'failed',
  at,
})
export const refundRest = (refundId: string, chargeId: string, at: number): LedgerCommand => ({
  type: 'RefundRest',
  refundId,
  chargeId,
  reason: 'failed',
  at,
})
export const refunded = (refundId: string, chargeId: string, amounts: Amounts, at: number): LedgerEvent => ({
  type: 'BalanceRefunded',
  refundId,
  chargeId,
  amount: total(amounts),
  lines: lines(amounts),
  reason: 'failed',
  at,
})
