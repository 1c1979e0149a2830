import type { DatabaseSync } from 'node:sqlite'

/** In the file's header, so that no other database is taken for a log. "MLog". */
const APPLICATION_ID = 0x4d4c_6f67
const SCHEMA_VERSION = 1

/**
 * `event` holds the whole recorded event as one JSON text, so that a reader parses once. A truncated event leaves its
 * row as zeros of the same length (a BLOB, which readers skip): SQLite overwrites equal lengths in place, while a
 * DELETE moves neighbouring rows between pages and can leave stale copies of them in the gaps, where a later
 * `secure_delete` does not find them.
 */
const TABLES = `
  CREATE TABLE streams (stream INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
  CREATE TABLE events (
    position INTEGER PRIMARY KEY,
    stream INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    event TEXT NOT NULL,
    UNIQUE (stream, revision)
  );
`

/** A row that holds an event, and not the zeros of a truncated one. Reads the row's header alone. */
export const IS_THERE = `typeof(event) = 'text'`

/** Durable on disk at every commit; what is overwritten is overwritten with zeros; nothing spills to other files. */
const WRITER_PRAGMAS = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = FULL;
  PRAGMA secure_delete = ON;
  PRAGMA temp_store = MEMORY;
  PRAGMA wal_autocheckpoint = 4000;
`

const pragma = (database: DatabaseSync, name: string): number =>
  Number(Object.values(database.prepare(`PRAGMA ${name}`).get()!)[0])

const isEmpty = (database: DatabaseSync): boolean => pragma(database, 'schema_version') === 0

/** Why the file is not a log that this version reads, or null. Changes nothing. */
export function whyNotALog(database: DatabaseSync): string | null {
  if (isEmpty(database)) return null
  if (pragma(database, 'application_id') !== APPLICATION_ID) return 'it is a database of something else'
  const version = pragma(database, 'user_version')
  return version > SCHEMA_VERSION ? `it was written by a newer version, schema ${version}` : null
}

/** Sets the writer's pragmas, and makes the tables in an empty file. */
export function prepareLog(database: DatabaseSync): void {
  database.exec(WRITER_PRAGMAS)
  if (!isEmpty(database)) return
  const identity = `PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${SCHEMA_VERSION};`
  database.exec(`BEGIN IMMEDIATE; ${TABLES} ${identity} COMMIT`)
}
