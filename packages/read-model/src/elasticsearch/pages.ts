import type { Client, estypes } from '@elastic/elasticsearch'
import { COLUMNS_ALONE, type Query } from './query.ts'

/** What one request may reach: `index.max_result_window`. */
const WINDOW = 10_000
const PAGE = 1_000

export interface Wanted extends Pick<
  estypes.SearchRequest,
  'index' | 'routing' | 'pit' | '_source' | 'search_after'
> {
  query: Query
  sort: Sort[]
}

type Way = 'asc' | 'desc'
/** By a field of the document, or of those of its nested ones that pass. */
export type Sort = Record<string, Way | { order: Way; nested: estypes.NestedSortValue }>

/** Everything that is found, or the first `limit` of it, in that order, which tells any two apart. */
export async function* everything<Document>(
  client: Client,
  wanted: Wanted,
  { pageSize = PAGE, limit = Infinity } = {},
): AsyncGenerator<Document> {
  let after: estypes.SortResults | undefined
  for (let left = limit; left > 0; left -= pageSize) {
    const size = Math.min(pageSize, left)
    const { hits }: estypes.SearchResponse<Document> = await client.search<Document>({
      ...wanted,
      size,
      track_total_hits: false,
      ...(after && { search_after: after }),
    })
    for (const { _source } of hits.hits) yield _source!
    after = hits.hits.at(-1)?.sort
    if (hits.hits.length < size) return
  }
}

/** As a list: of what is known to be few. */
export async function collected<Document>(found: AsyncIterable<Document>): Promise<Document[]> {
  const documents: Document[] = []
  for await (const document of found) documents.push(document)
  return documents
}

interface Page<Document> {
  documents: Document[]
  total: number
}

/** A page of what is found, and how much there is in all. */
export async function readPage<Document>(
  client: Client,
  wanted: Wanted,
  { offset, limit }: { offset: number; limit: number },
  window = WINDOW,
): Promise<Page<Document>> {
  const isNear = offset + limit <= window
  const { hits } = await client.search<Document>({
    ...wanted,
    ...(isNear ? { from: offset, size: limit } : { size: 0 }),
    track_total_hits: true,
  })
  const total = (hits.total as estypes.SearchTotalHits).value
  const found = isNear ? hits.hits : await farAway()
  return { documents: found.map(({ _source }) => _source!), total }

  /** Passes over keys alone, window by window, from whichever end is nearer. */
  async function farAway(): Promise<estypes.SearchHit<Document>[]> {
    const size = Math.min(limit, total - offset)
    if (size <= 0) return []
    const isFromEnd = total - offset - size < offset
    const sort = isFromEnd ? reversed(wanted.sort) : wanted.sort
    let left = isFromEnd ? total - offset - size : offset
    let after: estypes.SortResults | undefined
    while (left > 0) {
      const skipped = await client.search({
        ...wanted,
        sort,
        ...COLUMNS_ALONE,
        size: Math.min(left, window),
        track_total_hits: false,
        ...(after && { search_after: after }),
      })
      const last = skipped.hits.hits.at(-1)
      if (!last) return []
      after = last.sort
      left -= skipped.hits.hits.length
    }
    const page = await client.search<Document>({
      ...wanted,
      sort,
      size,
      ...(after && { search_after: after }),
    })
    return isFromEnd ? page.hits.hits.toReversed() : page.hits.hits
  }
}

const reversed = (sort: readonly Sort[]): Sort[] =>
  sort.map((by) =>
    Object.fromEntries(
      Object.entries(by).map(([field, way]) => [
        field,
        typeof way === 'string' ? other(way) : { ...way, order: other(way.order) },
      ]),
    ),
  )

const other = (way: Way): Way => (way === 'asc' ? 'desc' : 'asc')
