import { MediaNotFound } from '@medialog/domain'
import { BEGINNING } from '@medialog/kernel'
import type { Written } from '../application.ts'
import type { RequestContext } from '../context.ts'
import type { Dependencies } from '../dependencies.ts'
import { MediaItemNotFound } from '../errors.ts'
import { originOf } from '../origin.ts'
import type { CatalogItem } from '../ports/index.ts'
import { findItem, findItems } from '../queries/find-item.ts'
import { settleReads } from '../read-your-writes.ts'

/** Deletes one item: gone from every read when it answers, its bytes erased within seconds. @throws MediaItemNotFound */
export async function deleteMedia(
  dependencies: Dependencies,
  context: RequestContext,
  { id, reason }: { id: string; reason?: string },
): Promise<Written<{ item: CatalogItem }>> {
  const item = await findItem(dependencies.catalog, context.principal.accountId, id)
  const position = await remove(dependencies, context, item, reason)
  if (position === null) throw new MediaItemNotFound(id)
  await settleReads(dependencies, position)
  return { item, position }
}

/** Deletes what is there of the ids; what is not, or was deleted meanwhile, is in `missing` as it was named. */
export async function deleteMediaBatch(
  dependencies: Dependencies,
  context: RequestContext,
  { ids, reason }: { ids: readonly string[]; reason?: string },
): Promise<Written<{ deleted: CatalogItem[]; missing: string[] }>> {
  const { found, missing } = await findItems(dependencies.catalog, context.principal.accountId, ids)
  const positions = await Promise.all(found.map((item) => remove(dependencies, context, item, reason)))
  const position = Math.max(BEGINNING, ...positions.map((position) => position ?? BEGINNING))
  await settleReads(dependencies, position)
  const deleted = found.filter((_, index) => positions[index] !== null)
  const lost = found.filter((_, index) => positions[index] === null)
  return { deleted, missing: [...missing, ...lost.map((item) => nameOf(ids, item))], position }
}

const nameOf = (ids: readonly string[], item: CatalogItem): string =>
  ids.find((id) => id.endsWith(item.mediaId))!

/** The position that shows the deletion, or null where another request was faster. */
async function remove(
  { streams, clock }: Dependencies,
  context: RequestContext,
  { mediaId, ingestId }: CatalogItem,
  reason: string | undefined,
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
    if (error instanceof MediaNotFound) return null
    throw error
  }
}
