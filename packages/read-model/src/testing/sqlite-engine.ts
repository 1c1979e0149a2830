import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { openCatalog } from '../sqlite/catalog/catalog.ts'
import { catalogDefinition } from '../sqlite/catalog/definition.ts'
import { openErasureLedger, type SqliteErasureLedger } from '../sqlite/catalog/erasure-ledger.ts'
import { databaseFiles } from '../sqlite/database-files.ts'
import { openDatabaseSource } from '../sqlite/database-source.ts'
import { createDatabase } from '../sqlite/open-database.ts'
import { openSearch } from '../sqlite/search/open-search.ts'
import type { CatalogEngine, PlacedChange } from './engine.ts'

export interface SqliteEngine extends CatalogEngine {
  /** Path of the catalog's database. */
  file: string
  erasures: SqliteErasureLedger
  /** Puts a fresh catalog made from these changes in place of the one in service. */
  rebuild(changes: readonly PlacedChange[]): void
  /** Moves everything from SQLite's own log into the database and truncates the log. */
  checkpoint(): void
}

/**
 * Catalog and search over files of their own, without the host of the projection, which would keep changes that come
 * again from the rows: for tests and benchmarks.
 */
export function openSqliteEngine(): Promise<SqliteEngine> {
  const folder = mkdtempSync(join(tmpdir(), 'medialog-catalog-'))
  const files = databaseFiles(folder, catalogDefinition.name)
  const source = openDatabaseSource(folder, catalogDefinition.name)
  const erasures = openErasureLedger(join(folder, 'erasures.sqlite'))
  let writes = 0
  const catalog = openCatalog(source, erasures, () => writes)
  const search = openSearch({ folder, catalog })
  let writer = makeWriter(files.path(1))
  files.setCurrent(1)

  return Promise.resolve({
    file: files.path(1),
    catalog,
    search,
    erasures,
    apply(changes) {
      writes++
      return Promise.resolve(writer.apply(changes))
    },
    rebuild(changes) {
      const epoch = files.nextEpoch()
      writer.database.close()
      writer = makeWriter(files.path(epoch))
      writer.apply(changes)
      files.setCurrent(epoch)
    },
    checkpoint: () => writer.database.exec('PRAGMA wal_checkpoint(TRUNCATE)'),
    async close() {
      await search.close()
      erasures.close()
      source.close()
      writer.database.close()
      rmSync(folder, { recursive: true })
    },
  })
}

function makeWriter(file: string) {
  createDatabase(catalogDefinition, file)
  const database = new DatabaseSync(file)
  database.exec('PRAGMA synchronous = NORMAL; PRAGMA secure_delete = ON')
  const apply = catalogDefinition.prepare(database)
  const advance = database.prepare('UPDATE checkpoint SET position = max(position, ?)')
  return {
    database,
    apply(changes: readonly PlacedChange[]): void {
      database.exec('BEGIN IMMEDIATE')
      apply(changes)
      for (const { position } of changes) advance.run(position)
      database.exec('COMMIT')
    },
  }
}
