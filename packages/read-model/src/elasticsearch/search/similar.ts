import type { estypes } from '@elastic/elasticsearch'
import type { SimilarAnswer, SimilarQuery } from '@medialog/application/ports'
import {
  contentId,
  itemId,
  vectorsIn,
  type ContentDocument,
  type ItemDocument,
} from '../catalog/documents.ts'
import { spaceName, spaceOf } from '../catalog/mapping.ts'
import { COLUMNS_ALONE } from '../query.ts'
import {
  BEST_FIRST,
  BY_COLLECTION,
  distributionOf,
  LEAST_SCORE,
  type ByCollection,
  type Library,
} from './library.ts'
import { ranked } from './ranking.ts'

const SEMANTIC = `
  double cosine = dotProduct(params.vector, params.field);
  return Math.min(1, Math.max(0, (cosine - params.floor) / (1 - params.floor)));`

/** Compares the reference's combined vector, as each embedder has it, with that of every item that passes. */
export async function findSimilar(library: Library, query: SimilarQuery): Promise<SimilarAnswer | null> {
  const { mediaId, others, cosineFloor, collections, mediaType } = query
  const reference = await readReference(library, mediaId)
  if (!reference) return null
  const own = { model: reference.model, vector: reference.combined, cosineFloor }
  const known = await spacesThere(library)
  const asked = [own, ...others.filter(({ model }) => model !== own.model)].flatMap((of) => {
    const space = spaceName(of.model, of.vector.length)
    return known.has(space) ? [{ space, vector: [...of.vector], floor: of.cosineFloor }] : []
  })
  const found = await library.searchAll<never, ByCollection>(
    asked.map(({ space, vector, floor }) => ({
      ...COLUMNS_ALONE,
      size: query.maxResults,
      docvalue_fields: ['media'],
      track_total_hits: true,
      track_scores: true,
      sort: BEST_FIRST,
      min_score: Math.max(query.minScore, LEAST_SCORE),
      query: {
        script_score: {
          query: {
            bool: {
              filter: [
                ...library.living,
                { term: { space } },
                ...(collections ? [{ terms: { collection: [...collections] } }] : []),
                ...(mediaType === null ? [] : [{ term: { type: mediaType } }]),
              ],
              must_not: [{ term: { media: mediaId } }],
            },
          },
          script: { source: SEMANTIC, params: { vector, floor, field: spaceOf(space).combined } },
        },
      },
      aggs: BY_COLLECTION,
    })),
  )
  const hits = found.flatMap(({ hits }) =>
    hits.hits.map(({ fields, _score }) => ({ mediaId: fields!['media'][0] as string, score: _score! })),
  )
  const total = found.reduce((sum, { hits }) => sum + (hits.total as estypes.SearchTotalHits).value, 0)
  return { hits: ranked(hits).slice(0, query.maxResults), total, distribution: distributionOf(found) }
}

/** The item's vectors, where it is shown. */
async function readReference(library: Library, media: string) {
  const { client, index, account, living } = library
  const [shown, { docs }] = await Promise.all([
    library.search<never>({
      ...COLUMNS_ALONE,
      size: 1,
      query: { bool: { filter: [...living, { term: { media } }] } },
    }),
    client.mget<ItemDocument | ContentDocument>({
      index,
      docs: [itemId, contentId].map((id) => ({ _id: id(account, media), routing: account })),
    }),
  ])
  const content = docs[1]!
  if (shown.hits.hits.length === 0 || !('found' in content) || content._source?.kind !== 'content')
    return null
  return vectorsIn(content._source)
}

async function spacesThere(library: Library): Promise<Set<string>> {
  const { aggregations } = await library.search<never, { spaces: { buckets: { key: string }[] } }>({
    size: 0,
    query: { bool: { filter: library.living } },
    aggs: { spaces: { terms: { field: 'space', size: 100 } } },
  })
  return new Set(aggregations!.spaces.buckets.map(({ key }) => key))
}
