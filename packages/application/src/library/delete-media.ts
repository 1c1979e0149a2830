import { MediaNotFound } from '@medialog/domain'
import { BEGINNING, type Uuid } from '@medialog/kernel'
import type { RequestContext } from '../core/context.ts'
import { MediaItemNotFound } from '../core/errors.ts'
import { originOf } from '../core/origin.ts'
import type { Ports } from '../core/ports.ts'
import { settleReads } from '../core/read-your-writes.ts'
import type { Written } from '../core/written.ts'
import { afterErasing } from '../erasure/after-erasing.ts'
import { namedIngest } from '../erasure/named-ingest.ts'
import type { ErasureView } from '../erasure/receipt.ts'
import { extendErasure, requestItemsErasure } from '../erasure/request.ts'
import type { CatalogItem } from '../ports/index.ts'
import { findStored, findStoredItem } from './find-item.ts'

/** With `receipt` it waits for the erasing, not for long. */
export interface DeleteMedia {
  id: string
  reason?: string
  receipt?: boolean
}
export type DeletedMedia = Written<{ item: CatalogItem; erasure: ErasureView | null }>

export interface DeleteMediaBatch extends Omit<DeleteMedia, 'id'> {
  ids: readonly string[]
}
export type DeletedMediaBatch = Written<{
  deleted: CatalogItem[]
  missing: string[]
  erasure: ErasureView | null
}>

export type DeletingPorts = Pick<
  Ports,
  'streams' | 'clock' | 'catalog' | 'projections' | 'settings' | 'eventStore' | 'logTree'
>

/**
 * Deletes one item: gone from every read when it answers, its bytes erased within seconds. With `receipt` it waits for
 * that, not for long. @throws MediaItemNotFound; EngineUnavailable
 */
export async function deleteMedia(
  ports: DeletingPorts,
  context: RequestContext,
  { id, reason, receipt }: DeleteMedia,
): Promise<DeletedMedia> {
  const item = await findStoredItem(ports, context.principal.accountId, id)
  const erasureId = receipt ? await requestItemsErasure(ports, context, [item]) : null
  if (receipt && erasureId === null) throw new MediaItemNotFound(id)
  const position = await remove(ports, context, item, reason, erasureId)
  if (position === null) throw new MediaItemNotFound(id)
  await settleReads(ports, position)
  return { item, position, erasure: await afterErasing(ports, erasureId) }
}

/** Deletes what is there of the ids; what is not, or was deleted meanwhile, is in `missing` as it was named. */
export async function deleteMediaBatch(
  ports: DeletingPorts,
  context: RequestContext,
  { ids, reason, receipt }: DeleteMediaBatch,
): Promise<DeletedMediaBatch> {
  const { found, missing } = await findStored(ports, context.principal.accountId, ids)
  const erasureId = receipt && found.length > 0 ? await requestItemsErasure(ports, context, found) : null
  const positions = await Promise.all(found.map((item) => remove(ports, context, item, reason, erasureId)))
  const position = Math.max(BEGINNING, ...positions.map((position) => position ?? BEGINNING))
  await settleReads(ports, position)
  const deleted = found.filter((_, index) => positions[index] !== null)
  const lost = found.filter((_, index) => positions[index] === null)
  const erasure = await afterErasing(ports, erasureId)
  return { deleted, missing: [...missing, ...lost.map((item) => nameOf(ids, item))], position, erasure }
}

const nameOf = (ids: readonly string[], item: CatalogItem): string =>
  ids.find((id) => id.endsWith(item.mediaId))!

/**
 * The position that shows the deletion, or null where another request was faster. Not so where an erasure of it is open:
 * then the eraser may have been. The catalog may still have shown an earlier ingest of the item.
 */
async function remove(
  ports: DeletingPorts,
  context: RequestContext,
  { mediaId, ingestId: shown }: CatalogItem,
  reason: string | undefined,
  erasureId: Uuid | null,
): Promise<number | null> {
  const { streams, clock } = ports
  for (let ingestId = shown; ;)
    try {
      const command = {
        type: 'DeleteMedia',
        cause: 'requested',
        reason: reason ?? null,
        ingestId,
        at: clock.now(),
      } as const
      return (await streams.execute('media', mediaId, command, originOf(context))).position
    } catch (error) {
      if (!(error instanceof MediaNotFound)) throw error
      const { selected: current, position } = await streams.load(
        'media',
        mediaId,
        ({ item }) => item?.ingestId ?? null,
      )
      if (current === null) return erasureId === null ? null : position
      ingestId = current
      if (erasureId !== null)
        await extendErasure(ports, erasureId, async () => {
          const named = await namedIngest(streams, mediaId, current)
          return named ? [named] : []
        })
    }
}
