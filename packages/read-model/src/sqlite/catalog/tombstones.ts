import type { DatabaseSource } from '../source.ts'

/** Removed items whose rows are there as zeros, and the bytes that these take: see content-schema.ts. */
export interface Tombstones {
  items: number
  bytes: number
}

/**
 * The bytes that rebuilding the catalog would free. One row is read: cheap enough for every scrape of metrics.
 * @throws EngineUnavailable while there is no catalog, or where it is damaged
 */
export function countTombstones(source: DatabaseSource): Tombstones {
  const { database, epoch } = source.current()
  try {
    const row = database.prepare('SELECT items, bytes FROM tombstone').get()
    const { items, bytes } = row as unknown as Tombstones
    return { items, bytes }
  } catch (error) {
    throw source.failure(epoch, error)
  }
}
