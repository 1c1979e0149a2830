import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  ReadModelBroken,
  type PositionedChange,
  type ReadModelSnapshot,
  type ReadModelWriter,
} from '@medialog/application/ports'
import type { LogPosition } from '@medialog/kernel'
import type { ReadModelDefinition } from './definition.ts'
import { digestRows } from './digest.ts'

/** What was erased is wiped from the files after this long, or sooner when somebody waits for it. */
const WIPE_AFTER_MS = 500
/** How soon wiping is tried again while a reader's snapshot holds it up. */
const WIPE_AGAIN_MS = 25
/** SQLITE_CORRUPT and SQLITE_NOTADB. */
const BROKEN = new Set([11, 26])

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

/**
 * One read model in one file: rows and checkpoint commit in one transaction. Not synced at every commit: after a loss
 * of power the file is at an earlier commit, and the log has the rest.
 */
export class ReadModelDatabase<Change> implements ReadModelWriter<Change> {
  readonly #definition: ReadModelDefinition<Change>
  readonly #path: string
  readonly #database: DatabaseSync
  readonly #apply: (change: Change, position: LogPosition) => void
  readonly #saveCheckpoint: (position: LogPosition, hash: string | null) => void
  #position: LogPosition
  #toWipe = false
  #wiping: Promise<void> | null = null
  #timer: NodeJS.Timeout | null = null

  /** @throws ReadModelBroken for a file that is none, or of another version */
  constructor(definition: ReadModelDefinition<Change>, path: string) {
    this.#definition = definition
    this.#path = path
    this.#database = openForWriting(definition, path)
    this.#apply = definition.prepare(this.#database)
    const save = this.#database.prepare('UPDATE checkpoint SET position = ?, hash = ?')
    this.#saveCheckpoint = (position, hash) => void save.run(position, hash)
    this.#position = readCheckpoint(this.#database)
    // A crash may have come between a removal and its wiping.
    this.#scheduleWipe()
  }

  get position(): LogPosition {
    return this.#position
  }

  applyBatch(
    changes: readonly PositionedChange<Change>[],
    position: LogPosition,
    hash: string | null = null,
  ): void {
    if (position <= this.#position) return
    const news = changes.filter((change) => change.position > this.#position)
    try {
      this.#database.exec('BEGIN IMMEDIATE')
      for (const { change, position } of news) this.#apply(change, position)
      this.#saveCheckpoint(position, hash)
      this.#database.exec('COMMIT')
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK')
      throw brokenOr(this.#definition.name, error)
    }
    this.#position = position
    if (news.some(({ change }) => this.#definition.erases?.(change))) this.#scheduleWipe()
  }

  snapshot(): ReadModelSnapshot {
    const database = new DatabaseSync(this.#path, { readOnly: true })
    const { digestQueries } = this.#definition
    database.exec('BEGIN')
    return {
      // The first read takes the snapshot.
      position: readCheckpoint(database),
      digest: () => digestRows(database, digestQueries),
      close: () => database.close(),
    }
  }

  flushErased(): Promise<void> {
    if (!this.#toWipe) return this.#wiping ?? Promise.resolve()
    this.#wiping ??= this.#wipe().finally(() => (this.#wiping = null))
    return this.#wiping
  }

  async close(): Promise<void> {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
    if (this.#database.isOpen) this.#database.close()
  }

  #scheduleWipe(): void {
    this.#toWipe = true
    this.#timer ??= setTimeout(() => {
      this.#timer = null
      // Trying goes on inside; what is left then is an error that the next batch meets too.
      this.flushErased().catch(() => undefined)
    }, WIPE_AFTER_MS).unref()
  }

  /** Removed rows were overwritten with zeros: now the log of older pages goes. */
  async #wipe(): Promise<void> {
    while (this.#toWipe && this.#database.isOpen) {
      this.#toWipe = false
      const outcome = this.#database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get() as { busy: number }
      if (outcome.busy === 0) continue
      this.#toWipe = true
      await sleep(WIPE_AGAIN_MS)
    }
  }
}

function openForWriting(definition: ReadModelDefinition<never>, path: string): DatabaseSync {
  const database = new DatabaseSync(path)
  try {
    // A read model's tables refer to each other by construction: checking it again costs, and mends nothing.
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = OFF')
    // What is overwritten is overwritten with zeros, and what it was spills to no other file.
    database.exec('PRAGMA secure_delete = ON; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -32768')
    const { user_version: version } = database.prepare('PRAGMA user_version').get() as {
      user_version: number
    }
    if (version !== definition.version)
      throw new Error(`it is of version ${version}, this release writes version ${definition.version}`)
    readCheckpoint(database)
    return database
  } catch (error) {
    database.close()
    throw new ReadModelBroken(definition.name, error)
  }
}

function readCheckpoint(database: DatabaseSync): LogPosition {
  const row = database.prepare('SELECT position, hash FROM checkpoint').get() as
    | { position: number }
    | undefined
  if (!row) throw new Error('it has no checkpoint')
  return row.position
}

const brokenOr = (name: string, error: unknown): unknown =>
  BROKEN.has((error as { errcode?: number }).errcode ?? 0) ? new ReadModelBroken(name, error) : error
