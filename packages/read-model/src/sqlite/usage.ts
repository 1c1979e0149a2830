import type { GroupBy, PostingRow, TimeRange, Transaction, Usage } from '@medialog/application/ports'
import type { Cause } from '@medialog/domain'
import type { Money } from '@medialog/kernel'
import type { SQLInputValue } from 'node:sqlite'
import { guarded, type DatabaseSource } from './source.ts'
import { Statements } from './statements.ts'
import { bucketOf, bucketStart, Costs, piecesOf } from '../usage/costs.ts'
import { postedCosts, type PostedRow } from '../usage/posting.ts'

const BALANCE = `
  SELECT balance FROM posting WHERE account_id = ? AND at <= ? ORDER BY at DESC, position DESC LIMIT 1`
const LAST_BALANCE = `
  SELECT at, balance FROM posting WHERE account_id = ? AND at >= ? AND at < ? ORDER BY at DESC, position DESC LIMIT 1`
const TRANSACTIONS = `
  SELECT at, type, amount, balance, cause, reference FROM posting
  WHERE account_id = ? AND at <= ? ORDER BY at DESC, position DESC LIMIT ?`
const POSTINGS = `
  SELECT position, id, type, at, amount, balance FROM posting
  WHERE account_id = ? AND (at, position) > (?, ?) ORDER BY at, position LIMIT ?`
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

  function costsOf(accountId: string, range: TimeRange, groupBy: GroupBy | null): Costs {
    const costs = new Costs(groupBy)
    statements.snapshot(() => {
      for (const { span, from, to } of piecesOf(range, groupBy))
        if (span > 1)
          for (const row of all<CountedRow>(COUNTED, accountId, span, from, to))
            costs.add(Number(row.start), row.price, row.amount)
        else for (const row of all<PostedRow>(POSTED, accountId, from, to)) addPosted(row, costs)
    })
    return costs
  }

  return guarded(source, {
    async balance(accountId, asOf = Number.MAX_SAFE_INTEGER) {
      return all<{ balance: Money }>(BALANCE, accountId, asOf)[0]?.balance ?? 0n
    },

    costs: async (accountId, range) => costsOf(accountId, range, null).byPrice(),
    trends: async (accountId, range, groupBy) => costsOf(accountId, range, groupBy).byBucket(),

    async balances(accountId, { from, to }, groupBy) {
      const found: [bucket: string, balance: Money][] = []
      statements.snapshot(() => {
        // From bucket to bucket, backwards: of the postings in between none is read.
        for (let before = to; ;) {
          const [last] = all<{ at: bigint; balance: Money }>(LAST_BALANCE, accountId, from, before)
          if (!last) break
          found.push([bucketOf(Number(last.at), groupBy), last.balance])
          before = bucketStart(Number(last.at), groupBy)
        }
      })
      return new Map(found.reverse())
    },

    async transactions(accountId, { limit, asOf = Number.MAX_SAFE_INTEGER }) {
      return all<TransactionRow>(TRANSACTIONS, accountId, asOf, limit).map((row) => ({
        ...row,
        at: Number(row.at),
        cause: row.cause === null ? null : (JSON.parse(row.cause) as Cause),
      }))
    },

    async postings(accountId, { after, limit }) {
      const { at, position } = after ?? { at: -1, position: 0 }
      return all<PostedAt>(POSTINGS, accountId, at, position, limit).map(
        ({ position, id, type, at, amount, balance }) => ({
          position: Number(position),
          id,
          type,
          at: Number(at),
          amount,
          balance,
        }),
      )
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

type PostedAt = Omit<PostingRow, 'position' | 'at'> & { position: bigint; at: bigint }

interface CountedRow {
  start: bigint
  price: string
  amount: Money
}

function addPosted(row: PostedRow, costs: Costs): void {
  for (const [price, amount] of postedCosts(row)) costs.add(Number(row.at), price, amount)
}
