import type { CatalogChange, CatalogItem } from '@medialog/application/ports'
import type { Uuid } from '@medialog/kernel'
import type { DatabaseSync } from 'node:sqlite'
import { Analyzer } from '../../analysis/analyzer.ts'
import { termOf } from '../../analysis/term.ts'
import { encodeEntry } from '../../search/entry.ts'
import { encodeVectors } from '../../search/fixed-point.ts'
import { labelsOf } from '../../search/labels.ts'
import { bytesOf, recordOf } from './record.ts'

type Ingested = Extract<CatalogChange, { type: 'PutItem' | 'ReplaceItem' }>

interface KnownItem {
  id: number
  ingest_id: Uuid
  collection: number
  created_at: number
  revision: number
  placed_position: number
}

/** The statements that write items, and the places they are in. */
export function prepareItems(database: DatabaseSync) {
  const selectItem = database.prepare(`
    SELECT id, ingest_id, collection, created_at, revision, placed_position
    FROM item WHERE account_id = ? AND media_id = ?`)
  const selectDeletion = database.prepare(`
    SELECT max(revision) AS revision FROM erasure WHERE account_id = ? AND media_id = ? AND cause = 'deleted'`)
  const deleteItem = database.prepare('DELETE FROM item WHERE id = ?')

  return {
    ...preparePlaces(database),
    insert: prepareInsert(database),

    find: (accountId: Uuid, mediaId: Uuid) => selectItem.get(accountId, mediaId) as KnownItem | undefined,

    /** Whether the read model has seen that revision of the item, or a later one. */
    isPast({ accountId, mediaId, revision }: CatalogItem, known: KnownItem | undefined): boolean {
      if (known && known.revision >= revision) return true
      const deleted = selectDeletion.get(accountId, mediaId) as { revision: number | null }
      return deleted.revision !== null && deleted.revision >= revision
    },

    remove: (id: number): void => {
      deleteItem.run(id)
    },
  }
}

function preparePlaces(database: DatabaseSync) {
  const select = database.prepare(
    'SELECT id FROM collection WHERE account_id = ? AND name = ? AND generation = ?',
  )
  const latest = database.prepare(
    'SELECT max(generation) AS generation FROM collection WHERE account_id = ? AND name = ?',
  )
  const insert = database.prepare(
    'INSERT INTO collection (account_id, name, generation) VALUES (?, ?, ?) RETURNING id',
  )

  function placeOf(accountId: Uuid, name: string, generation: number): number {
    const row = select.get(accountId, name, generation) ?? insert.get(accountId, name, generation)
    return (row as { id: number }).id
  }

  /** For an item whose earlier ingest this read model never saw. */
  function latestPlaceOf(accountId: Uuid, name: string): number {
    const { generation } = latest.get(accountId, name) as { generation: number | null }
    return placeOf(accountId, name, generation ?? 0)
  }

  return { placeOf, latestPlaceOf }
}

/** Writes all rows of an item. */
function prepareInsert(database: DatabaseSync) {
  const analyzer = new Analyzer()
  const insertItem = database.prepare(`
    INSERT INTO item (account_id, media_id, ingest_id, collection, media_type, created_at, revision, hd, ld, bytes,
      placed_position, changed_position)
    VALUES (:account, :media, :ingest, :place, :type, :createdAt, :revision, :hd, :ld, :bytes,
      :placed, :position) RETURNING id`)
  const insertRecord = database.prepare('INSERT INTO record VALUES (?, ?)')
  const insertContent = database.prepare('INSERT INTO content VALUES (?, ?)')
  const insertChunk = database.prepare('INSERT INTO chunk VALUES (?, ?, ?, ?, ?)')
  const insertVectors = database.prepare('INSERT INTO vectors VALUES (?, ?, ?, ?, ?, ?)')
  const insertEntry = database.prepare('INSERT INTO entry VALUES (?, ?, ?, ?)')

  return (change: Ingested, place: number, createdAt: number, position: number, placed = position): void => {
    const { item, content, vectors } = change
    const record = recordOf(item)
    const chunkVectors = bytesOf(vectors.chunks, vectors.dimensions)
    const bytes =
      Buffer.byteLength(record) +
      Buffer.byteLength(content.text) +
      content.chunks.reduce((sum, chunk) => sum + Buffer.byteLength(chunk.text), 0) +
      chunkVectors.byteLength +
      vectors.combined.byteLength +
      vectors.short.byteLength
    const { id } = insertItem.get({
      account: item.accountId,
      media: item.mediaId,
      ingest: item.ingestId,
      type: item.mediaType,
      revision: item.revision,
      ...item.vectorCount,
      place,
      createdAt,
      bytes,
      placed,
      position,
    }) as { id: number }
    insertRecord.run(id, record)
    insertContent.run(id, content.text)
    content.chunks.forEach((chunk, ordinal) =>
      insertChunk.run(id, ordinal, chunk.start, chunk.end, chunk.text),
    )
    const combined = bytesOf([vectors.combined], vectors.dimensions)
    const short = bytesOf([vectors.short], vectors.short.length)
    insertVectors.run(id, vectors.model, vectors.dimensions, combined, short, chunkVectors)
    const analysed = content.chunks.map((chunk) => analyzer.analyse(chunk.text))
    const encoded = encodeVectors([...vectors.chunks, vectors.combined], vectors.dimensions)
    insertEntry.run(id, encodeEntry(analysed, labelsOf(item).map(termOf)), vectors.dimensions, encoded)
  }
}
