import { createHash, type Hash } from 'node:crypto'
import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'
import { setImmediate as letOthersRun } from 'node:timers/promises'

/** Rows are hashed for about so long at a time. */
const SLICE_MS = 5
const LOOK_AT_CLOCK_EVERY = 16

/**
 * Hex SHA-256 over all rows of the queries, one row in memory at a time; other work of the thread runs in between.
 * `canonical`: a row as it is hashed.
 */
export async function digestRows(
  database: DatabaseSync,
  queries: readonly string[],
  canonical: (row: SQLOutputValue[]) => SQLOutputValue[] = (row) => row,
): Promise<string> {
  const hash = createHash('sha256')
  let started = performance.now()
  let rows = 0
  for (const query of queries) {
    hash.update(`${query.length}:query`)
    const statement = database.prepare(query)
    statement.setReadBigInts(true)
    statement.setReturnArrays(true)
    for (const row of statement.iterate() as Iterable<unknown> as Iterable<SQLOutputValue[]>) {
      hash.update(`${row.length}:row`)
      for (const value of canonical(row)) hashValue(hash, value)
      if (++rows % LOOK_AT_CLOCK_EVERY > 0 || performance.now() - started < SLICE_MS) continue
      await letOthersRun()
      started = performance.now()
    }
  }
  return hash.digest('hex')
}

/** Type and length before the bytes: no two different rows hash the same sequence. */
function hashValue(hash: Hash, value: SQLOutputValue): void {
  if (value === null) hash.update('null:')
  else if (value instanceof Uint8Array) hash.update(`blob:${value.byteLength}:`).update(value)
  else if (typeof value === 'string') hash.update(`text:${value.length}:`).update(value)
  else hash.update(`${typeof value}:${value};`)
}
