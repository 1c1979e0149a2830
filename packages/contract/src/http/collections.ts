import { z } from 'zod'
import { collectionId, count, mediaType, success, timestamp } from './common.ts'
import { erasureAnswered, receiptAsked } from './erasures.ts'
import { route } from './route.ts'

const collectionParams = z.strictObject({ collection_id: collectionId })
const apiVersion = z.strictObject({ api_version: z.literal('1.0.0') })
const byType = z.partialRecord(mediaType, count)

/** `vec-` or a typed prefix: anything else cannot be an item's id at all. */
const itemId = z
  .string()
  .regex(/^(vec-|(doc|img|vid|aud|mdl)_)./, {
    error: "must be an item's id: 'vec-' or a media id such as 'doc_…'",
  })
  .max(200)
  .meta({ example: 'doc_0190d3c2-6f0e-5b1a-9c1d-2f6f5f0a7b11' })

export const collectionRoutes = {
  listCollections: route({
    operationId: 'listCollections',
    method: 'get',
    path: '/v1/media/collections',
    tag: 'Collections',
    summary: 'List collections',
    access: 'read',
    query: z.strictObject({}),
    answer: z.strictObject({
      ...success,
      data: z.strictObject({
        collections: z.array(z.string()),
        collection_details: z.record(
          z.string(),
          z.strictObject({ item_count: count, created_at: timestamp, media_type_distribution: byType }),
        ),
        total_collections: count,
      }),
      metadata: apiVersion,
    }),
  }),

  readCollection: route({
    operationId: 'readCollection',
    method: 'get',
    path: '/v1/media/collections/{collection_id}',
    tag: 'Collections',
    summary: 'Read a collection',
    access: 'read',
    params: collectionParams,
    query: z.strictObject({}),
    answer: z.strictObject({
      ...success,
      data: z.strictObject({
        collection_id: z.string(),
        stats: z.strictObject({
          item_count: count,
          first_item_date: timestamp,
          last_item_date: timestamp,
          media_type_distribution: byType,
        }),
      }),
      metadata: apiVersion,
    }),
    errors: ['COLLECTION_NOT_FOUND'],
  }),

  deleteCollection: route({
    operationId: 'deleteCollection',
    method: 'delete',
    path: '/v1/media/collections/{collection_id}',
    tag: 'Collections',
    summary: 'Delete a collection with all its items for good',
    access: 'delete',
    params: collectionParams,
    query: z.strictObject(receiptAsked),
    answer: z.strictObject({
      ...success,
      data: z.strictObject({
        collection_id: z.string(),
        deleted_items: count,
        storage_info: z.strictObject({ deleted_vectors: z.strictObject({ hd: count, ld: count }) }),
        ...erasureAnswered,
      }),
    }),
    errors: ['COLLECTION_NOT_FOUND', 'CANNOT_DELETE_DEFAULT'],
  }),

  moveItems: route({
    operationId: 'moveItems',
    method: 'post',
    path: '/v1/media/collections/{collection_id}/items',
    tag: 'Collections',
    summary: 'Move items into a collection',
    description: 'All or none. The collection is made when it is not there; an id named twice counts once.',
    access: 'write',
    failure: 'STORAGE_ERROR',
    codeOf: ({ path, code }) =>
      code === 'too_big' && path.length === 1 && path[0] === 'items' ? 'BATCH_SIZE_EXCEEDED' : undefined,
    params: collectionParams,
    query: z.strictObject({}),
    body: z.strictObject({ items: z.array(itemId).min(1).max(1000) }),
    answer: z.strictObject({
      ...success,
      data: z.strictObject({
        collection_id: z.string(),
        summary: z.strictObject({
          total: count,
          succeeded: count,
          failed: z.literal(0),
          already_in_collection: count,
          moved: count,
        }),
        items_by_type: byType,
      }),
      metadata: z.strictObject({
        request_id: z.string(),
        operation: z.literal('move_to_collection'),
        collection_id: z.string(),
        item_count: count,
      }),
    }),
    errors: ['BATCH_SIZE_EXCEEDED', 'ITEMS_NOT_FOUND'],
  }),
}
