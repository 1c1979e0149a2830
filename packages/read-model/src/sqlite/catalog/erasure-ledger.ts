import type { Erasure, ErasureLedger } from '@medialog/application/ports'
import type { LogPosition } from '@medialog/kernel'
import { rmSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { isFileDamage } from '../damage.ts'
import { checkPages, isUnsound, wasClosed } from '../open-database.ts'

/** The ledger as the catalog's reader uses it, beside the port. */
export interface SqliteErasureLedger extends ErasureLedger {
  isDone(erasure: Pick<Erasure, 'mediaId' | 'ingestId'>): boolean
  /** Every erasure below this log position is done. `applied`: how far the catalog has got, which it never is beyond. */
  doneBelow(applied: LogPosition): LogPosition
  /** Records that every erasure below `position` is done, so that they are not checked again. */
  raise(position: LogPosition): void
  close(): void
}

/**
 * What the eraser has carried out, in a file of its own (`:memory:` for tests): it outlives rebuilds of the catalog,
 * whose rows only the projection writes. What is to be erased the log tells, what was erased only this file does. A
 * damaged one is discarded, and `onDamage` receives why: then every erasure in the log is done again, which
 * is work and no harm; none is ever taken for done.
 */
export function openErasureLedger(
  path: string,
  onDamage: (reason: string) => void = () => undefined,
): SqliteErasureLedger {
  let ledger = openOrRenew()

  function openOrRenew(): ReturnType<typeof openLedger> {
    try {
      return openLedger(path)
    } catch (error) {
      if (!isUnsound(error)) throw error
      return renewed((error as Error).message)
    }
  }

  function renewed(reason: string): ReturnType<typeof openLedger> {
    onDamage(reason)
    for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true })
    return openLedger(path)
  }

  function renew(reason: string): void {
    ledger.close()
    ledger = renewed(reason)
  }

  function attempt<T>(work: () => T): T {
    try {
      return work()
    } catch (error) {
      if (!isFileDamage(error)) throw error
      renew((error as Error).message)
      return work()
    }
  }

  return {
    async markErased(erasure) {
      attempt(() => ledger.markErased(erasure))
    },
    areDone: async (erasures) => attempt(() => erasures.map((erasure) => ledger.isDone(erasure))),
    isDone: (erasure) => attempt(() => ledger.isDone(erasure)),
    doneBelow(applied) {
      const below = attempt(() => ledger.doneBelow())
      if (below <= applied) return below
      renew('it says of what is still to come that it is done')
      return attempt(() => ledger.doneBelow())
    },
    raise: (position) => attempt(() => ledger.raise(position)),
    close: () => ledger.close(),
  }
}

type Ingest = Pick<Erasure, 'mediaId' | 'ingestId'>

function openLedger(path: string) {
  const closedWell = wasClosed(path)
  const database = new DatabaseSync(path, { timeout: 5_000 })
  try {
    database.exec(`
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = NORMAL;
      CREATE TABLE IF NOT EXISTS erased (media_id TEXT, ingest_id TEXT, PRIMARY KEY (media_id, ingest_id)) STRICT, WITHOUT ROWID;
      CREATE TABLE IF NOT EXISTS done (below INTEGER NOT NULL) STRICT;
      INSERT INTO done SELECT 0 WHERE NOT EXISTS (SELECT 1 FROM done);
    `)
    if (path !== ':memory:') checkPages(database, path, closedWell)
    const insert = database.prepare('INSERT OR IGNORE INTO erased VALUES (?, ?)')
    const select = database.prepare('SELECT 1 FROM erased WHERE media_id = ? AND ingest_id = ?')
    const below = database.prepare('SELECT below FROM done')
    const raise = database.prepare('UPDATE done SET below = max(below, ?)')
    return {
      markErased: ({ mediaId, ingestId }: Ingest): void => void insert.run(mediaId, ingestId),
      isDone: ({ mediaId, ingestId }: Ingest): boolean => select.get(mediaId, ingestId) !== undefined,
      doneBelow: (): LogPosition => (below.get() as { below: number }).below,
      raise: (position: LogPosition): void => void raise.run(position),
      close: () => database.close(),
    }
  } catch (error) {
    database.close()
    throw error
  }
}
