import { DatabaseSync } from 'node:sqlite'
import { BLOCK } from '@medialog/application/ports'
import type { LogPosition } from '@medialog/kernel'
import { copyDatabase } from '../sqlite/copy-database.ts'

/** Copies the leaves of the events up to `position`: those of a log that was copied before. */
export async function copyLeaves(from: string, to: string, position: LogPosition): Promise<void> {
  await copyDatabase(from, to)
  const database = new DatabaseSync(to)
  try {
    database.exec('BEGIN IMMEDIATE')
    database.prepare('DELETE FROM leaves WHERE position > ?').run(position)
    database.prepare('DELETE FROM blocks WHERE (block + 1) * ? > (SELECT count(*) FROM leaves)').run(BLOCK)
    database.exec('COMMIT')
  } finally {
    database.close()
  }
}
