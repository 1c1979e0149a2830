import type { UsageChange } from '@medialog/application/ports'
import { nextTime, type ChargeLine, type Leap } from '@medialog/domain'
import type { DatabaseSync } from 'node:sqlite'
import { SPANS } from '../usage/costs.ts'
import { postedCosts, postingOf, type PostedRow } from '../usage/posting.ts'
import { eachOf, type ReadModelDefinition } from './definition.ts'

/**
 * Postings with their running balance, and costs by hour and day, so that no report adds up more than the two hours
 * at the ends of its range. Amounts are nano-USD.
 */
const schema = `
  CREATE TABLE posting (
    position INTEGER PRIMARY KEY,
    account_id TEXT NOT NULL,
    -- When it counts, as the domain's nextTime has it: never before the account's posting before it.
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

  -- The leap in time that an account's last posting belongs to, as the domain's Leap has it; none while its time is certain.
  CREATE TABLE leap (
    account_id TEXT PRIMARY KEY,
    before INTEGER NOT NULL,
    at INTEGER NOT NULL,
    postings INTEGER NOT NULL,
    first_position INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

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
  version: 2,
  schema,
  digestQueries: [
    'SELECT * FROM posting ORDER BY position',
    'SELECT * FROM leap ORDER BY account_id',
    // What moved away leaves a zero.
    'SELECT * FROM cost WHERE amount <> 0 ORDER BY account_id, span, start, price',
  ],
  prepare: eachOf(prepareChanges),
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
  const timeOf = prepareTimes(database, count)

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
    const at = timeOf(accountId, Number(before?.at ?? 0), change.at, position)
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

interface LeapRow extends Leap {
  first_position: number
}

/** When the posting counts; moves those of a leap that it shows to have been wrong. */
function prepareTimes(database: DatabaseSync, count: ReturnType<typeof prepareCosts>) {
  const read = database.prepare('SELECT * FROM leap WHERE account_id = ?')
  const write = database.prepare('INSERT OR REPLACE INTO leap VALUES (?, ?, ?, ?, ?)')
  const remove = database.prepare('DELETE FROM leap WHERE account_id = ?')
  // By position, which the plus leaves as the only index: a leap is short, an account's history is not.
  const ofLeap = database.prepare(
    "SELECT at, type, lines FROM posting WHERE +account_id = ? AND position >= ? AND type <> 'credit'",
  )
  ofLeap.setReadBigInts(true)
  const move = database.prepare('UPDATE posting SET at = ? WHERE +account_id = ? AND position >= ?')

  function correct(accountId: string, firstPosition: number, at: number): void {
    for (const row of ofLeap.all(accountId, firstPosition) as unknown as PostedRow[])
      for (const [price, amount] of postedCosts(row)) {
        count(accountId, Number(row.at), price, -amount)
        count(accountId, at, price, amount)
      }
    move.run(at, accountId, firstPosition)
  }

  return (accountId: string, last: number, at: number, position: number): number => {
    const known = (read.get(accountId) as LeapRow | undefined) ?? null
    const { time, corrected } = nextTime({ at: last, leap: known }, at)
    if (corrected !== null) correct(accountId, known!.first_position, corrected)
    const { leap } = time
    if (leap)
      write.run(
        accountId,
        leap.before,
        leap.at,
        leap.postings,
        leap.postings === 1 ? position : known!.first_position,
      )
    else if (known) remove.run(accountId)
    return time.at
  }
}
