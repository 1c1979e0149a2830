import { existsSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { STORES, type StoreName } from '@medialog/application/ports'
import type { LogPosition } from '@medialog/kernel'
import { databaseFiles } from './database-files.ts'

export interface Checkpoint {
  name: StoreName
  position: LogPosition
  /** Hash of the event there; null where it was erased before it was applied. */
  hash: string | null
}

/** The checkpoints of the read models in the folder. A missing one, or one that cannot be read and will be rebuilt, is left out. */
export function readCheckpoints(folder: string): Checkpoint[] {
  if (!existsSync(folder)) return []
  return STORES.flatMap((name) => {
    const files = databaseFiles(folder, name)
    const epoch = files.current()
    if (epoch === null || !existsSync(files.path(epoch))) return []
    try {
      return [{ name, ...checkpointIn(files.path(epoch)) }]
    } catch {
      return []
    }
  })
}

function checkpointIn(path: string): Omit<Checkpoint, 'name'> {
  const database = new DatabaseSync(path, { readOnly: true })
  try {
    return database.prepare('SELECT position, hash FROM checkpoint').get() as unknown as Checkpoint
  } finally {
    database.close()
  }
}
