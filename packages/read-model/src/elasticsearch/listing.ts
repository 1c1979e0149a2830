import type { Client, estypes } from '@elastic/elasticsearch'
import type { CatalogFilter, CatalogItem } from '@medialog/application/ports'
import type { Uuid } from '@medialog/kernel'
import { catalogItemOf, ITEM_FIELDS, type ItemFields } from './documents.ts'
import { livingItems, type Query } from './filters.ts'

/** What one request may reach: `index.max_result_window`. */
const WINDOW = 10_000

type Order = [first: { createdAt: 'asc' | 'desc' }, then: { media: 'asc' | 'desc' }]
const NEWEST: Order = [{ createdAt: 'desc' }, { media: 'asc' }]
const OLDEST: Order = [{ createdAt: 'asc' }, { media: 'desc' }]

/** A page of the account's items, newest first, then by id, and how many there are in all. */
export async function listPage(
  client: Client,
  index: string,
  account: Uuid,
  { mediaType, collection }: CatalogFilter,
  { offset, limit }: { offset: number; limit: number },
  window = WINDOW,
): Promise<{ items: CatalogItem[]; total: number }> {
  const filter = [
    ...livingItems(index, account),
    ...(mediaType === undefined ? [] : [{ term: { type: mediaType } }]),
    ...(collection === undefined ? [] : [{ term: { collection } }]),
  ]
  const isNear = offset + limit <= window
  const { hits } = await client.search<ItemFields>({
    ...searchOf(index, account, filter, NEWEST),
    ...(isNear ? { from: offset, size: limit } : { size: 0 }),
    track_total_hits: true,
    _source: [...ITEM_FIELDS],
  })
  const total = (hits.total as estypes.SearchTotalHits).value
  const found = isNear ? hits.hits : await farAway()
  return { items: found.map((hit) => catalogItemOf(hit._source!)), total }

  /** Passes over keys alone, window by window, from whichever end is nearer. */
  async function farAway(): Promise<estypes.SearchHit<ItemFields>[]> {
    const size = Math.min(limit, total - offset)
    if (size <= 0) return []
    const isFromEnd = total - offset - size < offset
    const order = isFromEnd ? OLDEST : NEWEST
    let left = isFromEnd ? total - offset - size : offset
    let after: estypes.SortResults | undefined
    while (left > 0) {
      const skipped = await client.search({
        ...searchOf(index, account, filter, order),
        size: Math.min(left, window),
        _source: false,
        track_total_hits: false,
        ...(after && { search_after: after }),
      })
      const last = skipped.hits.hits.at(-1)
      if (!last) return []
      after = last.sort
      left -= skipped.hits.hits.length
    }
    const page = await client.search<ItemFields>({
      ...searchOf(index, account, filter, order),
      size,
      _source: [...ITEM_FIELDS],
      ...(after && { search_after: after }),
    })
    return isFromEnd ? page.hits.hits.toReversed() : page.hits.hits
  }
}

const searchOf = (index: string, routing: Uuid, filter: Query[], sort: Order) => ({
  index,
  routing,
  query: { bool: { filter } },
  sort,
})
