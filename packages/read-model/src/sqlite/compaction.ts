import type { LogPosition } from '@medialog/kernel'
import type { DatabaseSync } from 'node:sqlite'
import { setImmediate as others } from 'node:timers/promises'
import type { Compaction } from './definition.ts'
import { readCheckpoint } from './open-database.ts'

/** Items that are copied before other work has its turn: large ones take some megabytes each. */
const AT_ONCE = 10
/** Less than that is not worth a copy. */
const LEAST_BYTES = 2 * 2 ** 20

/**
 * Whether a copy would take two thirds of the room at most: with what its tables and indices add, removed content takes a
 * quarter more than is counted.
 */
export function isBloated(database: DatabaseSync, { removedBytes }: Compaction): boolean {
  const [removed] = Object.values(database.prepare(removedBytes).get()!) as [number]
  if (removed < LEAST_BYTES) return false
  const pages = database.prepare(
    'SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size',
  )
  const { bytes } = pages.get() as { bytes: number }
  return 4 * removed > bytes
}

/**
 * Fills an empty database with what the one at `path` holds at one moment, which may be written to meanwhile, except
 * rows of removed content. Rows come in the order of their keys, so that none is moved later. Answers the
 * position of the copy. @throws the signal's reason; nothing was copied then
 */
export async function copyCompacted(
  database: DatabaseSync,
  path: string,
  { whole, items, parts }: Compaction,
  signal: AbortSignal,
): Promise<LogPosition> {
  database.prepare('ATTACH ? AS former').run(path)
  try {
    // The file is thrown away where this fails: a journal would only take the room once more.
    database.exec('PRAGMA main.journal_mode = OFF; BEGIN')
    for (const table of ['checkpoint', ...whole]) {
      database.exec(`DELETE FROM main.${table}`)
      database.exec(`INSERT INTO main.${table} SELECT * FROM former.${table}`)
    }
    const next = database.prepare(
      `SELECT max(key) AS last FROM (SELECT ${items.key} AS key FROM former.${items.table} WHERE ${items.key} > ? ORDER BY 1 LIMIT ${AT_ONCE})`,
    )
    const copies = [
      `INSERT INTO main.${items.table} SELECT * FROM former.${items.table} WHERE ${items.key} > ? AND ${items.key} <= ? ORDER BY ${items.key}`,
      ...parts.tables.map(
        (table) => `INSERT INTO main.${table} SELECT part.* FROM former.${table} AS part
          WHERE part.${parts.of} > ? AND part.${parts.of} <= ?
          AND EXISTS (SELECT 1 FROM former.${items.table} WHERE ${items.key} = part.${parts.of}) ORDER BY part.${parts.of}, part.rowid`,
      ),
    ].map((sql) => database.prepare(sql))
    for (let from = 0; ;) {
      signal.throwIfAborted()
      const { last } = next.get(from) as { last: number | null }
      if (last === null) break
      for (const copy of copies) copy.run(from, last)
      from = last
      await others()
    }
    const position = readCheckpoint(database)
    database.exec('COMMIT; PRAGMA main.journal_mode = WAL')
    return position
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK')
    throw error
  } finally {
    database.exec('DETACH former')
  }
}
