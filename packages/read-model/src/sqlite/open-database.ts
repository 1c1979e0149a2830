import { ReadModelBroken } from '@medialog/application/ports'
import type { LogPosition } from '@medialog/kernel'
import { existsSync, statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { isFileDamage } from './damage.ts'
import type { ReadModelDefinition } from './definition.ts'

/**
 * Checking every page takes about a millisecond for each of these MiB. So much of it is done at every start; more only
 * after a stop that was not clean; and never more than this, where damage shows when it is read.
 */
const CHECKED_AT_EVERY_START = 32 * 2 ** 20
const MOST_CHECKED = 2 ** 30

/** Creates the file with its tables and a checkpoint at the beginning of the log. */
export function createDatabase<Change>(definition: ReadModelDefinition<Change>, path: string): void {
  const database = new DatabaseSync(path)
  try {
    database.exec('PRAGMA journal_mode = WAL')
    database.exec(`
      BEGIN;
      ${definition.schema}
      CREATE TABLE checkpoint (position INTEGER NOT NULL, hash TEXT) STRICT;
      INSERT INTO checkpoint VALUES (0, NULL);
      PRAGMA user_version = ${definition.version};
      COMMIT;`)
  } finally {
    database.close()
  }
}

/** @throws ReadModelBroken for a file that is lost, damaged, none of a read model or of another version */
export function openForWriting(definition: ReadModelDefinition<never>, path: string): DatabaseSync {
  if (!existsSync(path)) throw new ReadModelBroken(definition.name, new Error('its file is lost'))
  const closedWell = wasClosed(path)
  const database = new DatabaseSync(path)
  try {
    // A read model's tables refer to each other by construction: checking it again costs, and mends nothing.
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = OFF')
    // What is overwritten is overwritten with zeros, and what it was spills to no other file.
    database.exec('PRAGMA secure_delete = ON; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -32768')
    const version = versionOf(database)
    const { servesFrom = definition.version } = definition
    if (version > definition.version || version < servesFrom)
      throw new ReadModelBroken(
        definition.name,
        new Error(`it is of version ${version}, this release writes version ${definition.version}`),
      )
    readCheckpoint(database)
    checkPages(database, path, closedWell)
    return database
  } catch (error) {
    database.close()
    throw isUnsound(error) ? new ReadModelBroken(definition.name, error) : error
  }
}

/** Of the definition that the file was made by. */
export const versionOf = (database: DatabaseSync): number =>
  (database.prepare('PRAGMA user_version').get() as { user_version: number }).user_version

/**
 * Whether no writer was cut off: the last writer to close a database empties its write-ahead log. A reader may
 * leave an empty one.
 */
export const wasClosed = (path: string): boolean =>
  (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) === 0

/** As much as a start may cost. @throws NotSound */
export function checkPages(database: DatabaseSync, path: string, closedWell: boolean): void {
  if (statSync(path).size > (closedWell ? CHECKED_AT_EVERY_START : MOST_CHECKED)) return
  const [{ quick_check: found }] = database.prepare('PRAGMA quick_check(1)').all() as [
    { quick_check: string },
  ]
  if (found !== 'ok') throw new NotSound(found.replaceAll('\n', ' '))
}

export function readCheckpoint(database: DatabaseSync): LogPosition {
  const row = database.prepare('SELECT position, hash FROM checkpoint').get() as
    | { position: number }
    | undefined
  if (!row) throw new NotSound('it has no checkpoint')
  return row.position
}

class NotSound extends Error {}

/** Whether the file cannot be what it should: damaged, or without the tables (SQLITE_ERROR). */
export const isUnsound = (error: unknown): boolean =>
  isFileDamage(error) || error instanceof NotSound || (error as { errcode?: number }).errcode === 1
