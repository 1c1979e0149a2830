import type { Erasure, ErasureLedger } from '@medialog/application/ports'
import { DatabaseSync } from 'node:sqlite'

/** The ledger as the catalog's reader uses it, beside the port. */
export interface SqliteErasureLedger extends ErasureLedger {
  isDone(erasure: Pick<Erasure, 'mediaId' | 'ingestId'>): boolean
  /** Every erasure below this log position is done. */
  doneBelow(): number
  /** Says that every erasure below `position` is done, so that nobody has to look at them again. */
  raise(position: number): void
  close(): void
}

/**
 * What the eraser has carried out, in a file of its own (`:memory:` for tests): it outlives rebuilds of the catalog,
 * whose rows only the projection writes. Losing it costs nothing but work: erasing twice is harmless.
 */
export function openErasureLedger(path: string): SqliteErasureLedger {
  const database = new DatabaseSync(path, { timeout: 5_000 })
  database.exec(`
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = NORMAL;
    CREATE TABLE IF NOT EXISTS erased (media_id TEXT, ingest_id TEXT, PRIMARY KEY (media_id, ingest_id)) STRICT, WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS done (below INTEGER NOT NULL) STRICT;
    INSERT INTO done SELECT 0 WHERE NOT EXISTS (SELECT 1 FROM done);
  `)
  const insert = database.prepare('INSERT OR IGNORE INTO erased VALUES (?, ?)')
  const select = database.prepare('SELECT 1 FROM erased WHERE media_id = ? AND ingest_id = ?')
  const below = database.prepare('SELECT below FROM done')
  const raise = database.prepare('UPDATE done SET below = max(below, ?)')

  return {
    markErased({ mediaId, ingestId }) {
      insert.run(mediaId, ingestId)
      return Promise.resolve()
    },
    isDone: ({ mediaId, ingestId }) => select.get(mediaId, ingestId) !== undefined,
    doneBelow: () => (below.get() as { below: number }).below,
    raise: (position) => {
      raise.run(position)
    },
    close: () => database.close(),
  }
}
