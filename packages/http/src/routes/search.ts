import type { BasicSearch, FoundMedia, FoundSimilar, Payment } from '@medialog/application'
import { ADVANCED_DEFAULTS, routes, type SearchRequest } from '@medialog/contract/http'
import { counted, toUsdNumber } from '@medialog/kernel'
import type { z } from 'zod'
import { idempotencyKey } from '../admission.ts'
import { requestContext, type EdgeContext } from '../exchange.ts'
import type { HttpOptionsOf } from '../options.ts'
import { written, type Handlers } from '../route.ts'
import { idOf } from '../views/media.ts'
import { clustersOf, connectedResult, searchResult, similarResult } from '../views/search.ts'

export function searchHandlers({
  application: { search },
}: HttpOptionsOf<'search'>): Handlers<'search' | 'findSimilar'> {
  return {
    async search({ ctx, body }) {
      const key = idempotencyKey(ctx, routes.search)
      const context = requestContext(ctx.state.exchange)
      const query = basicSearch(body)
      if (body.type === 'basic') {
        const found = await search.search(context, query)
        return {
          message: `${found.total} found.`,
          data: {
            results: found.results.map((result) => searchResult(result, found.lexicalWeight)),
            meta: { query: body.query, ...metaOf(found) },
            cost: 0,
          },
        }
      }
      const { context_depth, expansion_factor } = { ...ADVANCED_DEFAULTS, ...body.config }
      const found = paidAnswer(
        ctx,
        await search.advanced(context, {
          ...query,
          contextDepth: context_depth,
          expansionFactor: expansion_factor,
          ...(key !== undefined && { idempotencyKey: key }),
        }),
      )
      const cost = toUsdNumber(found.cost)
      return {
        message: `${found.total} found, ${found.depthReached} of ${counted(context_depth, 'level')} deep.`,
        data: {
          results: found.results.map((result) => connectedResult(result, found.lexicalWeight)),
          meta: {
            query: body.query,
            ...metaOf(found),
            cost: { amount: cost, depth_reached: found.depthReached },
          },
          cost,
        },
      }
    },

    async findSimilar({ ctx, body }) {
      const key = idempotencyKey(ctx, routes.findSimilar)
      const found = paidAnswer(
        ctx,
        await search.similar(requestContext(ctx.state.exchange), {
          id: body.media_id,
          collections: body.collections,
          minScore: body.min_score,
          maxResults: body.max_results,
          mediaType: body.modality_filter,
          includeReference: body.include_reference,
          cluster: body.cluster,
          ...(key !== undefined && { idempotencyKey: key }),
        }),
      )
      const { reference, results, clusters } = found
      return {
        message: `${found.total} similar.`,
        data: {
          results: results.map(similarResult),
          meta: {
            reference_item: {
              media_id: idOf(reference),
              media_type: reference.mediaType,
              filename: reference.filename,
              collection: reference.collection,
            },
            ...metaOf(found),
          },
          ...(clusters && { relationships: { clusters: clustersOf(clusters) } }),
          cost: toUsdNumber(found.cost),
        },
      }
    },
  }
}

/** Says in the headers where the log stood and whether the answer was given before. */
function paidAnswer<T extends Payment>(ctx: EdgeContext, found: T): T {
  if (found.replayed) ctx.set('Idempotency-Replayed', 'true')
  return written(ctx, found)
}

function metaOf({
  total,
  searched,
  distribution,
  milliseconds,
}: Pick<FoundMedia | FoundSimilar, 'total' | 'searched' | 'distribution' | 'milliseconds'>) {
  const time = Math.max(0, Math.round(milliseconds))
  return {
    stats: { total_results: total, query_time_ms: time, time_ms: time },
    collections: { searched, result_distribution: distribution },
  }
}

function basicSearch({ filters, modality, ...body }: z.output<typeof SearchRequest>): BasicSearch {
  const { media_type: mediaTypes, created_after, created_before, topics, entities } = filters
  return {
    text: body.query,
    collections: body.collections,
    lexicalWeight: body.config.lexical_weight,
    minScore: body.min_score,
    maxResults: body.max_results,
    filters: {
      ...(mediaTypes && { mediaTypes }),
      ...(created_after !== undefined && { createdAfter: created_after }),
      ...(created_before !== undefined && { createdBefore: created_before }),
      ...(topics && { topics }),
      ...(entities && { entities }),
    },
    ...(modality && { modality }),
  }
}
