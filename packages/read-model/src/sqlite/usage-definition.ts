import type { UsageChange } from '@medialog/application/ports'
import type { ChargeLine } from '@medialog/domain'
import type { DatabaseSync } from 'node:sqlite'
import { SPANS } from '../usage/costs.ts'
import { postingOf } from '../usage/posting.ts'
import type { ReadModelDefinition } from './definition.ts'

/**
 * Postings with their running balance, and costs by hour and day, so that no report adds up more than the two hours
 * at the ends of its range. Amounts are nano-USD.
 */
const schema = `
  CREATE TABLE posting (
    position INTEGER PRIMARY KEY,
    account_id TEXT NOT NULL,
    -- Never before the account's posting before it, so that order in time is order in the log.
    at INTEGER NOT NULL,
    type TEXT NOT NULL,
    -- Credit, charge or refund id.
    id TEXT NOT NULL,
    -- Signed: what it did to the balance.
    amount INTEGER NOT NULL,
    balance INTEGER NOT NULL,
    -- JSON: [[price key, digits], …], positive for charge and refund alike.
    lines TEXT NOT NULL,
    cause TEXT,
    reference TEXT
  ) STRICT;
  CREATE INDEX posting_time ON posting (account_id, at, position);
  CREATE INDEX posting_id ON posting (account_id, id);
  CREATE INDEX posting_charge ON posting (account_id, at) WHERE type = 'charge';

  CREATE TABLE cost (
    account_id TEXT NOT NULL,
    span INTEGER NOT NULL,
    start INTEGER NOT NULL,
    price TEXT NOT NULL,
    amount INTEGER NOT NULL,
    PRIMARY KEY (account_id, span, start, price)
  ) STRICT, WITHOUT ROWID;
`

/** What was charged, refunded and credited. */
export const usageDefinition = {
  name: 'usage',
  version: 1,
  schema,
  digestQueries: [
    'SELECT * FROM posting ORDER BY position',
    'SELECT * FROM cost ORDER BY account_id, span, start, price',
  ],
  prepare: prepareChanges,
} as const satisfies ReadModelDefinition<UsageChange>

function prepareChanges(database: DatabaseSync): (change: UsageChange, position: number) => void {
  const last = database.prepare(
    'SELECT position, at, balance FROM posting WHERE account_id = ? ORDER BY at DESC, position DESC LIMIT 1',
  )
  last.setReadBigInts(true)
  const causeOf = database.prepare(
    "SELECT cause FROM posting WHERE account_id = ? AND id = ? AND type = 'charge'",
  )
  const insert = database.prepare('INSERT INTO posting VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)')
  const count = prepareCosts(database)

  function causeFor(change: UsageChange): string | null {
    if (change.type === 'PostCharge') return JSON.stringify(change.cause)
    if (change.type === 'PostCredit') return null
    const charge = causeOf.get(change.accountId, change.chargeId) as { cause: string } | undefined
    return charge?.cause ?? null
  }

  return (change, position) => {
    const { accountId } = change
    const before = last.get(accountId) as { position: bigint; at: bigint; balance: bigint } | undefined
    if (before && before.position >= position) return
    const at = Math.max(change.at, Number(before?.at ?? 0))
    const { type, id, amount, costs, reference } = postingOf(change)
    insert.run(
      position,
      accountId,
      at,
      type,
      id,
      amount,
      (before?.balance ?? 0n) + amount,
      linesOf(change.type === 'PostCredit' ? [] : change.lines),
      causeFor(change),
      reference,
    )
    for (const { price, amount } of costs) count(accountId, at, price, amount)
  }
}

const linesOf = (lines: readonly ChargeLine[]): string =>
  JSON.stringify(lines.map(({ price, amount }) => [price, amount.toString()]))

function prepareCosts(database: DatabaseSync) {
  const add = database.prepare(`
    INSERT INTO cost VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET amount = amount + excluded.amount`)
  return (accountId: string, at: number, price: string, amount: bigint): void => {
    for (const span of SPANS) add.run(accountId, span, at - (at % span), price, amount)
  }
}
