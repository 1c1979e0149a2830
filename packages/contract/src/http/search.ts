import { z } from 'zod'
import {
  COLLECTION_ID,
  COLLECTION_RULE,
  collectionId,
  count,
  dollars,
  instantText,
  mediaId,
  mediaType,
  ratio,
  saidAt,
  success,
} from './common.ts'
import { SearchMetadata } from './media.ts'
import { route } from './route.ts'
import { DEFAULT_LEXICAL_WEIGHT, LONGEST_QUERY } from '../search-limits.ts'

const term = z.string().min(1).max(500)
const terms = z.array(term).min(1).max(100)

const ALL = /^all$/i

/** One collection, several, or `all` of them (in any case). */
export const searchedCollections = z
  .union(
    [
      z
        .string()
        .regex(ALL)
        .transform(() => 'all' as const),
      collectionId.transform((id) => [id]),
      z
        .array(z.string().regex(COLLECTION_ID, { error: COLLECTION_RULE }))
        .min(1)
        .max(100),
    ],
    { error: "must be a collection's id, a list of up to 100 of them, or 'all'" },
  )
  .transform((found) => (found === 'all' || found.some((id) => ALL.test(id)) ? ('all' as const) : found))
  .meta({ description: 'One collection’s id, a list of them, or `all`: every one.', example: 'all' })

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

/** What `config` holds of advanced search where nothing is said. */
export const ADVANCED_DEFAULTS = { context_depth: 1, expansion_factor: 2 } as const

const config = z.strictObject({
  lexical_weight: ratio
    .default(DEFAULT_LEXICAL_WEIGHT)
    .describe('Higher favours words, lower favours meaning.'),
  context_depth: z
    .int()
    .min(0)
    .max(5)
    .meta({
      description: 'Advanced only: how many levels of connections are followed, each for its price.',
      shownDefault: ADVANCED_DEFAULTS.context_depth,
    })
    .optional(),
  expansion_factor: z
    .number()
    .min(1)
    .max(10)
    .meta({
      description: 'Advanced only: how many connections of an item are followed, rounded up.',
      shownDefault: ADVANCED_DEFAULTS.expansion_factor,
    })
    .optional(),
})

const maxResults = z.int().min(1).max(100).default(10)
const minScore = ratio.default(0)

export const SearchRequest = z
  .strictObject({
    query: z
      .string()
      .max(LONGEST_QUERY)
      .regex(/\S/, { error: 'must not be blank' })
      .meta({ example: 'what happens to a file' }),
    type: z.enum(['basic', 'advanced']).default('basic'),
    collections: searchedCollections.default(['default']),
    max_results: maxResults,
    min_score: minScore,
    config: config.default({ lexical_weight: DEFAULT_LEXICAL_WEIGHT }),
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
  .superRefine(({ type, config }, check) => {
    if (type === 'advanced') return
    for (const key of ['context_depth', 'expansion_factor'] as const)
      if (config[key] !== undefined)
        check.addIssue({
          code: 'custom',
          path: ['config', key],
          message: "is for advanced search only (type 'advanced')",
          input: config[key],
        })
  })
  .meta({ id: 'SearchRequest' })

export const SimilarRequest = z
  .strictObject({
    media_id: z.string().min(1).max(500).meta({
      description: 'The reference item, in either form of its id.',
      example: 'doc_0190d3c2-6f0e-5b1a-9c1d-2f6f5f0a7b11',
    }),
    collections: searchedCollections.default('all'),
    max_results: maxResults,
    min_score: minScore,
    cluster: z.boolean().default(false).describe('Groups the results by content.'),
    include_reference: z.boolean().default(false).describe('Whether it is the first of the results.'),
    modality_filter: mediaType.nullable().default(null).describe('Of this media type only; null for any.'),
  })
  .meta({ id: 'SimilarRequest' })

const connection = {
  target_id: mediaId,
  target_filename: z.string(),
  relation_type: z.enum(['shared_entity', 'shared_topic', 'similar_content', 'same_source']),
  strength: ratio,
  source_modality: mediaType,
  target_modality: mediaType,
  symbol: z
    .enum(['↔', '→'])
    .meta({ description: '→ where a path leads that way.', 'x-enum-varnames': ['BOTH_WAYS', 'ONE_WAY'] }),
  relationship_type: z.string().describe('What is shared, in words.'),
}

export const CrossModalConnection = z.strictObject(connection).meta({ id: 'CrossModalConnection' })

export const ExpansionStep = z
  .strictObject({
    source_id: mediaId,
    source_filename: z.string(),
    ...connection,
  })
  .meta({ id: 'ExpansionStep' })

const fileInfo = z.strictObject({ filename: z.string(), size_bytes: count, checksum: z.string() })

export const SearchResult = z
  .strictObject({
    media_id: mediaId,
    media_type: mediaType,
    score: ratio.describe('Absolute: it depends on the query, the item and what leads to it.'),
    relevance_explanation: z.string(),
    score_parts: z
      .strictObject({
        lexical: ratio.describe('By words.'),
        semantic: ratio.describe('By meaning.'),
        lexical_weight: ratio.describe(
          'Of words, for this query: more than asked for where the embedder does not read its language.',
        ),
        matched_terms: z.array(z.string()).describe('Words of the query that the item holds.'),
      })
      .describe(
        'What a direct match’s score is made of: lexical_weight × lexical + (1 − lexical_weight) × semantic. A connection, or `modality`, raises the score above it.',
      ),
    collection: z.string(),
    passage: z
      .strictObject({ text: z.string(), chunk: count, time: saidAt.optional() })
      .describe('The passage that matches best.'),
    metadata: z.strictObject({ file_info: fileInfo, search_metadata: SearchMetadata }),
    context_depth: count.describe('0: a direct match; higher: found over so many connections.'),
    expansion_path: z.array(ExpansionStep).describe('From a direct match to the item.'),
    cross_modal_connections: z
      .array(CrossModalConnection)
      .describe('Its strongest connections with items of other media types; in advanced search only.'),
  })
  .meta({ id: 'SearchResult' })

export const SimilarResult = z
  .strictObject({
    media_id: mediaId,
    media_type: mediaType,
    score: ratio,
    similarity_percentage: z.string().meta({ example: '82.4%' }),
    relevance_explanation: z.string(),
    collection: z.string(),
    metadata: z.strictObject({
      file_info: fileInfo,
      media_type: mediaType,
      search_metadata: SearchMetadata,
      modality_metadata: z
        .strictObject({
          visual: z
            .strictObject({ scene_type: z.string(), visual_elements: z.array(z.string()) })
            .optional()
            .describe('Of images.'),
        })
        .describe('What only items of its type have.'),
    }),
  })
  .meta({ id: 'SimilarResult' })

const clusters = z.strictObject({
  clusters: z.record(z.string(), z.array(mediaId)).describe('Name to members, best first.'),
  metadata: z.record(
    z.string(),
    z.strictObject({
      modality: z.union([mediaType, z.literal('mixed')]),
      avg_score: ratio,
      member_count: count,
    }),
  ),
})

const stats = z.strictObject({ total_results: count, query_time_ms: count, time_ms: count })
const collections = z.strictObject({
  searched: z.array(z.string()),
  result_distribution: z.record(z.string(), count),
})

export const searchRoutes = {
  search: route({
    operationId: 'search',
    method: 'post',
    path: '/v1/search',
    tag: 'Search',
    summary: 'Search stored items',
    description:
      'By words and by meaning; scores are absolute, so min_score means the same everywhere. Free, but for `type` `advanced`, which also follows connections between items: the depth asked for is charged, what was not reached is refunded before the answer.',
    access: 'read',
    paid: true,
    statuses: { INSUFFICIENT_FUNDS: 402 },
    query: z.strictObject({}),
    body: SearchRequest,
    answer: z.strictObject({
      ...success,
      data: z.strictObject({
        results: z.array(SearchResult),
        meta: z.strictObject({
          query: z.string(),
          stats,
          collections,
          cost: z
            .strictObject({ amount: dollars, depth_reached: count })
            .optional()
            .describe('Of advanced search.'),
        }),
        cost: dollars,
      }),
    }),
    errors: ['COLLECTION_NOT_FOUND', 'GONE'],
  }),
  findSimilar: route({
    operationId: 'findSimilar',
    method: 'post',
    path: '/v1/search/similar',
    tag: 'Search',
    summary: 'Find what is similar to an item',
    description: 'In content, among all collections unless told otherwise. A refusal costs nothing.',
    access: 'read',
    paid: true,
    statuses: { INSUFFICIENT_FUNDS: 402 },
    query: z.strictObject({}),
    body: SimilarRequest,
    answer: z.strictObject({
      ...success,
      data: z.strictObject({
        results: z.array(SimilarResult),
        meta: z.strictObject({
          reference_item: z.strictObject({
            media_id: mediaId,
            media_type: mediaType,
            filename: z.string(),
            collection: z.string(),
          }),
          stats,
          collections,
        }),
        relationships: z.strictObject({ clusters }).optional().describe('With `cluster`.'),
        cost: dollars,
      }),
    }),
    errors: ['RESOURCE_NOT_FOUND', 'COLLECTION_NOT_FOUND', 'GONE'],
  }),
}
