import type { BasicSearch, FoundMedia } from '@medialog/application'
import type { SearchRequest, SearchResult } from '@medialog/contract/http'
import type { z } from 'zod'
import { requestContext } from '../exchange.ts'
import type { HttpOptions } from '../options.ts'
import type { Handlers } from '../route.ts'
import { idOf, searchMetadataOf } from '../views/media.ts'

export function searchHandlers({ application }: HttpOptions): Handlers<'search'> {
  return {
    async search({ ctx, body }) {
      const found = await application.search(requestContext(ctx.state.exchange), basicSearch(body))
      const milliseconds = Math.max(0, Math.round(found.milliseconds))
      return {
        message: `${found.total} found.`,
        data: {
          results: found.results.map(searchResult),
          meta: {
            query: body.query,
            stats: { total_results: found.total, query_time_ms: milliseconds, time_ms: milliseconds },
            collections: { searched: found.searched, result_distribution: found.distribution },
          },
          cost: 0,
        },
      }
    },
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

/** A direct match: found through no other item. */
function searchResult({
  hit,
  item,
  explanation,
}: FoundMedia['results'][number]): z.input<typeof SearchResult> {
  return {
    media_id: idOf(item),
    media_type: item.mediaType,
    score: hit.score,
    relevance_explanation: explanation,
    collection: item.collection,
    passage: { text: hit.passage.text, chunk: hit.passage.chunk },
    metadata: {
      file_info: { filename: item.filename, size_bytes: item.sizeBytes, checksum: item.sha256 },
      search_metadata: searchMetadataOf(item.enrichment),
    },
    context_depth: 0,
    expansion_path: [],
    cross_modal_connections: [],
  }
}
