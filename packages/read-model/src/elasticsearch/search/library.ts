import type { Client, estypes } from '@elastic/elasticsearch'
import { Tally, type Uuid } from '@medialog/kernel'
import { SearchFailed } from '../connection.ts'
import { livingItems } from '../catalog/filters.ts'
import type { Query } from '../query.ts'

type Request = Omit<estypes.SearchRequest, 'index' | 'routing'>

/** Ties by id. */
export const BEST_FIRST: estypes.Sort = [{ _score: { order: 'desc' } }, { media: { order: 'asc' } }]

/** Above 0, and still a 32-bit float. */
export const LEAST_SCORE = 1e-30

/** How many of what a search finds are in each collection. */
export const BY_COLLECTION = { collections: { terms: { field: 'collection', size: 65_000 } } }
export interface ByCollection {
  collections: { buckets: { key: string; doc_count: number }[] }
}

/** Of all answers together. */
export function distributionOf(answers: readonly { aggregations?: ByCollection }[]) {
  const distribution = new Tally()
  for (const { aggregations } of answers)
    for (const { key, doc_count } of aggregations!.collections.buckets) distribution.add(key, doc_count)
  return distribution.toObject()
}

/** One account's items in the index, as searches ask for them. */
export class Library {
  readonly client: Client
  readonly index: string
  readonly account: Uuid
  /** What its living items pass. */
  readonly living: Query[]

  constructor(client: Client, index: string, account: Uuid) {
    this.client = client
    this.index = index
    this.account = account
    this.living = livingItems(index, account)
  }

  /** Several searches in one round trip, answered in their order. */
  async searchAll<Source, Aggregations = unknown>(
    requests: readonly Request[],
  ): Promise<estypes.SearchResponse<Source, Aggregations>[]> {
    if (requests.length === 0) return []
    const { responses } = await this.client.msearch<Source, Aggregations>({
      searches: requests.flatMap((request): estypes.MsearchRequestItem[] => [
        { index: this.index, routing: this.account },
        request,
      ]),
    })
    return responses.map((response) => {
      if ('error' in response) throw new SearchFailed(response)
      return response as estypes.SearchResponse<Source, Aggregations>
    })
  }

  async search<Source, Aggregations = unknown>(
    request: Request,
  ): Promise<estypes.SearchResponse<Source, Aggregations>> {
    const { client, index, account: routing } = this
    return client.search<Source, Aggregations>({ index, routing, ...request })
  }
}
