import type { LedgerEntry, LedgerQuery, LedgerReport, ReplayedLedger, Statement } from '@medialog/application'
import { monthRange } from '@medialog/application'
import { API_VERSION, type routes } from '@medialog/contract/http'
import { isoTime, toUsdNumber } from '@medialog/kernel'
import type { z } from 'zod'
import { answerWithText } from '../answers/text-stream.ts'
import { accountOf, requestContext, type EdgeContext } from '../exchange.ts'
import type { HttpOptionsOf } from '../options.ts'
import type { Handlers } from '../route.ts'
import { CSV_HEAD, csvEnd, csvRows } from '../statement/csv.ts'
import { HTML_END, htmlHead, htmlRows, STATEMENT_CSP } from '../statement/html.ts'
import { JSON_END, jsonHead, jsonPostings } from '../statement/json.ts'
import { amountsOf, postingView, reportView, type Reader } from '../views/ledger.ts'
import { paginationWithNext } from '../views/pagination.ts'
import { USAGE_WINDOW_MS } from './account.ts'

type AuditHandlers = Handlers<
  'readLedger' | 'readStatement' | 'readUsageDiff' | 'readAccountLedger' | 'readAccountStatement'
>
type Asked = z.output<(typeof routes)['readLedger']['query']>

export function auditHandlers({
  application: { audit, billing },
  clock,
}: HttpOptionsOf<'audit' | 'billing'>): AuditHandlers {
  /** The whole as lines where these are asked for, else a page of it. */
  async function answerLedger(
    ctx: EdgeContext,
    asked: Asked,
    reader: Reader,
    replay: (query: LedgerQuery) => ReplayedLedger,
  ) {
    const { range, shown } = rangeOf(asked)
    if (ctx.accepts('application/json', 'application/x-ndjson') === 'application/x-ndjson') {
      await answerWithText(ctx, 'application/x-ndjson', linesOf(replay(range), shown, reader))
      return undefined
    }
    const { page, page_size: pageSize } = asked
    const window = { offset: (page - 1) * pageSize, limit: pageSize }
    const { entries, report } = await taken(replay({ ...range, window }))
    return {
      message: report.holds ? 'The ledger, proven.' : 'The ledger: its proof does not hold.',
      data: {
        ...reportView(report, shown, reader),
        postings: entries.map((entry) => postingView(entry, reader)),
        pagination: paginationWithNext({ page, pageSize }, report.shown),
      },
      timestamp: isoTime(clock.now()),
    }
  }

  return {
    readLedger: ({ ctx, query }) =>
      answerLedger(ctx, query, 'account', (range) => audit.ledger(accountOf(ctx), range)),

    readAccountLedger: ({ ctx, query, params }) =>
      answerLedger(ctx, query, 'operator', (range) => audit.ledger(params.account_id, range)),

    async readStatement({ ctx, query: { month, format } }) {
      await answerStatement(ctx, await audit.statement(accountOf(ctx), month), format, 'account')
      return undefined
    },

    async readAccountStatement({ ctx, query: { month, format }, params }) {
      await answerStatement(ctx, await audit.statement(params.account_id, month), format, 'operator')
      return undefined
    },

    async readUsageDiff({ ctx, query }) {
      const now = clock.now()
      const to = Math.min(query.to ?? now, now)
      const from = query.from ?? to - USAGE_WINDOW_MS
      const diff = await billing.usageDiff(requestContext(ctx.state.exchange), { from, to })
      const view = ({ at, account, balance, costs }: (typeof diff)['from']) => ({
        at: isoTime(at),
        balance: toUsdNumber(balance),
        ...(account && { tier: account.tier, payment_status: account.status }),
        usage_costs: amountsOf(costs, toUsdNumber),
      })
      return {
        message: 'Usage compared.',
        data: {
          from: view(diff.from),
          to: view(diff.to),
          difference: {
            balance: toUsdNumber(diff.balance),
            usage_costs: amountsOf(diff.costs, toUsdNumber),
          },
        },
        metadata: { api_version: API_VERSION },
      }
    },
  }
}

/** What is asked for, and how an answer says it: null where there is no bound. */
function rangeOf({ from, until, month, as_of: asOf }: Asked): {
  range: LedgerQuery
  shown: { from: number | null; until: number | null }
} {
  const named = month === undefined ? { from, until } : monthRange(month)
  const end = Math.min(named.until ?? Infinity, asOf === undefined ? Infinity : asOf + 1)
  return {
    range: { from: named.from ?? 0, until: end },
    shown: { from: named.from ?? null, until: isSayable(end) ? end : null },
  }
}

/** The last moment that has four digits for its year. */
const isSayable = (at: number): boolean => at < Date.UTC(10_000, 0)

async function taken(replayed: ReplayedLedger): Promise<{ entries: LedgerEntry[]; report: LedgerReport }> {
  const entries: LedgerEntry[] = []
  for (;;) {
    const { done, value } = await replayed.next()
    if (done) return { entries, report: value }
    entries.push(...value)
  }
}

async function* linesOf(
  replayed: ReplayedLedger,
  range: { from: number | null; until: number | null },
  reader: Reader,
): AsyncGenerator<string, void> {
  try {
    for (;;) {
      const { done, value } = await replayed.next()
      if (done) return yield `${JSON.stringify({ report: reportView(value, range, reader) })}\n`
      yield value.map((entry) => `${JSON.stringify({ posting: postingView(entry, reader) })}\n`).join('')
    }
  } finally {
    // Where the client stops reading; the rest of the replay is of no use then.
    await replayed.return(undefined as never)
  }
}

type Format = NonNullable<z.output<(typeof routes)['readStatement']['query']>['format']>

const TYPES: readonly (readonly [type: string, format: Format])[] = [
  ['application/json', 'json'],
  ['text/csv', 'csv'],
  ['text/html', 'html'],
]

/** The first format that the caller accepts; JSON where it accepts none of them. */
function acceptedFormat(ctx: EdgeContext): Format {
  const accepted = ctx.accepts(...TYPES.map(([type]) => type))
  return TYPES.find(([type]) => type === accepted)?.[1] ?? 'json'
}

async function answerStatement(
  ctx: EdgeContext,
  statement: Statement,
  asked: Format | undefined,
  reader: Reader,
): Promise<void> {
  const format = asked ?? acceptedFormat(ctx)
  const name = `medialog-${statement.month}.${format}`
  if (format !== 'json')
    ctx.set('Content-Disposition', `${format === 'csv' ? 'attachment' : 'inline'}; filename="${name}"`)
  if (format === 'html') ctx.set('Content-Security-Policy', STATEMENT_CSP)
  const [contentType, parts] = FORMATS[format](statement, reader)
  await answerWithText(ctx, contentType, parts)
}

const FORMATS: Record<
  Format,
  (statement: Statement, reader: Reader) => [string, AsyncGenerator<string, void>]
> = {
  json: (statement, reader) => [
    'application/json',
    around(jsonHead(statement, reader), statement, jsonPostings, JSON_END, ','),
  ],
  csv: (statement) => [
    'text/csv; charset=utf-8; header=present',
    around(CSV_HEAD, statement, csvRows(statement), csvEnd(statement)),
  ],
  html: (statement) => [
    'text/html; charset=utf-8',
    around(htmlHead(statement), statement, htmlRows, HTML_END),
  ],
}

/** A head, the postings as they are written, and an end. */
async function* around(
  head: string,
  statement: Statement,
  write: (entries: readonly LedgerEntry[]) => string,
  end: string,
  between = '',
): AsyncGenerator<string, void> {
  yield head
  let written = ''
  for await (const entries of statement.postings()) {
    yield written + write(entries)
    written = between
  }
  yield end
}
