import type { DatabaseSync } from 'node:sqlite'
import type { LogPosition } from '@medialog/kernel'
import { HASH } from './stored-event.ts'

/** Up to where the log was proven at some time, kept in the log itself: a log from a backup brings its own. */
const TABLE = 'CREATE TABLE IF NOT EXISTS proven (position INTEGER NOT NULL, hash TEXT)'
const HASH_AT = `SELECT ${HASH} AS hash FROM events WHERE position = ?`

/** What the mark says, and what is wrong with it. */
export function readProvenMark(database: DatabaseSync): {
  position: LogPosition
  contradicted: string | null
} {
  const there = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'proven'").get()
  const mark = there && database.prepare('SELECT position, hash FROM proven').get()
  if (!mark) return { position: 0, contradicted: null }
  const position = mark.position as number
  const row = database.prepare(HASH_AT).get(position)
  const contradicted = !row
    ? `it was proven up to position ${position}, and ends before that`
    : // An event that was erased since has no hash left to compare.
      row.hash !== null && mark.hash !== null && row.hash !== mark.hash
      ? `position ${position}: the event is another one than when it was proven`
      : null
  return { position, contradicted }
}

/** Never moves back. */
export function moveProvenMark(database: DatabaseSync, position: LogPosition): void {
  if (position <= readProvenMark(database).position) return
  const hash = database.prepare(HASH_AT).get(position)?.hash as string | null
  database.exec(`BEGIN IMMEDIATE; ${TABLE}; DELETE FROM proven`)
  database.prepare('INSERT INTO proven VALUES (?, ?)').run(position, hash)
  database.exec('COMMIT')
}
