import { sum } from '@medialog/kernel'
import type { UsageAnswer } from '../client/answers.ts'
import { bar } from '../terminal/bar.ts'
import { bytes, dollars, localTime, money } from '../terminal/format.ts'
import type { Look } from '../terminal/look.ts'
import { pairs, table } from '../terminal/table.ts'
import { clean } from '../terminal/text.ts'

/** The bill: costs by operation and their exact total, storage, and with details what was booked when. */
export function renderUsage(usage: UsageAnswer, look: Look): string[] {
  const { account_info: account, billing_summary: bill, storage_usage: storage } = usage
  return [
    ...pairs(
      [
        ['balance', look.bold(dollars(bill.current_balance))],
        ['tier', `${clean(account.tier)}, ${clean(account.payment_status)}`],
        ['storage', storedOf(storage.total, look)],
      ],
      look,
    ),
    '',
    ...costs(bill, look),
    ...trends(usage, look),
    ...transactions(usage, look),
  ]
}

/** Of the past only the quota is known. */
function storedOf(total: UsageAnswer['storage_usage']['total'], look: Look): string {
  const { vectors, size_gb: gigabytes = 0, quota_limit: quota, quota_used_percent: used = 0 } = total
  const most = `${quota.toLocaleString('en-US')} vectors`
  if (vectors === undefined) return `at most ${most}`
  return `${look.accent(bar(used / 100, 10))}  ${vectors.toLocaleString('en-US')} of ${most} (${Number(used.toPrecision(3))} %), ${bytes(gigabytes * 1e9)}`
}

function costs({ usage_costs: used, pricing }: UsageAnswer['billing_summary'], look: Look): string[] {
  const rows = Object.entries(used)
    .filter(([, cost]) => cost !== 0)
    .map(([operation, cost]) => ({ operation, cost: dollars(cost), price: pricing[operation] }))
  const total = sum(Object.values(used).map(money))
  return table(
    [...rows, { operation: 'total', cost: dollars(total), price: undefined }],
    [
      {
        title: 'OPERATION',
        value: ({ operation }) => clean(operation),
        paint: ({ operation }, { bold }) => (operation === 'total' ? bold : String),
      },
      { title: 'PRICE', value: ({ price }) => (price === undefined ? '' : dollars(price)), align: 'right' },
      {
        title: 'COST',
        value: ({ cost }) => cost,
        align: 'right',
        paint: ({ operation }, { bold }) => (operation === 'total' ? bold : String),
      },
    ],
    look,
  )
}

function trends({ detailed_metrics: details }: UsageAnswer, look: Look): string[] {
  const rows = Object.entries(details?.usage_trends ?? {})
    .flatMap(([operation, costs]) => Object.entries(costs).map(([date, cost]) => ({ date, operation, cost })))
    .sort((a, b) => a.date.localeCompare(b.date) || a.operation.localeCompare(b.operation))
  if (rows.length === 0) return []
  return [
    '',
    ...table(
      rows,
      [
        { title: 'PERIOD', value: ({ date }) => clean(date) },
        { title: 'OPERATION', value: ({ operation }) => clean(operation) },
        { title: 'COST', value: ({ cost }) => dollars(cost), align: 'right' },
      ],
      look,
    ),
  ]
}

function transactions({ detailed_metrics: details }: UsageAnswer, look: Look): string[] {
  const rows = details?.recent_transactions ?? []
  if (rows.length === 0) return []
  return [
    '',
    ...table(
      rows,
      [
        { title: 'WHEN', value: ({ timestamp }) => localTime(timestamp), paint: (_, { dim }) => dim },
        { title: 'TYPE', value: ({ type }) => clean(type) },
        {
          title: 'AMOUNT',
          value: ({ amount }) => dollars(amount),
          align: 'right',
          paint: ({ amount }, { good }) => (amount > 0 ? good : String),
        },
        { title: 'STATUS', value: ({ status }) => clean(status) },
      ],
      look,
    ),
  ]
}
