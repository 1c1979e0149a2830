import {
  CollectionNotFound,
  ItemsNotFound,
  MediaItemNotFound,
  type Application,
  type CatalogItem,
  type MediaThen,
} from '@medialog/application'
import { CannotDeleteDefault } from '@medialog/domain'
import { parseMediaId } from '@medialog/kernel'
import { ERASURE, PENDING_ERASURE } from './fake-erasures.ts'
import { itemVectors, NOW } from './fixtures.ts'

const find = (items: readonly CatalogItem[], id: string): CatalogItem | undefined =>
  items.find((item) => item.mediaId === parseMediaId(id)?.id)

/** The item of that id. @throws MediaItemNotFound */
export function itemOf(items: readonly CatalogItem[], id: string): CatalogItem {
  const item = find(items, id)
  if (!item) throw new MediaItemNotFound(id)
  return item
}

export const fakeLibrary = (items: CatalogItem[]): Application['library'] => ({
  async list(_context, { page, pageSize, after, vectors }) {
    const first = after
      ? items.findIndex(({ mediaId }) => mediaId === after.mediaId) + 1
      : (page - 1) * pageSize
    const shown = items.slice(first, first + pageSize)
    return {
      items: shown.map((item) => ({ item, content: null, vectors: vectors ? itemVectors() : null })),
      total: items.length,
      hasNext: first + pageSize < items.length,
    }
  },
  async listAsOf(_context, { page, pageSize, asOf }) {
    const [kept, replaced, ...rest] = items
    const known = ({ mediaId, mediaType, createdAt }: CatalogItem) => ({ mediaId, mediaType, createdAt })
    const then: MediaThen[] = [
      { ...known(kept!), state: 'stored', item: kept! },
      {
        ...known(replaced!),
        state: 'changed',
        collection: 'reports',
        ingest: { filename: 'then.pdf', sizeBytes: 9, sha256: 'a'.repeat(64), durationMs: 2.6, at: NOW },
      },
      { ...known(replaced!), state: 'changed', collection: null, ingest: null },
      ...rest.map((item) => ({ ...known(item), state: 'erased' as const, erasedAt: asOf + 1 })),
    ]
    return { items: then.slice((page - 1) * pageSize, page * pageSize), total: then.length, undated: 2 }
  },
  read: async (_context, { id, vectors, content }) => ({
    item: itemOf(items, id),
    content: content ? { text: 'Text.', chunks: [{ text: 'Head', start: 0, end: 0 }] } : null,
    vectors: vectors ? itemVectors() : null,
  }),
  async delete(_context, { id, receipt }) {
    const item = itemOf(items, id)
    items.splice(items.indexOf(item), 1)
    return { item, position: 43, erasure: receipt ? ERASURE : null }
  },
  async deleteAll(_context, { ids, receipt }) {
    const deleted = ids.flatMap((id) => find(items, id) ?? [])
    const missing = ids.filter((id) => !find(items, id))
    return { deleted, missing, position: 44, erasure: receipt ? PENDING_ERASURE : null }
  },
  collections: async () => [
    {
      collection: 'default',
      itemCount: items.length,
      createdAt: NOW,
      mediaTypes: { document: items.length },
    },
  ],
  async collection(_context, collection) {
    if (collection !== 'default') throw new CollectionNotFound(collection)
    return { collection, itemCount: 3, firstItemAt: NOW, lastItemAt: NOW, mediaTypes: { document: 3 } }
  },
  async deleteCollection(_context, { collection, receipt }) {
    if (collection === 'default') throw new CannotDeleteDefault()
    if (collection !== 'reports') throw new CollectionNotFound(collection)
    const erasure = receipt ? ERASURE : null
    return { items: 2, vectors: { hd: 6, ld: 2 }, position: 45, erasure }
  },
  async move(_context, { ids }) {
    const missing = ids.filter((id) => !find(items, id))
    if (missing.length > 0) throw new ItemsNotFound(missing)
    const total = new Set(ids).size
    return { total, moved: total, alreadyThere: 0, byType: { document: total }, position: 46 }
  },
})
