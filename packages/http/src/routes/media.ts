import { UploadCancelled } from '@medialog/application'
import { isoTime, requestId as requestIds, toUsdNumber } from '@medialog/kernel'
import { placeOf, routes } from '@medialog/contract/http'
import type { z } from 'zod'
import { cancelsOnDisconnect, idempotencyKey } from '../admission.ts'
import { elapsed, requestContext, type EdgeContext } from '../exchange.ts'
import type { HttpOptionsOf } from '../options.ts'
import { ClientGone } from '../request/client-gone.ts'
import { readFileForm } from '../request/file-form.ts'
import { written, type Handlers } from '../route.ts'
import { erasureIn } from '../views/erasure.ts'
import { paginationWithNext } from '../views/pagination.ts'
import { idOf, listedMediaItem, mediaItem, mediaItemThen, uploadResult } from '../views/media.ts'

type MediaHandlers = Handlers<'uploadMedia' | 'listMedia' | 'readMedia' | 'deleteMedia' | 'deleteMediaBatch'>

type ListedThen = Pick<z.input<(typeof routes)['listMedia']['answer']>['data'], 'items' | 'as_of' | 'undated'>

/** Aborts when files are given up; and, where it was asked for, when the caller disconnects before the answer is sent. */
function whenGivenUp({ res }: EdgeContext, givingUp: AbortSignal, withCaller: boolean): AbortSignal {
  const ending = new AbortController()
  const onAbort = (): void => ending.abort(givingUp.reason)
  if (givingUp.aborted) onAbort()
  givingUp.addEventListener('abort', onAbort)
  res.once('close', () => {
    givingUp.removeEventListener('abort', onAbort)
    if (withCaller && !res.writableFinished) ending.abort(new UploadCancelled())
  })
  return ending.signal
}

/** `givingUp`: ends what is done with a file, with its reason. */
export function mediaHandlers(
  options: HttpOptionsOf<'ingest' | 'library'>,
  givingUp: AbortSignal,
): MediaHandlers {
  const {
    application: { ingest, library },
    clock,
  } = options
  return {
    async uploadMedia({ ctx, query }) {
      const route = routes.uploadMedia
      const key = idempotencyKey(ctx, route)
      const signal = whenGivenUp(ctx, givingUp, cancelsOnDisconnect(ctx, route))
      const context = requestContext(ctx.state.exchange)
      using arrival = await ingest.receiveFile(context, 'upload', key)
      const { filename, staged, form } = await readFileForm(ctx, route, options, {
        maxBytes: ({ maxBytes }) => maxBytes,
        received: arrival.add,
        signal: givingUp,
      })
      const command = {
        staged,
        filename,
        collection: form.collection_id ?? null,
        overwrite: form.force_overwrite,
        ...(key !== undefined && { idempotencyKey: key }),
      }
      const upload = ingest.upload(context, command, signal).catch((error: unknown) => {
        throw signal.reason instanceof UploadCancelled ? new ClientGone() : error
      })
      const uploaded = written(ctx, await upload)
      if (uploaded.replayed) ctx.set('Idempotency-Replayed', 'true')
      return {
        message: 'The file was processed and stored.',
        data: uploadResult(uploaded, form.include_vectors ?? query.include_vectors ?? false),
        metadata: {
          cost: toUsdNumber(uploaded.cost),
          collection: uploaded.item.collection,
          request_id: requestIds.format(uploaded.requestId),
          processing_time_ms: Math.max(0, Math.round(uploaded.completedAt - uploaded.startedAt)),
        },
        timestamp: isoTime(uploaded.completedAt),
      }
    },

    async listMedia({ ctx, query }) {
      const { page, page_size: pageSize, media_type: mediaType, collection, after } = query
      const context = requestContext(ctx.state.exchange)
      const filter = { ...(mediaType && { mediaType }), ...(collection && { collection }) }
      const now = clock.now()
      const answer = (
        total: number,
        listed: ListedThen,
        next: { has_next?: boolean; next?: string } = {},
      ) => ({
        message: 'Media items retrieved.',
        data: {
          ...listed,
          pagination: { ...paginationWithNext({ page, pageSize }, total), ...next },
          filters: {
            applied: { ...(mediaType && { media_type: mediaType }), ...(collection && { collection }) },
            total_matching: total,
          },
        },
        timestamp: isoTime(now),
      })
      if (query.as_of === undefined) {
        const asked = { page, pageSize, vectors: query.include_vectors, ...filter, ...(after && { after }) }
        const { items, total, hasNext } = await library.list(context, asked)
        const last = items.at(-1)
        const next = { has_next: hasNext, ...(hasNext && last && { next: placeOf(last.item) }) }
        return answer(total, { items: items.map(listedMediaItem) }, next)
      }
      // The future is not known: it is as now.
      const asOf = Math.min(query.as_of, now)
      const asked = { page, pageSize, asOf, ...filter }
      const { items, total, undated } = await library.listAsOf(context, asked)
      return answer(total, { items: items.map(mediaItemThen), as_of: isoTime(asOf), undated })
    },

    async readMedia({ ctx, params, query }) {
      const { include_vectors: vectors, include_chunks: content, include_metadata: metadata } = query
      const view = await library.read(requestContext(ctx.state.exchange), {
        id: params.media_id,
        vectors,
        content,
      })
      const now = isoTime(clock.now())
      return {
        message: 'Media item retrieved.',
        data: mediaItem(view, metadata),
        metadata: {
          retrieval_time: now,
          api_version: 'v1',
          included_vectors: vectors,
          included_chunks: content,
        },
        timestamp: now,
      }
    },

    async deleteMedia({ ctx, params, query: { receipt } }) {
      const { exchange } = ctx.state
      const { item, erasure } = written(
        ctx,
        await library.delete(requestContext(exchange), { id: params.media_id, receipt }),
      )
      const now = isoTime(clock.now())
      return {
        message: 'The media item was deleted for good.',
        data: {
          media_id: idOf(item),
          deletion_status: 'completed',
          successful: true,
          ...erasureIn(erasure),
        },
        metadata: {
          deletion_time: now,
          resource_type: 'media_item',
          processing_time_ms: elapsed(exchange),
        },
        timestamp: now,
      }
    },

    async deleteMediaBatch({ ctx, query: { receipt }, body: { media_ids: ids, reason } }) {
      const { exchange } = ctx.state
      const { deleted, missing, erasure } = written(
        ctx,
        await library.deleteAll(requestContext(exchange), {
          ids,
          receipt,
          ...(reason !== undefined && { reason }),
        }),
      )
      const total = (kind: 'hd' | 'ld'): number =>
        deleted.reduce((sum, { vectorCount }) => sum + vectorCount[kind], 0)
      return {
        message: `${deleted.length} deleted, ${missing.length} not found.`,
        data: {
          deleted: {
            count: deleted.length,
            media_ids: deleted.map(idOf),
            hd_vectors: total('hd'),
            ld_vectors: total('ld'),
          },
          failed: {
            count: missing.length,
            media_ids: missing,
            reasons: Object.fromEntries(missing.map((id) => [id, 'There is no such media item.'])),
          },
          ...erasureIn(erasure),
        },
        metadata: {
          operation_id: requestIds.format(exchange.requestId),
          timestamp: isoTime(clock.now()),
          processing_time_ms: elapsed(exchange),
          ...(reason !== undefined && { reason }),
        },
      }
    },
  }
}
