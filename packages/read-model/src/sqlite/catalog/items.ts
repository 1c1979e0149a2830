import type { CatalogChange, CatalogItem, ItemVectors } from '@medialog/application/ports'
import type { MediaType, Uuid } from '@medialog/kernel'
import type { DatabaseSync } from 'node:sqlite'
import { Analyzer } from '../../analysis/analyzer.ts'
import { termOf } from '../../analysis/term.ts'
import { bytesOf, derivedBytes, recordOf } from '../../catalog/record.ts'
import { encodeEntry } from '../../search/entry.ts'
import { encodeVectors } from '../../search/fixed-point.ts'
import { labelsOf } from '../../search/labels.ts'

type Ingested = Extract<CatalogChange, { type: 'PutItem' | 'ReplaceItem' }>
type ReplaceVectors = Extract<CatalogChange, { type: 'ReplaceVectors' }>

interface KnownItem {
  id: number
  ingest_id: Uuid
  collection: number
  media_type: MediaType
  created_at: number
  revision: number
  hd: number
  ld: number
  placed_position: number
}

/** What of an item does not change with its vectors, as its rows hold it. */
interface KeptRows {
  record: string
  text: string
  chunks: { ordinal: number; start_at: number; end_at: number; text: string }[]
  /** See search/entry.ts. */
  terms: Uint8Array
}

/** The statements that write items, and the places they are in. */
export function prepareItems(database: DatabaseSync) {
  const selectItem = database.prepare(`
    SELECT id, ingest_id, collection, media_type, created_at, revision, hd, ld, placed_position
    FROM item WHERE account_id = ? AND media_id = ?`)
  const selectDeletion = database.prepare(`
    SELECT max(revision) AS revision FROM erasure WHERE account_id = ? AND media_id = ? AND cause = 'deleted'`)
  const deleteItem = database.prepare('DELETE FROM item WHERE id = ?')

  return {
    ...preparePlaces(database),
    insert: prepareInsert(database),
    replaceVectors: prepareReplaceVectors(database),

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

/** An item's row in `item`, without the columns of its vectors. */
interface ItemColumns {
  account: Uuid
  media: Uuid
  ingest: Uuid
  type: MediaType
  revision: number
  hd: number
  ld: number
  place: number
  createdAt: number
  placed: number
  position: number
}

/** Writes all rows of an item. */
function prepareInsert(database: DatabaseSync) {
  const analyzer = new Analyzer()
  const write = prepareWrite(database)
  return (change: Ingested, place: number, createdAt: number, position: number, placed = position): void => {
    const { item, content, vectors } = change
    const rows: KeptRows = {
      record: recordOf(item),
      text: content.text,
      chunks: content.chunks.map(({ start, end, text }, ordinal) => ({
        ordinal,
        start_at: start,
        end_at: end,
        text,
      })),
      terms: encodeEntry(
        content.chunks.map((chunk) => analyzer.analyse(chunk.text)),
        labelsOf(item).map(termOf),
      ),
    }
    const columns = {
      account: item.accountId,
      media: item.mediaId,
      ingest: item.ingestId,
      type: item.mediaType,
      revision: item.revision,
      ...item.vectorCount,
      place,
      createdAt,
      placed,
      position,
    }
    write(columns, rows, vectors)
  }
}

/** Rewrites the rows of an item with other vectors: a row's size never changes, see content-schema.ts. */
function prepareReplaceVectors(database: DatabaseSync) {
  const write = prepareWrite(database)
  const selectRecord = database.prepare('SELECT record FROM record WHERE item = ?')
  const selectText = database.prepare('SELECT text FROM content WHERE item = ?')
  const selectChunks = database.prepare(
    'SELECT ordinal, start_at, end_at, text FROM chunk WHERE item = ? ORDER BY ordinal',
  )
  const selectTerms = database.prepare('SELECT terms FROM entry WHERE item = ?')
  const deleteItem = database.prepare('DELETE FROM item WHERE id = ?')

  return (change: ReplaceVectors, known: KnownItem, position: number): void => {
    const { accountId, mediaId, ingestId, revision, vectors } = change
    const { id } = known
    const rows: KeptRows = {
      ...(selectRecord.get(id) as { record: string }),
      ...(selectText.get(id) as { text: string }),
      chunks: selectChunks.all(id) as unknown as KeptRows['chunks'],
      ...(selectTerms.get(id) as { terms: Uint8Array }),
    }
    // Wiped ahead of its deletion, see ReadModelBuild: vectors would bring back what was taken away.
    if (!rows.record.startsWith('{')) return
    deleteItem.run(id)
    const columns = {
      account: accountId,
      media: mediaId,
      ingest: ingestId,
      type: known.media_type,
      revision,
      hd: known.hd,
      ld: known.ld,
      place: known.collection,
      createdAt: known.created_at,
      placed: known.placed_position,
      position,
    }
    write(columns, rows, vectors)
  }
}

function prepareWrite(database: DatabaseSync) {
  const insertItem = database.prepare(`
    INSERT INTO item (account_id, media_id, ingest_id, collection, media_type, model, created_at, revision, hd, ld,
      bytes, placed_position, changed_position)
    VALUES (:account, :media, :ingest, :place, :type, :model, :createdAt, :revision, :hd, :ld,
      :bytes, :placed, :position) RETURNING id`)
  const insertRecord = database.prepare('INSERT INTO record VALUES (?, ?)')
  const insertContent = database.prepare('INSERT INTO content VALUES (?, ?)')
  const insertChunk = database.prepare('INSERT INTO chunk VALUES (?, ?, ?, ?, ?)')
  const insertVectors = database.prepare('INSERT INTO vectors VALUES (?, ?, ?, ?, ?)')
  const insertEntry = database.prepare('INSERT INTO entry VALUES (?, ?, ?, ?)')

  return (columns: ItemColumns, { record, text, chunks, terms }: KeptRows, vectors: ItemVectors): void => {
    const { model, dimensions } = vectors
    const combined = bytesOf([vectors.combined], dimensions)
    const short = bytesOf([vectors.short], vectors.short.length)
    const chunkVectors = bytesOf(vectors.chunks, dimensions)
    const bytes = derivedBytes(record, text, chunks, vectors)
    const { id } = insertItem.get({ ...columns, model, bytes }) as { id: number }
    insertRecord.run(id, record)
    insertContent.run(id, text)
    for (const chunk of chunks) insertChunk.run(id, chunk.ordinal, chunk.start_at, chunk.end_at, chunk.text)
    insertVectors.run(id, dimensions, combined, short, chunkVectors)
    insertEntry.run(id, terms, dimensions, encodeVectors([...vectors.chunks, vectors.combined], dimensions))
  }
}
