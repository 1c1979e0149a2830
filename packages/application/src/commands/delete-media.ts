import { MediaNotFound } from '@medialog/domain'
import { BEGINNING } from '@medialog/kernel'
import type { Application } from '../application.ts'
import type { RequestContext } from '../context.ts'
import type { Dependencies } from '../dependencies.ts'
import { MediaItemNotFound } from '../errors.ts'
import { afterErasing } from '../erasing/after-erasing.ts'
import { requestItemsErasure } from '../erasing/request.ts'
import { originOf } from '../origin.ts'
import type { CatalogItem } from '../ports/index.ts'
import { findItem, findItems } from '../queries/find-item.ts'
import { settleReads } from '../read-your-writes.ts'

/**
 * Deletes one item: gone from every read when it answers, its bytes erased within seconds. With `receipt` it waits for
 * that, not for long. @throws MediaItemNotFound; EngineUnavailable
 */
export async function deleteMedia(
  dependencies: Dependencies,
  context: RequestContext,
  { id, reason, receipt }: Parameters<Application['deleteMedia']>[1],
): ReturnType<Application['deleteMedia']> {
  const item = await findItem(dependencies.catalog, context.principal.accountId, id)
  const erasureId = receipt ? await requestItemsErasure(dependencies, context, [item]) : null
  const position = await remove(dependencies, context, item, reason, erasureId !== null)
  if (position === null) throw new MediaItemNotFound(id)
  await settleReads(dependencies, position)
  return { item, position, erasure: await afterErasing(dependencies, erasureId) }
}

/** Deletes what is there of the ids; what is not, or was deleted meanwhile, is in `missing` as it was named. */
export async function deleteMediaBatch(
  dependencies: Dependencies,
  context: RequestContext,
  { ids, reason, receipt }: Parameters<Application['deleteMediaBatch']>[1],
): ReturnType<Application['deleteMediaBatch']> {
  const { found, missing } = await findItems(dependencies.catalog, context.principal.accountId, ids)
  const erasureId =
    receipt && found.length > 0 ? await requestItemsErasure(dependencies, context, found) : null
  const positions = await Promise.all(
    found.map((item) => remove(dependencies, context, item, reason, erasureId !== null)),
  )
  const position = Math.max(BEGINNING, ...positions.map((position) => position ?? BEGINNING))
  await settleReads(dependencies, position)
  const deleted = found.filter((_, index) => positions[index] !== null)
  const lost = found.filter((_, index) => positions[index] === null)
  const erasure = await afterErasing(dependencies, erasureId)
  return { deleted, missing: [...missing, ...lost.map((item) => nameOf(ids, item))], position, erasure }
}

const nameOf = (ids: readonly string[], item: CatalogItem): string =>
  ids.find((id) => id.endsWith(item.mediaId))!

/**
 * The position that shows the deletion, or null where another request was faster. Not so where it is `promised`, because
 * an erasure of it is open: then whoever carries that out may have been.
 */
async function remove(
  { streams, clock }: Dependencies,
  context: RequestContext,
  { mediaId, ingestId }: CatalogItem,
  reason: string | undefined,
  promised: boolean,
): Promise<number | null> {
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
    if (!promised) return null
    const { selected: isDead, position } = await streams.load(
      'media',
      mediaId,
      (media) => media.item === null,
    )
    return isDead ? position : null
  }
}
