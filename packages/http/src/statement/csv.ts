import type { LedgerEntry } from '@medialog/application'
import { formatUsd } from '@medialog/kernel'
import { postingOf } from '../views/ledger.ts'

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

export const CSV_HEAD = row(COLUMNS.map(({ title }) => title))

/** Postings as rows (RFC 4180). */
export const csvRows = (entries: readonly LedgerEntry[]): string =>
  entries
    .map((entry) => {
      const posting = postingOf(entry, formatUsd)
      return row(
        COLUMNS.map(({ value, text }) => {
          const cell = String(value(posting) ?? '')
          return text && FORMULA.test(cell) ? `'${cell}` : cell
        }),
      )
    })
    .join('')

function row(cells: readonly string[]): string {
  return `${cells.map((cell) => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(',')}\r\n`
}
