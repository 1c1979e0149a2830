import type { Client, estypes } from '@elastic/elasticsearch'
import type { Uuid } from '@medialog/kernel'
import type { Query } from './query.ts'

const PAGE = 1_000

/**
 * All buckets of what the query finds, one for each combination of the fields' values in their order: counts are exact.
 * A number's values are taken together by the step that `steps` has for it.
 */
export async function buckets<Bucket extends { doc_count: number }, Field extends string>(
  client: Client,
  request: { index: string; routing?: Uuid; query: Query },
  fields: readonly Field[],
  aggs: Record<string, estypes.AggregationsAggregationContainer> = {},
  steps: Partial<Record<Field, number>> = {},
): Promise<(Bucket & { key: Record<Field, string> })[]> {
  type Found = { buckets: (Bucket & { key: Record<Field, string> })[]; after_key?: Record<Field, string> }
  const all: Found['buckets'] = []
  let after: Record<Field, string> | undefined
  do {
    const { aggregations } = await client.search<never, { all: Found }>({
      ...request,
      size: 0,
      aggs: {
        all: {
          composite: {
            size: PAGE,
            sources: fields.map((field) => {
              const interval = steps[field]
              return { [field]: interval ? { histogram: { field, interval } } : { terms: { field } } }
            }),
            ...(after && { after }),
          },
          aggs,
        },
      },
    })
    all.push(...aggregations!.all.buckets)
    after = aggregations!.all.after_key
  } while (after)
  return all
}
