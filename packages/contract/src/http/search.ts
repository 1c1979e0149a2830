import { z } from 'zod'
import { collectionId, count, dollars, instantText, mediaId, mediaType, ratio, success } from './common.ts'
import { SearchMetadata } from './media.ts'
import { route } from './route.ts'

const term = z.string().min(1).max(500)
const terms = z.array(term).min(1).max(100)

/** One collection, several, or `all` of them (in any case). */
export const searchedCollections = z
  .union(
    [
      z
        .string()
        .regex(/^all$/i)
        .transform(() => 'all' as const),
      collectionId.transform((id) => [id]),
      z.array(collectionId).min(1).max(100),
    ],
    { error: "must be a collection's id, a list of up to 100 of them, or 'all'" },
  )
  .meta({ description: 'One collection’s id, a list of them, or `all`.', example: 'all' })

export const searchFilters = z.strictObject({
  media_type: z
    .union([mediaType.transform((type) => [type]), z.array(mediaType).min(1)], {
      error: 'must be document, image, video, audio or model, or a list of them',
    })
    .optional(),
  created_after: instantText.optional(),
  created_before: instantText.optional(),
  topics: terms.optional().describe('Any of them, in any case.'),
  entities: z
    .strictObject({
      people: terms.optional(),
      organizations: terms.optional(),
      locations: terms.optional(),
      objects: terms.optional(),
      concepts: terms.optional(),
    })
    .optional()
    .describe('Every kind given must match, any of its names, in any case.'),
})

export const SearchRequest = z
  .strictObject({
    query: z
      .string()
      .max(10_000)
      .regex(/\S/, { error: 'must not be blank' })
      .meta({ example: 'what happens to a file' }),
    type: z.enum(['basic']).default('basic'),
    collections: searchedCollections.default(['default']),
    max_results: z.int().min(1).max(100).default(10),
    min_score: ratio.default(0),
    config: z
      .strictObject({
        lexical_weight: ratio.default(0.35).describe('Higher favours words, lower favours meaning.'),
      })
      .default({ lexical_weight: 0.35 }),
    filters: searchFilters.default({}),
    modality: z
      .strictObject({
        type: mediaType,
        weight: ratio.default(0.5),
        features: z.array(term).max(100).default([]),
      })
      .optional()
      .describe('Raises items of `type` that have all `features`; nothing is dropped.'),
  })
  .meta({ id: 'SearchRequest' })

export const SearchResult = z
  .strictObject({
    media_id: mediaId,
    media_type: mediaType,
    score: ratio.describe('Absolute: it depends on the query and the item.'),
    relevance_explanation: z.string(),
    collection: z.string(),
    passage: z.strictObject({ text: z.string(), chunk: count }).describe('The passage that matches best.'),
    metadata: z.strictObject({
      file_info: z.strictObject({ filename: z.string(), size_bytes: count, checksum: z.string() }),
      search_metadata: SearchMetadata,
    }),
    context_depth: count,
    expansion_path: z.array(z.string()),
    cross_modal_connections: z.array(
      z.strictObject({
        target_id: mediaId,
        relation_type: z.string(),
        strength: ratio,
        source_modality: mediaType,
        target_modality: mediaType,
        symbol: z.string(),
        relationship_type: z.string(),
      }),
    ),
  })
  .meta({ id: 'SearchResult' })

export const searchRoutes = {
  search: route({
    operationId: 'search',
    method: 'post',
    path: '/v1/search',
    tag: 'Search',
    summary: 'Search stored items',
    description:
      'By words and by meaning; scores are absolute, so min_score means the same everywhere. Free.',
    access: 'read',
    query: z.strictObject({}),
    body: SearchRequest,
    answer: z.strictObject({
      ...success,
      data: z.strictObject({
        results: z.array(SearchResult),
        meta: z.strictObject({
          query: z.string(),
          stats: z.strictObject({ total_results: count, query_time_ms: count, time_ms: count }),
          collections: z.strictObject({
            searched: z.array(z.string()),
            result_distribution: z.record(z.string(), count),
          }),
        }),
        cost: dollars,
      }),
    }),
    errors: ['COLLECTION_NOT_FOUND'],
  }),
}
