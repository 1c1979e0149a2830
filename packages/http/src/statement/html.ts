import { createHash } from 'node:crypto'
import type { LedgerEntry, Statement } from '@medialog/application'
import { counted, formatUsd, isoTime, type Money } from '@medialog/kernel'
import { textOf as text } from '../reference/markup.ts'
import { referenceOf } from './head.ts'
import { postingOf } from '../views/ledger.ts'

const STYLE = `
:root { font: 15px/1.45 system-ui, sans-serif; color: #16202c; background: #fff }
body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
h1 { font-size: 1.5rem; margin: 0 } h2 { font-size: 1.1rem; margin: 2rem 0 .5rem }
p { margin: .3rem 0 } .quiet { color: #5a6775 } .bad { color: #a11; font-weight: 600 }
table { border-collapse: collapse; width: 100% }
th, td { text-align: left; vertical-align: top; padding: .25rem .6rem .25rem 0; border-bottom: 1px solid #d8dee5 }
th { font-weight: 600; border-bottom-color: #8793a0 }
.amount { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap }
.sums { width: auto; min-width: 20rem } .sums th { border-bottom-color: #d8dee5; font-weight: 400 }
.sums tr:last-child > * { font-weight: 600; border-bottom: 0 }
code { font-size: .85em; overflow-wrap: anywhere }
@media print {
  :root { font-size: 10pt } body { max-width: none; margin: 0; padding: 0 }
  thead { display: table-header-group } tr { break-inside: avoid } h2 { break-after: avoid }
  @page { size: A4; margin: 18mm 15mm }
}`

export const STATEMENT_CSP = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`

const usd = (amount: Money): string => {
  const [whole, fraction = ''] = formatUsd(amount).split('.')
  return `${whole}.${fraction.padEnd(2, '0')}`
}
const sumRow = (name: string, amount: Money): string =>
  `<tr><th scope="row">${text(name)}</th><td class="amount">${usd(amount)}</td></tr>`

/** The page up to where its postings begin. */
export function htmlHead(statement: Statement): string {
  const { accountId, name, month, from, until, madeAt, final, report } = statement
  const { opening, closing, totals, costs, openCharges, proof, holds } = report
  const open =
    openCharges.count === 0
      ? ''
      : `<p>${counted(openCharges.count, 'charge')} of ${usd(openCharges.rest)} USD in all still open at the end: neither settled nor refunded.</p>`
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>Statement ${text(month)} · ${text(name)}</title><style>${STYLE}</style></head><body>
<header><h1>Statement ${text(month)}</h1><p>${text(name)} <code>${text(accountId)}</code></p>
<p class="quiet">${isoTime(from)} up to ${isoTime(until)}, amounts in USD. Made at ${isoTime(madeAt)}${final ? '.' : ': <strong>not final</strong>, more may be posted in this month.'}</p></header>
<h2>Balance</h2><table class="sums"><tbody>
${sumRow('Opening balance', opening)}${sumRow('Credits', totals.credited)}${sumRow('Charges', -totals.charged)}${sumRow('Refunds', totals.refunded)}${sumRow('Closing balance', closing)}</tbody></table>${open}
<h2>Costs, net of refunds</h2><table class="sums"><tbody>
${[...costs].map(([price, amount]) => sumRow(price, amount)).join('')}${sumRow(
    'Total',
    [...costs.values()].reduce((sum, amount) => sum + amount, 0n),
  )}</tbody></table>
<h2>Proof</h2><p>${holds ? 'Added up from every event of the account since it was opened; every line holds.' : '<span class="bad">Not every line holds.</span>'}</p>
<ul>${proof.map(({ statement: line, holds: does, faults, trouble }) => `<li>${does ? '✓' : '<span class="bad">✗</span>'} ${text(line)}${[...faults.map(({ subject, reason }) => `${subject}: ${reason}`), ...(trouble === null ? [] : [trouble])].map((reason) => `<br><span class="bad">${text(reason)}</span>`).join('')}</li>`).join('')}</ul>
<p class="quiet"><code>${text(referenceOf(statement))}</code></p>
<h2>Postings</h2><table><thead><tr><th>When (UTC)</th><th>What</th><th>Cause</th><th class="amount">Amount</th><th class="amount">Balance</th></tr></thead><tbody>
`
}

export const htmlRows = (entries: readonly LedgerEntry[]): string =>
  entries
    .map((entry) => {
      const { kind, at, cause } = postingOf(entry, usd)
      const what = [kind, cause.operation].filter((part) => part !== undefined).join(', ')
      const about = [
        cause.filename ?? (cause.files === undefined ? undefined : counted(cause.files, 'file')),
        cause.reference,
      ].filter((part) => part !== undefined)
      const ids = cause.batch_id ?? cause.request_id ?? entry.id
      return `<tr><td>${at.slice(0, 19).replace('T', ' ')}</td><td>${text(what)}</td><td>${about.map((part) => `${text(part)}<br>`).join('')}<code>${text(ids)}</code></td><td class="amount">${usd(entry.amount)}</td><td class="amount">${usd(entry.balance)}</td></tr>\n`
    })
    .join('')

export const HTML_END = '</tbody></table></body></html>\n'
