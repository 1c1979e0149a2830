import type { ReadUsageData } from '@medialog/client'
import { expect, test } from 'vitest'
import { balancesOf } from './balances.ts'

const at = Date.parse
const posting = (timestamp: string, amount: number) =>
  ({ timestamp, amount, type: amount > 0 ? 'credit' : 'charge', status: 'completed' }) as const

const usage = (balance: number, detail: Partial<NonNullable<ReadUsageData['detailed_metrics']>>) =>
  ({
    account_info: { balance },
    detailed_metrics: {
      usage_trends: {},
      opening_balance: 0,
      balance_trend: {},
      recent_transactions: [],
      ...detail,
    },
  }) as unknown as ReadUsageData

test('of a new account every posting is a point, exact to the nano-dollar', () => {
  const recent_transactions = [
    posting('2026-11-20T12:00:09Z', -0.1),
    posting('2026-11-20T12:00:05Z', -0.2),
    posting('2026-11-20T12:00:00Z', 0.3),
  ]
  const trend = { balance_trend: { '2026-11-20T12:00:00Z': 0 }, recent_transactions }
  expect(balancesOf(usage(0, trend), at('2026-11-13'))).toEqual([
    { at: at('2026-11-20T12:00:00Z'), value: 0.3 },
    { at: at('2026-11-20T12:00:05Z'), value: 0.1 },
    { at: at('2026-11-20T12:00:09Z'), value: 0 },
  ])
})

test('older balances are those at the ends of hours or days, and none is from before the span', () => {
  const detail = {
    opening_balance: 9,
    balance_trend: { '2026-11-18': 8, '2026-11-19': 5, '2026-11-20': 4 },
    recent_transactions: [posting('2026-11-20T10:00:00Z', -1), posting('2026-11-01T00:00:00Z', -3)],
  }
  expect(balancesOf(usage(4, detail), at('2026-11-13'))).toEqual([
    { at: at('2026-11-13'), value: 9 },
    { at: at('2026-11-19'), value: 8 },
    { at: at('2026-11-20'), value: 5 },
    { at: at('2026-11-20T10:00:00Z'), value: 4 },
  ])
})
