import { API_VERSION } from '@medialog/contract/http'
import { isoTime, requestId as requestIds } from '@medialog/kernel'
import { requestContext } from '../exchange.ts'
import type { HttpOptionsOf } from '../options.ts'
import { written, type Handlers } from '../route.ts'
import { erasureIn } from '../views/erasure.ts'

type CollectionHandlers = Handlers<'listCollections' | 'readCollection' | 'deleteCollection' | 'moveItems'>

export function collectionHandlers({
  application: { library },
}: HttpOptionsOf<'library'>): CollectionHandlers {
  return {
    async listCollections({ ctx }) {
      const found = await library.collections(requestContext(ctx.state.exchange))
      return {
        message: 'Collections retrieved.',
        data: {
          collections: found.map(({ collection }) => collection),
          collection_details: Object.fromEntries(
            found.map(({ collection, itemCount, createdAt, mediaTypes }) => [
              collection,
              {
                item_count: itemCount,
                created_at: isoTime(createdAt),
                media_type_distribution: mediaTypes,
              },
            ]),
          ),
          total_collections: found.length,
        },
        metadata: { api_version: API_VERSION },
      }
    },

    async readCollection({ ctx, params }) {
      const { collection, itemCount, firstItemAt, lastItemAt, mediaTypes } = await library.collection(
        requestContext(ctx.state.exchange),
        params.collection_id,
      )
      return {
        message: 'Collection retrieved.',
        data: {
          collection_id: collection,
          stats: {
            item_count: itemCount,
            first_item_date: isoTime(firstItemAt),
            last_item_date: isoTime(lastItemAt),
            media_type_distribution: mediaTypes,
          },
        },
        metadata: { api_version: API_VERSION },
      }
    },

    async deleteCollection({ ctx, params, query: { receipt } }) {
      const { items, vectors, erasure } = written(
        ctx,
        await library.deleteCollection(requestContext(ctx.state.exchange), {
          collection: params.collection_id,
          receipt,
        }),
      )
      return {
        message: 'The collection was deleted for good.',
        data: {
          collection_id: params.collection_id,
          deleted_items: items,
          storage_info: { deleted_vectors: { hd: vectors.hd, ld: vectors.ld } },
          ...erasureIn(erasure),
        },
      }
    },

    async moveItems({ ctx, params, body }) {
      const { exchange } = ctx.state
      const collection = params.collection_id
      const { total, moved, alreadyThere, byType } = written(
        ctx,
        await library.move(requestContext(exchange), { collection, ids: body.items }),
      )
      return {
        message: `${moved} moved, ${alreadyThere} already there.`,
        data: {
          collection_id: collection,
          summary: {
            total,
            succeeded: total,
            failed: 0,
            already_in_collection: alreadyThere,
            moved,
          },
          items_by_type: byType,
        },
        metadata: {
          request_id: requestIds.format(exchange.requestId),
          operation: 'move_to_collection',
          collection_id: collection,
          item_count: total,
        },
      }
    },
  }
}
