import { dirname } from 'node:path'
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { EngineUnavailable, type Leaf, type LogLeaves, type PlacedLeaf } from '@medialog/application/ports'
import type { LogPosition, Revision, StreamName } from '@medialog/kernel'
import { makeFolder } from '../sqlite/make-folder.ts'
import { messageOf } from '../sqlite/sqlite-error.ts'

/** "MLvs": no other database is taken for this one. */
const APPLICATION_ID = 0x4d4c_7673

const TABLES = `
  CREATE TABLE streams (stream INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;
  CREATE TABLE leaves (
    "index" INTEGER PRIMARY KEY,
    position INTEGER NOT NULL UNIQUE,
    stream INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    hash BLOB NOT NULL,
    UNIQUE (stream, revision, "index")
  ) STRICT;
  CREATE TABLE blocks (block INTEGER PRIMARY KEY, root BLOB NOT NULL) STRICT;
`

/** Kept by the system until `flush`: a death of the process loses nothing, a loss of power at most what came last. */
const PRAGMAS = 'PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA temp_store = MEMORY;'

/** The order of a cross join is kept: leaves are read by their own index, and not sorted. */
const COLUMNS = 'SELECT "index", position, name, revision, hash FROM leaves CROSS JOIN streams USING (stream)'

const OF_STREAM = 'stream = (SELECT stream FROM streams WHERE name = ?)'

/** Stream names by number that are kept in memory: those of the last uploads. */
const MOST_NAMES = 2_000

/** Opens the file of the leaves, or makes it. @throws EngineUnavailable where it is something else */
export function openSqliteLeaves(path: string): LogLeaves {
  makeFolder(dirname(path))
  const database = new DatabaseSync(path, { timeout: 5_000 })
  try {
    prepare(database)
    return new SqliteLeaves(database)
  } catch (error) {
    database.close()
    throw unavailable(`${path}: ${messageOf(error)}`)
  }
}

function prepare(database: DatabaseSync): void {
  database.exec(PRAGMAS)
  const pragma = (name: string) => Object.values(database.prepare(`PRAGMA ${name}`).get()!)[0]
  if (pragma('schema_version') === 0)
    database.exec(`BEGIN IMMEDIATE; ${TABLES} PRAGMA application_id = ${APPLICATION_ID}; COMMIT`)
  else if (pragma('application_id') !== APPLICATION_ID) throw new Error('it is a database of something else')
}

class SqliteLeaves implements LogLeaves {
  #database: DatabaseSync
  #streams = new Map<StreamName, number>()
  /** What a process before this one kept may not be on disk either. */
  #isFlushed = false
  #statement: (sql: string) => ReturnType<DatabaseSync['prepare']>

  constructor(database: DatabaseSync) {
    this.#database = database
    const prepared = new Map<string, ReturnType<DatabaseSync['prepare']>>()
    this.#statement = (sql) => {
      const known = prepared.get(sql) ?? database.prepare(sql)
      prepared.set(sql, known)
      return known
    }
  }

  async size(): Promise<number> {
    return this.#attempt(() => this.#size())
  }

  async append(size: number, leaves: readonly Leaf[], blocks: readonly Uint8Array[]): Promise<void> {
    this.#isFlushed = false
    this.#attempt(() => {
      this.#database.exec('BEGIN IMMEDIATE')
      try {
        this.#insert(size, leaves, blocks)
        this.#database.exec('COMMIT')
      } catch (error) {
        // Some errors (a full disk) have rolled back by themselves.
        if (this.#database.isTransaction) this.#database.exec('ROLLBACK')
        this.#streams.clear()
        throw error
      }
    })
  }

  #insert(size: number, leaves: readonly Leaf[], blocks: readonly Uint8Array[]): void {
    const there = this.#size()
    if (there !== size) throw new Error(`there are ${there} leaves, not ${size}`)
    const insert = this.#statement('INSERT INTO leaves VALUES (?, ?, ?, ?, ?)')
    for (const [number, { position, stream, revision, hash }] of leaves.entries())
      insert.run(size + number, position, this.#streamOf(stream), revision, Buffer.from(hash, 'hex'))
    const insertBlock = this.#statement(
      'INSERT INTO blocks SELECT coalesce(max(block) + 1, 0), ? FROM blocks',
    )
    for (const root of blocks) insertBlock.run(root)
  }

  #size(): number {
    return this.#statement('SELECT coalesce(max("index") + 1, 0) AS size FROM leaves').get()!.size as number
  }

  #streamOf(name: StreamName): number {
    const known = this.#streams.get(name)
    if (known !== undefined) return known
    const found = this.#statement('SELECT stream FROM streams WHERE name = ?').get(name)?.stream as
      | number
      | undefined
    const stream =
      found ?? Number(this.#statement('INSERT INTO streams (name) VALUES (?)').run(name).lastInsertRowid)
    if (this.#streams.size >= MOST_NAMES) this.#streams.clear()
    this.#streams.set(name, stream)
    return stream
  }

  async flush(): Promise<void> {
    if (this.#isFlushed) return
    this.#attempt(() => {
      // A commit that is synced takes all before it along. A checkpoint would wait for readers: a backup reads for long.
      this.#database.exec('PRAGMA synchronous = FULL')
      try {
        this.#database.exec('PRAGMA user_version = 0')
      } finally {
        this.#database.exec('PRAGMA synchronous = NORMAL')
      }
    })
    this.#isFlushed = true
  }

  async read(from: number, limit: number): Promise<PlacedLeaf[]> {
    return this.#select(`${COLUMNS} WHERE "index" >= ? ORDER BY "index" LIMIT ?`, from, limit)
  }

  async blocks(): Promise<Uint8Array[]> {
    return this.#attempt(() =>
      this.#statement('SELECT root FROM blocks ORDER BY block')
        .all()
        .map(({ root }) => root as Uint8Array),
    )
  }

  async ofStream(stream: StreamName, revision?: Revision): Promise<PlacedLeaf[]> {
    return revision === undefined
      ? this.#select(`${COLUMNS} WHERE ${OF_STREAM} ORDER BY revision, "index"`, stream)
      : this.#select(`${COLUMNS} WHERE ${OF_STREAM} AND revision = ? ORDER BY "index"`, stream, revision)
  }

  async atPosition(position: LogPosition): Promise<PlacedLeaf | null> {
    return this.#select(`${COLUMNS} WHERE position = ?`, position)[0] ?? null
  }

  async close(): Promise<void> {
    if (this.#database.isOpen) this.#database.close()
  }

  #select(sql: string, ...values: SQLInputValue[]): PlacedLeaf[] {
    return this.#attempt(() =>
      this.#statement(sql)
        .all(...values)
        .map(({ index, position, name, revision, hash }) => ({
          index: index as number,
          position: position as number,
          stream: name as StreamName,
          revision: revision as number,
          hash: Buffer.from(hash as Uint8Array).toString('hex'),
        })),
    )
  }

  /** @throws EngineUnavailable */
  #attempt<T>(work: () => T): T {
    try {
      return work()
    } catch (error) {
      throw unavailable(messageOf(error))
    }
  }
}

const unavailable = (why: string) => new EngineUnavailable('leaves of the log', why)
