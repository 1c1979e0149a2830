import { batchId as batchIds, counted, isoTime, requestId as requestIds, toUsdNumber } from '@medialog/kernel'
import { requestContext } from '../exchange.ts'
import type { HttpOptionsOf } from '../options.ts'
import type { Handlers } from '../route.ts'
import { entryView, itemView, nameOf } from '../views/history.ts'
import { paginationWithNext } from '../views/pagination.ts'

export function historyHandlers({
  application: { history },
  clock,
}: HttpOptionsOf<'history'>): Handlers<'readMediaHistory' | 'readRequest'> {
  return {
    async readMediaHistory({ ctx, params, query: { page, page_size: pageSize } }) {
      const found = await history.ofItem(requestContext(ctx.state.exchange), {
        id: params.media_id,
        page,
        pageSize,
      })
      const { state, erased, entries, total } = found
      const name = nameOf(found)
      return {
        message: `${counted(total, 'event')} of the item.`,
        data: {
          media_id: name,
          state,
          erased,
          entries: entries.map((entry) => entryView(entry, () => name)),
          pagination: paginationWithNext({ page, pageSize }, total),
        },
        timestamp: isoTime(clock.now()),
      }
    },

    async readRequest({ ctx, params, query: { page, page_size: pageSize } }) {
      const { requestId, entries, items, charged, refunded } = await history.ofRequest(
        requestContext(ctx.state.exchange),
        params.request_id,
      )
      const names = new Map(items.map((item) => [item.mediaId, nameOf(item)]))
      const shown = entries.slice((page - 1) * pageSize, page * pageSize)
      const isBatch = entries.some(({ batchId }) => batchId === requestId)
      return {
        message: `${counted(entries.length, 'event')} of the request.`,
        data: {
          request_id: requestIds.format(requestId),
          first_at: isoTime(entries[0]!.at),
          last_at: isoTime(entries.at(-1)!.at),
          // A batch has the id of the request that made it.
          ...(isBatch && { batch_id: batchIds.format(requestId) }),
          charged: toUsdNumber(charged),
          refunded: toUsdNumber(refunded),
          items: items.map(itemView),
          entries: shown.map((entry) => entryView(entry, (mediaId) => names.get(mediaId)!)),
          pagination: paginationWithNext({ page, pageSize }, entries.length),
        },
        timestamp: isoTime(clock.now()),
      }
    },
  }
}
