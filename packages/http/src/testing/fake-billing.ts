import type { Application } from '@medialog/application'
import { usd } from '@medialog/kernel'
import { ACCOUNT_RECORD, NOW } from './fixtures.ts'

export const fakeBilling: Application['billing'] = {
  usage: async (_context, { detailed }) => ({
    account: ACCOUNT_RECORD,
    balance: usd('9.96'),
    lastChargeAt: NOW,
    costs: new Map([['DOCUMENT_PROCESSING', usd('0.03')]]),
    prices: new Map([['DOCUMENT_PROCESSING', usd('0.03')]]),
    storage: { stored: { vectors: 12, bytes: 4096 }, quota: 1_000_000 },
    detail: detailed
      ? {
          trends: new Map([['DOCUMENT_PROCESSING', new Map([['2026-11-20', usd('0.03')]])]]),
          before: usd('10'),
          balances: new Map([['2026-11-20', usd('9.96')]]),
          transactions: [
            {
              at: NOW,
              type: 'charge',
              amount: usd('-0.04'),
              balance: usd('9.96'),
              cause: null,
              reference: null,
            },
          ],
        }
      : null,
  }),
  async usageDiff(_context, { from, to }) {
    const at = (at: number, balance: string, cost: string) => ({
      at,
      account: ACCOUNT_RECORD,
      balance: usd(balance),
      costs: new Map([['DOCUMENT_PROCESSING', usd(cost)]]),
    })
    return {
      from: at(from, '10', '0'),
      to: at(to, '9.97', '0.03'),
      balance: -usd('0.03'),
      costs: new Map([['DOCUMENT_PROCESSING', usd('0.03')]]),
    }
  },
}
