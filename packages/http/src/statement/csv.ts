import type { LedgerEntry, Statement } from '@medialog/application'
import { formatUsd } from '@medialog/kernel'
import { postingOf } from '../views/ledger.ts'
import { referenceOf } from './head.ts'

type Told = ReturnType<typeof postingOf<string>>

/** Columns of a statement, in order. Times and amounts are ours; `text` is what somebody may have chosen. */
const COLUMNS: readonly {
  title: string
  value: (posting: Told) => string | number | undefined
  text?: true
}[] = [
  { title: 'revision', value: ({ revision }) => revision },
  { title: 'at', value: ({ at }) => at },
  { title: 'kind', value: ({ kind }) => kind },
  { title: 'amount', value: ({ amount }) => amount },
  { title: 'balance', value: ({ balance }) => balance },
  { title: 'operation', value: ({ cause }) => cause.operation },
  {
    title: 'lines',
    value: ({ lines }) => lines.map(({ price, amount }) => `${price} ${amount}`).join('; '),
    text: true,
  },
  { title: 'files', value: ({ cause }) => cause.files },
  { title: 'filename', value: ({ cause }) => cause.filename, text: true },
  { title: 'reference', value: ({ cause }) => cause.reference, text: true },
  { title: 'request_id', value: ({ cause }) => cause.request_id },
  { title: 'job_id', value: ({ cause }) => cause.job_id },
  { title: 'batch_id', value: ({ cause }) => cause.batch_id },
  { title: 'media_id', value: ({ cause }) => cause.media_id },
  { title: 'actor', value: ({ cause }) => cause.actor, text: true },
  { title: 'correlation_id', value: ({ cause }) => cause.correlation_id, text: true },
  { title: 'id', value: ({ id }) => id, text: true },
  { title: 'charge_id', value: ({ charge_id: id }) => id, text: true },
]

/**
 * What a spreadsheet would take for a formula: https://owasp.org/www-community/attacks/CSV_Injection. Full-width forms
 * are read as the plain ones where that is how people type.
 */
const FORMULA = /^[\s\0]*[=+\-@\uff1d\uff0b\uff0d\uff20]|^[\t\r\n]/

/** Of the whole statement: the same in every row, so that a table of many statements can be added up. */
const WHOLE: readonly { title: string; value: (statement: Statement) => string }[] = [
  { title: 'account_id', value: ({ accountId }) => accountId },
  { title: 'month', value: ({ month }) => month },
  { title: 'final', value: ({ final }) => String(final) },
  { title: 'opening_balance', value: ({ report }) => formatUsd(report.opening) },
  { title: 'credited', value: ({ report }) => formatUsd(report.totals.credited) },
  { title: 'charged', value: ({ report }) => formatUsd(report.totals.charged) },
  { title: 'refunded', value: ({ report }) => formatUsd(report.totals.refunded) },
  { title: 'closing_balance', value: ({ report }) => formatUsd(report.closing) },
  { title: 'proof', value: referenceOf },
]

export const CSV_HEAD = row([...COLUMNS, ...WHOLE].map(({ title }) => title))

/** Postings as rows (RFC 4180), each with what it is of. */
export function csvRows(statement: Statement): (entries: readonly LedgerEntry[]) => string {
  const whole = wholeOf(statement)
  return (entries) =>
    entries.map((entry) => row([...cellsOf(postingOf(entry, formatUsd)), ...whole])).join('')
}

/** The end: where nothing was posted, one row with what is of the whole statement. */
export const csvEnd = (statement: Statement): string =>
  statement.report.shown > 0 ? '' : row([...COLUMNS.map(() => ''), ...wholeOf(statement)])

const wholeOf = (statement: Statement): string[] => WHOLE.map(({ value }) => value(statement))

const cellsOf = (posting: Told): string[] =>
  COLUMNS.map(({ value, text }) => {
    const cell = String(value(posting) ?? '')
    return text && FORMULA.test(cell) ? `'${cell}` : cell
  })

function row(cells: readonly string[]): string {
  return `${cells.map((cell) => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(',')}\r\n`
}
