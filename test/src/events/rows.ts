import { existsSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'

/** What a consumer in another process has in its database so far: nothing before it made it. */
export function rowsIn(path: string, query: string) {
  if (!existsSync(path)) return []
  const database = new DatabaseSync(path, { timeout: 10_000 })
  try {
    return database.prepare(query).all()
  } catch (error) {
    // Looked at before its tables were made.
    if ((error as Error).message.startsWith('no such table')) return []
    throw error
  } finally {
    database.close()
  }
}
