import {
  collectionsThere,
  type AdvancedAnswer,
  type AdvancedQuery,
  type Catalog,
  type Search,
  type SearchAnswer,
  type SearchHit,
  type SearchQuery,
} from '@medialog/application/ports'
import type { Uuid } from '@medialog/kernel'

/** What is found, before the items are read. */
export type Found = Omit<SearchAnswer, 'hits'> & { hits: SearchHit[] }

/** Scores the catalog's rows, on whatever thread. */
export interface RowSearch {
  /** These words are on their way: they may be scored before the vectors come, which makes no difference to any answer. */
  announce(accountId: Uuid, text: string): void
  search(query: SearchQuery): Promise<Found>
  advanced(query: AdvancedQuery): Promise<AdvancedAnswer>
}

type Reading = Pick<Catalog, 'collection' | 'collections' | 'items' | 'models'>

/** Queries over rows, with what the catalog knows besides. */
export const preparing =
  (catalog: Reading, rows: RowSearch): Search['prepare'] =>
  async (query) => {
    const { accountId } = query
    let isAsked = false
    // Vectors that are at hand come within this turn.
    setImmediate(() => {
      if (!isAsked) rows.announce(accountId, query.text)
    })
    const [models, collections] = await Promise.all([
      catalog.models(accountId),
      collectionsThere(catalog, accountId, query.collections),
    ])
    return {
      models,
      collections,
      async search(vectors) {
        isAsked = true
        const { hits, ...counts } = await rows.search({ ...query, vectors })
        const read = await catalog.items(
          accountId,
          hits.map(({ mediaId }) => mediaId),
        )
        const items = new Map(read.map((item) => [item.mediaId, item]))
        // An item that was deleted between the two reads is simply not there any more.
        const shown = hits.flatMap((hit) => {
          const item = items.get(hit.mediaId)
          return item ? [{ ...hit, item }] : []
        })
        return { ...counts, hits: shown }
      },
      advanced(vectors, reach) {
        isAsked = true
        return rows.advanced({ ...query, ...reach, vectors })
      },
    }
  }
