import { z } from 'zod'
import { chargeLine, instant, money, uuid } from './common.ts'

const cause = z.object({
  operation: z.string(),
  requestId: uuid.optional(),
  requestStream: uuid.optional(),
  jobId: uuid.optional(),
  batchId: uuid.optional(),
  mediaId: uuid.optional(),
})

export const ledgerEvents = {
  BalanceCredited: z.object({
    creditId: z.string(),
    amount: money,
    reference: z.string().nullable(),
    at: instant,
  }),
  BalanceCharged: z.object({
    chargeId: z.string(),
    amount: money,
    lines: z.array(chargeLine),
    cause,
    at: instant,
  }),
  ChargeSettled: z.object({ chargeId: z.string(), at: instant }),
  BalanceRefunded: z.object({
    refundId: z.string(),
    chargeId: z.string(),
    amount: money,
    lines: z.array(chargeLine),
    reason: z.string(),
    at: instant,
  }),
  LedgerClosed: z.object({ balance: money, at: instant }),
  BooksClosed: z.object({
    month: z.string().regex(/^\d{4}-(0[1-9]|1[0-2])$/),
    balance: money,
    totals: z.object({ credited: money, charged: money, refunded: money }),
    openCharges: z.array(
      z.object({
        chargeId: z.string(),
        amount: money,
        rest: z.array(chargeLine),
        refundIds: z.array(z.string()).optional(),
      }),
    ),
  }),
}
