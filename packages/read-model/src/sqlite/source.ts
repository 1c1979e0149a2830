import type { DatabaseSync } from 'node:sqlite'

/**
 * Where readers find their database. A rebuild swaps in another file while they run: `epoch` then grows, and whoever
 * kept anything of the old database (statements, caches) lets go of it.
 */
export interface DatabaseSource {
  current(): { database: DatabaseSync; epoch: number }
}
