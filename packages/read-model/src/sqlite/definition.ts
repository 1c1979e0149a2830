import type { PositionedChange, ReadModelName, StoreName } from '@medialog/application/ports'
import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'

export interface Compaction {
  /** SELECT of one number: the bytes that rows of removed content take. */
  removedBytes: string
  /** Tables that are copied whole, before the others. */
  whole: readonly string[]
  /** The table of what is there, and its key; triggers on it keep what is derived from it. */
  items: { table: string; key: string }
  /** Tables whose rows belong to one of those, by the column `of`, and are copied where that is there. */
  parts: { tables: readonly string[]; of: string }
}

/**
 * One read model in SQLite: its tables, and how a change lands in them. Each lives in a database file of its own,
 * beside a `checkpoint` table that the host keeps, so that rows and position commit in one transaction and a
 * rebuild is a second file.
 */
export interface ReadModelDefinition<Change> {
  name: StoreName
  /** Raised whenever tables or projection change: an older file is rebuilt, never altered. */
  version: number
  /** The oldest version with the same tables: its file serves until it is rebuilt. `version` unless it is given. */
  servesFrom?: number
  /** Names of read models of former releases that it takes the place of: their files are removed. */
  replaces?: readonly string[]
  /** CREATE statements, STRICT tables. */
  schema: string
  /**
   * What two builds of the same log must agree on, as SELECTs with a total order and without surrogate keys. The digest
   * of a read model is SHA-256 over all their rows.
   */
  digestQueries: ReadonlyMap<ReadModelName, readonly string[]>
  /** A row as it is hashed, where equal rows may differ in how they are written. */
  canonical?: (row: SQLOutputValue[]) => SQLOutputValue[]
  /** Whether the change takes content away whose bytes must leave the files soon; none does where this is left out. */
  erases?(change: Change): boolean
  /**
   * Prepares what wipes the content that a change takes away, where it is there, and leaves all else: a build learns of
   * such changes before their turn. Answers whether it was there. Only where `erases`.
   */
  prepareErasing?(database: DatabaseSync): (change: Change) => boolean
  /** The tables of a copy without the room of removed content; only where rows of that stay, overwritten. */
  compaction?: Compaction
  /** Prepares the statements once and answers the function that applies a batch of changes within the host's transaction. */
  prepare(database: DatabaseSync): (changes: readonly PositionedChange<Change>[]) => void
}
