import type { AccountsWanted, Erasure } from '@medialog/application/ports'
import type { Statements } from '../statements.ts'
import type { SqliteErasureLedger } from './erasure-ledger.ts'
import { POSITION } from './queries.ts'

interface ErasureRow {
  account_id: string
  media_id: string
  ingest_id: string
  cause: Erasure['cause']
  revision: number
  position: number
  /** Of what ended. */
  collection?: string
  generation?: number
  late?: number
}

const GONE = `SELECT * FROM erasure WHERE position >= ? ORDER BY position`
const IN_ENDED_COLLECTIONS = `
  SELECT item.account_id, media_id, ingest_id, 'ended' AS cause, revision, ended_position AS position,
    name AS collection, generation, changed_position > ended_position AS late
  FROM collection CROSS JOIN item ON item.collection = collection.id
  WHERE ended_position IS NOT NULL AND item.account_id = coalesce(?, item.account_id)
    AND item.account_id NOT IN (SELECT value FROM json_each(?)) ORDER BY ended_position LIMIT ?`

/** Oldest first. What is done at the head of the list is remembered as such, so the list stays short to read. */
export function pendingErasures(
  statements: Statements,
  ledger: SqliteErasureLedger,
  limit: number,
  accounts: AccountsWanted = {},
): Erasure[] {
  const { of = null, notOf = [] } = accounts
  const ended = statements
    .get(IN_ENDED_COLLECTIONS)
    .all(of, JSON.stringify(notOf), limit) as unknown as ErasureRow[]
  return [...gone(statements, ledger, limit, accounts), ...ended]
    .sort((a, b) => a.position - b.position)
    .slice(0, limit)
    .map(erasureOf)
}

const erasureOf = (row: ErasureRow): Erasure => ({
  accountId: row.account_id,
  mediaId: row.media_id,
  ingestId: row.ingest_id,
  cause: row.cause,
  revision: row.revision,
  position: row.position,
  ...(row.cause === 'ended' && { place: { collection: row.collection!, generation: row.generation! } }),
  ...(row.late === 1 && { late: true }),
})

function gone(
  statements: Statements,
  ledger: SqliteErasureLedger,
  limit: number,
  { of, notOf = [] }: AccountsWanted,
): ErasureRow[] {
  const { position: applied } = statements.get(POSITION).get() as { position: number }
  const start = ledger.doneBelow(applied)
  const pending: ErasureRow[] = []
  let last = start
  for (const row of statements.get(GONE).iterate(start) as Iterable<unknown> as Iterable<ErasureRow>) {
    last = row.position
    if ((of !== undefined && row.account_id !== of) || notOf.includes(row.account_id)) continue
    if (ledger.isDone({ mediaId: row.media_id, ingestId: row.ingest_id })) continue
    pending.push(row)
    if (pending.length === limit) break
  }
  if (of === undefined && notOf.length === 0) ledger.raise(pending[0]?.position ?? last)
  return pending
}
