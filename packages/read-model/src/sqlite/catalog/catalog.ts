import type {
  Catalog,
  CatalogContent,
  CatalogFilter,
  CatalogItem,
  CollectionRecord,
  ItemVectors,
} from '@medialog/application/ports'
import type { Uuid } from '@medialog/kernel'
import { guarded, type DatabaseSource } from '../source.ts'
import { Statements } from '../statements.ts'
import type { SqliteErasureLedger } from './erasure-ledger.ts'
import { ItemCache } from './item-cache.ts'
import { pendingErasures } from './pending-erasures.ts'
import { itemOf, vectorsOf, type ItemRow, type VectorRow } from './record.ts'
import * as sql from './queries.ts'

/** The catalog over SQLite. Answers at once: reading is synchronous inside, microseconds for a single item. */
export function openCatalog(source: DatabaseSource, erasures: SqliteErasureLedger): Catalog {
  const statements = new Statements(source)
  const cache = new ItemCache(statements)
  const answer = <T>(read: () => T): Promise<T> => new Promise((resolve) => resolve(read()))

  return guarded(source, {
    item: (accountId, mediaId) => answer(() => cache.get(accountId, mediaId)),
    content: (accountId, mediaId) => answer(() => readContent(statements, accountId, mediaId)),
    vectors: (accountId, mediaIds, which) =>
      answer(() => readVectors(statements, accountId, mediaIds, which)),
    items: (accountId, mediaIds) =>
      answer(() => [...new Set(mediaIds)].flatMap((id) => cache.get(accountId, id) ?? [])),
    list: (accountId, filter, page) => answer(() => readList(statements, accountId, filter, page)),
    collections: (accountId) => answer(() => readCollections(statements, accountId, null)),
    collection: (accountId, collection) =>
      answer(() => readCollections(statements, accountId, collection)[0] ?? null),
    endedCollection: (accountId, collection, generation) =>
      answer(() => {
        const row = statements.get(sql.ENDED).get(accountId, collection, generation)
        return row ? (({ items, hd, ld }) => ({ items, hd, ld }))(row as unknown as sql.Tally) : null
      }),
    storage: (accountId) =>
      answer(() => {
        const { vectors, bytes } = statements.get(sql.STORAGE).get(accountId) as unknown as sql.Storage
        return { vectors, bytes }
      }),
    pendingErasures: (limit) => answer(() => pendingErasures(statements, erasures, limit)),
    position: () =>
      answer(() => (statements.get(sql.POSITION).get() as { position: number } | undefined)?.position ?? 0),
  })
}

const readContent = (statements: Statements, accountId: Uuid, mediaId: Uuid): CatalogContent | null =>
  statements.snapshot(() => {
    const content = statements.get(sql.CONTENT).get(accountId, mediaId) as
      | { item: number; text: string }
      | undefined
    if (!content) return null
    const chunks = statements.get(sql.CHUNKS).all(content.item) as unknown as CatalogContent['chunks']
    return { text: content.text, chunks: chunks.map(({ text, start, end }) => ({ text, start, end })) }
  })

function readVectors(
  statements: Statements,
  accountId: Uuid,
  mediaIds: readonly Uuid[],
  which: 'combined' | 'all',
): Map<Uuid, ItemVectors> {
  const select = statements.get(which === 'all' ? sql.ALL_VECTORS : sql.COMBINED_VECTOR)
  const found = new Map<Uuid, ItemVectors>()
  for (const mediaId of mediaIds) {
    const row = select.get(accountId, mediaId)
    if (row) found.set(mediaId, vectorsOf(row as unknown as VectorRow))
  }
  return found
}

const readList = (
  statements: Statements,
  accountId: Uuid,
  { mediaType, collection }: CatalogFilter,
  { offset, limit }: { offset: number; limit: number },
): { items: CatalogItem[]; total: number } =>
  statements.snapshot(() => {
    const filter = { account: accountId, type: mediaType ?? null, collection: collection ?? null }
    const { total } = statements.get(sql.TOTAL).get(filter) as { total: number }
    const select = statements.get(collection === undefined ? sql.NEWEST : sql.NEWEST_IN)
    const { collection: _, ...unplaced } = filter
    const rows = select.all({ ...(collection === undefined ? unplaced : filter), offset, limit })
    return { items: (rows as unknown as ItemRow[]).map(itemOf), total }
  })

function readCollections(statements: Statements, accountId: Uuid, name: string | null): CollectionRecord[] {
  const rows = statements.get(sql.COLLECTIONS).all({ account: accountId, name })
  const records = new Map<string, CollectionRecord>()
  for (const row of rows as unknown as sql.CollectionRow[]) {
    const record: CollectionRecord = records.get(row.name) ?? {
      collection: row.name,
      itemCount: 0,
      firstItemAt: row.first_at,
      lastItemAt: row.last_at,
      mediaTypes: {},
    }
    record.itemCount += row.items
    record.firstItemAt = Math.min(record.firstItemAt, row.first_at)
    record.lastItemAt = Math.max(record.lastItemAt, row.last_at)
    record.mediaTypes[row.media_type] = (record.mediaTypes[row.media_type] ?? 0) + row.items
    records.set(row.name, record)
  }
  return [...records.values()]
}
