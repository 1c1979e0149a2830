import type { MediaType } from '@medialog/kernel'
import type { DatabaseSync } from 'node:sqlite'
import type { ItemToIndex } from '../../search/item-index.ts'
import type { LinkSource } from '../../search/links.ts'
import { floats, type Rest } from '../../catalog/record.ts'

interface IndexRow {
  id: number
  media_id: string
  revision: number
  media_type: MediaType
  collection: number
  created_at: number
  changed_position: number
  terms: Uint8Array
  model: string
  dimensions: number
  vectors: Uint8Array
}

/** How far an account's items have been read, in the order of their last change. */
export interface Cursor {
  position: number
  row: number
}

const INDEXED = `
  SELECT item.id, media_id, revision, media_type, collection, created_at, changed_position,
    terms, model, dimensions, vectors
  FROM item JOIN entry ON entry.item = item.id
    JOIN collection ON collection.id = item.collection
  WHERE item.account_id = ? AND (changed_position, item.id) > (?, ?) AND ended_position IS NULL
  ORDER BY changed_position, item.id`

/** The statements of the search thread over the catalog's tables. */
export function prepareRows(database: DatabaseSync) {
  const position = database.prepare('SELECT position FROM checkpoint')
  const changed = database.prepare(INDEXED)
  const removed = database.prepare(
    `SELECT media_id, revision FROM erasure WHERE account_id = ? AND position > ? AND cause = 'deleted'`,
  )
  const ended = database.prepare('SELECT id FROM collection WHERE account_id = ? AND ended_position > ?')
  const movedToEnded = database.prepare(`
    SELECT media_id, revision FROM item JOIN collection ON collection.id = item.collection
    WHERE item.account_id = ? AND changed_position > ? AND ended_position IS NOT NULL`)
  const places = database.prepare(
    'SELECT id, name FROM collection WHERE account_id = ? AND ended_position IS NULL',
  )
  const linkSource = database.prepare(
    'SELECT record, short FROM record JOIN vectors USING (item) WHERE item = ?',
  )
  const passage = database.prepare('SELECT text FROM chunk WHERE item = ? AND ordinal = ?')
  // Half the time of one with names, twenty times a query.
  passage.setReturnArrays(true)

  return {
    /** Up to where the log was applied. */
    position: () => (position.get() as { position: number } | undefined)?.position ?? 0,
    /** Living items in the order of their last change, those that come after the cursor. */
    *itemsChanged(accountId: string, after: Cursor): Generator<{ item: ItemToIndex; cursor: Cursor }> {
      const rows = changed.iterate(accountId, after.position, after.row) as Iterable<unknown>
      for (const row of rows as Iterable<IndexRow>) {
        yield { item: itemToIndex(row), cursor: { position: row.changed_position, row: row.id } }
      }
    },
    /** Items that died after `since`, with the last revision that is dead. */
    itemsGone: (accountId: string, since: number) =>
      [...removed.all(accountId, since), ...movedToEnded.all(accountId, since)] as unknown as {
        media_id: string
        revision: number
      }[],
    placesEnded: (accountId: string, since: number) =>
      (ended.all(accountId, since) as unknown as { id: number }[]).map((row) => row.id),
    /** Living collections: key of the generation to name. */
    places: (accountId: string) =>
      new Map(
        (places.all(accountId) as unknown as { id: number; name: string }[]).map((row) => [row.id, row.name]),
      ),
    /** What connects the item in that row, which is there. */
    linkSource: (item: number): LinkSource => {
      const row = linkSource.get(item) as { record: string; short: Uint8Array }
      return { ...(JSON.parse(row.record) as Rest), short: floats(row.short) }
    },
    passage: (item: number, ordinal: number) =>
      (passage.get(item, ordinal) as unknown as [string] | undefined)?.[0] ?? '',
  }
}

export type Rows = ReturnType<typeof prepareRows>

const itemToIndex = (row: IndexRow): ItemToIndex => ({
  mediaId: row.media_id,
  row: row.id,
  revision: row.revision,
  mediaType: row.media_type,
  place: row.collection,
  createdAt: row.created_at,
  entry: row.terms,
  model: row.model,
  dimensions: row.dimensions,
  vectors: row.vectors,
})
