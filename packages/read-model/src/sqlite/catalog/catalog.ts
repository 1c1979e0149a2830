import type {
  Catalog,
  CatalogContent,
  CatalogFilter,
  CatalogItem,
  CatalogPage,
  CatalogPlace,
  EmbeddedItem,
  EmbeddingCount,
  ItemVectors,
} from '@medialog/application/ports'
import type { LogPosition, Uuid } from '@medialog/kernel'
import { vectorsOf, type VectorRow } from '../../catalog/record.ts'
import { guarded, type DatabaseSource } from '../source.ts'
import { Statements } from '../statements.ts'
import type { SqliteErasureLedger } from './erasure-ledger.ts'
import { readCollections } from './collections.ts'
import { ReadCache } from './read-cache.ts'
import { pendingErasures } from './pending-erasures.ts'
import { itemOf, type ItemRow } from './record.ts'
import * as sql from './queries.ts'

/**
 * The catalog over SQLite. Answers at once: reading is synchronous inside, microseconds for a single item. `position` says,
 * without asking anybody, how far the catalog's projection is known to be: what was read is remembered until it moves.
 */
export function openCatalog(
  source: DatabaseSource,
  erasures: SqliteErasureLedger,
  position: () => LogPosition,
): Catalog {
  const statements = new Statements(source)
  const cache = new ReadCache(statements, position)
  const answer = <T>(read: () => T): Promise<T> => new Promise((resolve) => resolve(read()))

  return guarded(source, {
    item: (accountId, mediaId) => answer(() => cache.item(accountId, mediaId)),
    content: (accountId, mediaId) => answer(() => readContent(statements, accountId, mediaId)),
    vectors: (accountId, mediaIds, which) =>
      answer(() => readVectors(statements, accountId, mediaIds, which)),
    items: (accountId, mediaIds) => answer(() => cache.items(accountId, mediaIds)),
    list: (accountId, filter, page) => answer(() => readList(statements, accountId, filter, page)),
    collections: (accountId) => answer(() => cache.collections(accountId)),
    collection: (accountId, collection) =>
      answer(() => readCollections(statements, accountId, collection)[0] ?? null),
    endedCollection: (accountId, collection, generation) =>
      answer(() => {
        const row = statements.get(sql.ENDED).get(accountId, collection, generation)
        return row ? ({ ...row } as unknown as sql.Tally & { left: number }) : null
      }),
    storage: (accountId) =>
      answer(() => {
        const { vectors, bytes } = statements.get(sql.STORAGE).get(accountId) as unknown as sql.Storage
        return { vectors, bytes }
      }),
    models: (accountId) => answer(() => cache.models(accountId)),
    embeddings: () =>
      answer(() =>
        statements
          .get(sql.EMBEDDINGS)
          .all()
          .map((row) => ({ ...row }) as unknown as EmbeddingCount),
      ),
    embedded: (after, limit) =>
      answer(() =>
        statements
          .get(sql.EMBEDDED)
          .all(after?.accountId ?? '', after?.mediaId ?? '', limit)
          .map((row) => ({ ...row }) as unknown as EmbeddedItem),
      ),
    pendingErasures: (limit, accounts) =>
      answer(() => pendingErasures(statements, erasures, limit, accounts)),
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

/** Before every item. */
const FIRST: CatalogPlace = { createdAt: Number.MAX_SAFE_INTEGER, mediaId: '' }

const readList = (
  statements: Statements,
  accountId: Uuid,
  { mediaType, collection }: CatalogFilter,
  { after = FIRST, offset, limit }: CatalogPage,
): { items: CatalogItem[]; total: number } =>
  statements.snapshot(() => {
    const filter = { account: accountId, type: mediaType ?? null, collection: collection ?? null }
    const { total } = statements.get(sql.TOTAL).get(filter) as { total: number }
    const select = statements.get(collection === undefined ? sql.NEWEST : sql.NEWEST_IN)
    const { collection: _, ...unplaced } = filter
    const place = { at: after.createdAt, after: after.mediaId, offset, limit }
    const rows = select.all({ ...(collection === undefined ? unplaced : filter), ...place })
    return { items: (rows as unknown as ItemRow[]).map(itemOf), total }
  })
