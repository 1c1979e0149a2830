import type { TimeRange, Transaction, Usage } from '@medialog/application/ports'
import type { Cause } from '@medialog/domain'
import type { Money } from '@medialog/kernel'
import type { SQLInputValue } from 'node:sqlite'
import { guarded, type DatabaseSource } from './source.ts'
import { Statements } from './statements.ts'
import { DAY, HOUR } from './usage-definition.ts'

type GroupBy = 'hour' | 'day' | 'month'

/** UTC; what a bucket is called. */
const BUCKET: Record<GroupBy, (at: number) => string> = {
  hour: (at) => `${new Date(at).toISOString().slice(0, 13)}:00:00Z`,
  day: (at) => new Date(at).toISOString().slice(0, 10),
  month: (at) => new Date(at).toISOString().slice(0, 7),
}

const BALANCE = `
  SELECT balance FROM posting WHERE account_id = ? AND at <= ? ORDER BY at DESC, position DESC LIMIT 1`
const TRANSACTIONS = `
  SELECT at, type, amount, balance, cause, reference FROM posting
  WHERE account_id = ? AND at <= ? ORDER BY at DESC, position DESC LIMIT ?`
const CREDIT = "SELECT amount FROM posting WHERE account_id = ? AND id = ? AND type = 'credit'"
const LAST_CHARGE = `
  SELECT at FROM posting WHERE account_id = ? AND at <= ? AND type = 'charge' ORDER BY at DESC LIMIT 1`
const COUNTED =
  'SELECT start, price, amount FROM cost WHERE account_id = ? AND span = ? AND start >= ? AND start < ?'
const POSTED = `
  SELECT at, type, lines FROM posting WHERE account_id = ? AND at >= ? AND at < ? AND type <> 'credit'`

interface TransactionRow {
  at: bigint
  type: Transaction['type']
  amount: Money
  balance: Money
  cause: string | null
  reference: string | null
}

/** What was charged, refunded and credited, read from its SQLite read model. */
export function openUsage(source: DatabaseSource): Usage {
  const statements = new Statements(source)
  const all = <Row>(sql: string, ...values: SQLInputValue[]): Row[] => {
    const statement = statements.get(sql)
    statement.setReadBigInts(true)
    return statement.all(...values) as unknown as Row[]
  }

  /** Adds up costs by what `bucketOf` makes of their time; nothing that comes to zero is kept. */
  function costsBy(
    accountId: string,
    range: TimeRange,
    spans: readonly number[],
    bucketOf: (at: number) => string,
  ) {
    const buckets = new Map<string, Map<string, Money>>()
    // Rows come in the order of time, several to a moment: naming the bucket is most of the work.
    let last: { at: number; prices: Map<string, Money> } | null = null
    const pricesAt = (at: number): Map<string, Money> => {
      if (last?.at === at) return last.prices
      const bucket = bucketOf(at)
      const prices = buckets.get(bucket) ?? new Map<string, Money>()
      buckets.set(bucket, prices)
      last = { at, prices }
      return prices
    }
    const add = (at: number, price: string, amount: Money): void => {
      const prices = pricesAt(at)
      prices.set(price, (prices.get(price) ?? 0n) + amount)
    }
    statements.snapshot(() => {
      for (const { span, from, to } of piecesOf(range, spans))
        if (span > 1)
          for (const row of all<CountedRow>(COUNTED, accountId, span, from, to))
            add(Number(row.start), row.price, row.amount)
        else for (const row of all<PostedRow>(POSTED, accountId, from, to)) addPosted(row, add)
    })
    return withoutZeros(buckets)
  }

  return guarded(source, {
    async balance(accountId, asOf = Number.MAX_SAFE_INTEGER) {
      return all<{ balance: Money }>(BALANCE, accountId, asOf)[0]?.balance ?? 0n
    },

    async costs(accountId, range) {
      return costsBy(accountId, range, [DAY, HOUR], () => '').get('') ?? new Map<string, Money>()
    },

    async trends(accountId, range, groupBy) {
      return costsBy(accountId, range, groupBy === 'hour' ? [HOUR] : [DAY, HOUR], BUCKET[groupBy])
    },

    async transactions(accountId, { limit, asOf = Number.MAX_SAFE_INTEGER }) {
      return all<TransactionRow>(TRANSACTIONS, accountId, asOf, limit).map((row) => ({
        ...row,
        at: Number(row.at),
        cause: row.cause === null ? null : (JSON.parse(row.cause) as Cause),
      }))
    },

    credited: async (accountId, creditId) =>
      all<{ amount: Money }>(CREDIT, accountId, creditId)[0]?.amount ?? null,

    async lastChargeAt(accountId, asOf = Number.MAX_SAFE_INTEGER) {
      const [row] = all<{ at: bigint }>(LAST_CHARGE, accountId, asOf)
      return row ? Number(row.at) : null
    },

    position: async () => statements.get('SELECT position FROM checkpoint').get()!.position as number,
  })
}

interface CountedRow {
  start: bigint
  price: string
  amount: Money
}

interface PostedRow {
  at: bigint
  type: 'charge' | 'refund'
  lines: string
}

function addPosted(
  { at, type, lines }: PostedRow,
  add: (at: number, price: string, amount: Money) => void,
): void {
  for (const [price, digits] of JSON.parse(lines) as [string, string][])
    add(Number(at), price, type === 'charge' ? BigInt(digits) : -BigInt(digits))
}

/**
 * The range in pieces that each lie on whole spans, the widest first named; what is left at the ends has span 1:
 * single postings.
 */
function piecesOf(
  { from, to }: TimeRange,
  [span, ...narrower]: readonly number[],
): (TimeRange & { span: number })[] {
  if (from >= to) return []
  if (span === undefined) return [{ span: 1, from, to }]
  const first = Math.ceil(from / span) * span
  const last = Math.floor(to / span) * span
  if (first >= last) return piecesOf({ from, to }, narrower)
  return [
    ...piecesOf({ from, to: first }, narrower),
    { span, from: first, to: last },
    ...piecesOf({ from: last, to }, narrower),
  ]
}

function withoutZeros(buckets: Map<string, Map<string, Money>>): Map<string, Map<string, Money>> {
  for (const [bucket, prices] of buckets) {
    for (const [price, amount] of prices) if (amount === 0n) prices.delete(price)
    if (prices.size === 0) buckets.delete(bucket)
  }
  return new Map([...buckets].sort(([a], [b]) => (a < b ? -1 : 1)))
}
