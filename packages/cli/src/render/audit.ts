import { counted } from '@medialog/kernel'
import type { LedgerReport, Operation, Posting, UsageDiff } from '../client/answers.ts'
import { dollars, localTime } from '../terminal/format.ts'
import type { Look } from '../terminal/look.ts'
import { pairs, table, type Column } from '../terminal/table.ts'
import { clean, wrap } from '../terminal/text.ts'
import { renderOperation } from './operations.ts'

/** Every posting, what they come to, and line by line whether that is proven. */
export function renderReplay(
  { postings, ...report }: LedgerReport & { postings: readonly Posting[] },
  look: Look,
): string[] {
  const { totals, costs, open_charges: open } = report
  const shown = postings.length === 0 ? ['No postings.'] : table(postings, POSTING_COLUMNS, look)
  return [
    ...shown,
    '',
    ...pairs(
      [
        ['before', dollars(report.opening_balance)],
        ['credited', dollars(totals.credited)],
        ['charged', dollars(-totals.charged)],
        ['refunded', dollars(totals.refunded)],
        ['balance', look.bold(dollars(report.closing_balance))],
        ...Object.entries(costs).map(([price, cost]) => [clean(price), dollars(cost)] as const),
      ],
      look,
    ),
    ...renderOpen(open, look),
    '',
    ...renderProof(report, look),
  ]
}

function renderOpen({ count, amount, first }: LedgerReport['open_charges'], look: Look): string[] {
  if (count === 0) return []
  const heading = `${counted(count, 'charge')} still open, ${dollars(amount)} in all`
  return [
    '',
    count > first.length ? `${heading}; the first of them:` : `${heading}:`,
    ...table(
      first,
      [
        { title: 'SINCE', value: ({ at }) => localTime(at), paint: (_, { dim }) => dim },
        { title: 'FOR', value: ({ operation }) => clean(operation), drops: true },
        { title: 'LEFT', value: ({ left }) => dollars(left), align: 'right' },
        { title: 'CHARGE', value: ({ charge_id: id }) => clean(id), paint: (_, { accent }) => accent },
      ],
      look,
    ),
  ]
}

const POSTING_COLUMNS: Column<Posting>[] = [
  { title: 'WHEN', value: ({ at }) => localTime(at), paint: (_, { dim }) => dim },
  { title: 'KIND', value: ({ kind }) => clean(kind) },
  {
    title: 'AMOUNT',
    value: ({ amount }) => dollars(amount),
    align: 'right',
    paint: ({ amount }, { good }) => (amount > 0 ? good : String),
  },
  { title: 'BALANCE', value: ({ balance }) => dollars(balance), align: 'right' },
  { title: 'FOR', value: ({ cause }) => clean(cause.operation ?? ''), drops: true },
  { title: 'WHAT', value: whatOf, shrinks: 'end', drops: true },
  { title: 'BY', value: ({ cause }) => clean(cause.actor), drops: true },
  {
    title: 'CAUSE',
    value: ({ cause, id }) => clean(cause.batch_id ?? cause.request_id ?? cause.job_id ?? id),
    drops: true,
    paint: (_, { accent }) => accent,
  },
]

function whatOf({ cause }: Posting): string {
  const { filename, files, reference } = cause
  const about = filename ?? (files === undefined ? undefined : counted(files, 'file'))
  return [about, reference]
    .filter((part) => part !== undefined)
    .map(clean)
    .join(': ')
}

function renderProof({ proof }: LedgerReport, look: Look): string[] {
  return proof.lines.flatMap(({ statement, holds, trouble, checked, fault_count: count, faults }) => [
    `${holds ? look.good('✓') : look.bad('✗')} ${clean(statement)} ${look.dim(`(${checked.toLocaleString('en-US')})`)}`,
    ...faults.map(
      ({ revision, subject, reason }) =>
        `  ${look.bad(clean(subject))}${revision === undefined ? '' : ` at revision ${revision}`}: ${clean(reason)}`,
    ),
    ...(count > faults.length ? [look.dim(`  and ${count - faults.length} more`)] : []),
    ...(trouble === undefined ? [] : [`  ${look.warn(clean(trouble))}`]),
  ])
}

export function renderUsageDiff({ from, to, difference }: UsageDiff, look: Look): string[] {
  const operations = Object.keys(to.usage_costs)
  const row = (name: string, before: number, after: number, changed: number) => ({
    name,
    values: [before, after, changed],
  })
  const rows = [
    ...operations.map((key) =>
      row(key, from.usage_costs[key] ?? 0, to.usage_costs[key] ?? 0, difference.usage_costs[key] ?? 0),
    ),
    row('balance', from.balance, to.balance, difference.balance),
  ]
  return table(
    rows,
    [
      { title: 'OPERATION', value: ({ name }) => clean(name), shrinks: 'end' },
      ...[localTime(from.at), localTime(to.at), 'DIFFERENCE'].map(
        (title, index): Column<(typeof rows)[number]> => ({
          title,
          value: ({ values }) => dollars(values[index]!),
          align: 'right',
        }),
      ),
    ],
    look,
  )
}

interface Repricing {
  charged: number
  repriced: number
  difference: number
}

interface RepriceResult extends Repricing {
  operations: { [key: string]: Repricing }
  accounts: (Repricing & {
    account_id: string
    name: string
    charges: number
    unexplained: { charges: number; amount: number }
    operations: { [key: string]: Repricing }
  })[]
}

/** The difference by account and operation, then of all. */
export function renderReprice(operation: Operation, look: Look): string[] {
  if (operation.status !== 'succeeded') return renderOperation(operation, look)
  const { accounts, operations, ...all } = operation.result as unknown as RepriceResult
  if (accounts.length === 0) return ['Nothing was charged then.']
  const rows = [
    ...accounts.flatMap(({ name, operations }) =>
      Object.entries(operations).map(([key, repricing]) => ({ name, key, ...repricing })),
    ),
    ...(accounts.length === 1
      ? []
      : Object.entries(operations).map(([key, repricing]) => ({ name: 'all', key, ...repricing }))),
    { name: 'all', key: 'total', ...all },
  ]
  const amount = (title: string, of: keyof Repricing): Column<(typeof rows)[number]> => ({
    title,
    value: (row) => dollars(row[of]),
    align: 'right',
  })
  const unexplained = accounts.reduce((sum, account) => sum + account.unexplained.charges, 0)
  return [
    ...table(
      rows,
      [
        { title: 'ACCOUNT', value: ({ name }) => clean(name), shrinks: 'end' },
        { title: 'OPERATION', value: ({ key }) => clean(key) },
        amount('CHARGED', 'charged'),
        amount('REPRICED', 'repriced'),
        amount('DIFFERENCE', 'difference'),
      ],
      look,
    ),
    ...(unexplained === 0
      ? []
      : wrap(
          `${counted(unexplained, 'charge')} did not tell how much was bought, made at other prices than those in force: counted with what was charged.`,
          look.width,
        ).map(look.warn)),
  ]
}
