import type { Client } from '@elastic/elasticsearch'
import type { CatalogFilter, CatalogItem, CatalogPage } from '@medialog/application/ports'
import type { Uuid } from '@medialog/kernel'
import { readPage } from '../pages.ts'
import { catalogItemOf, ITEM_FIELDS, type ItemFields } from './documents.ts'
import { livingItems } from './filters.ts'

/** A page of the account's items, newest first, then by id, and how many there are in all. */
export async function listPage(
  client: Client,
  index: string,
  account: Uuid,
  { mediaType, collection }: CatalogFilter,
  { after, ...page }: CatalogPage,
  window?: number,
): Promise<{ items: CatalogItem[]; total: number }> {
  const filter = [
    ...livingItems(index, account),
    ...(mediaType === undefined ? [] : [{ term: { type: mediaType } }]),
    ...(collection === undefined ? [] : [{ term: { collection } }]),
  ]
  const { documents, total } = await readPage<ItemFields>(
    client,
    {
      index,
      routing: account,
      query: { bool: { filter } },
      sort: [{ createdAt: 'desc' }, { media: 'asc' }],
      _source: [...ITEM_FIELDS],
      ...(after && { search_after: [after.createdAt, after.mediaId] }),
    },
    page,
    window,
  )
  return { items: documents.map(catalogItemOf), total }
}
