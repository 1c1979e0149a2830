import type { Uuid } from '@medialog/kernel'
import type { Ports } from '../core/ports.ts'
import { requireCatalog } from '../core/read-your-writes.ts'
import type { CatalogItem } from '../ports/index.ts'

type Present = Pick<Ports, 'catalog' | 'streams' | 'projections' | 'settings'>

/**
 * Those of the account's items that are stored now. The catalog may be behind the log: an item that it shows is looked up
 * in the item's stream, and counts only once the catalog has reached the deletions of collections, too.
 * @throws EngineUnavailable where the catalog does not answer or does not catch up
 */
export async function presentItems(
  ports: Present,
  accountId: Uuid,
  mediaIds: readonly Uuid[],
): Promise<CatalogItem[]> {
  const { catalog, streams } = ports
  const shown = await catalog.items(accountId, mediaIds)
  const looked = await Promise.all(
    shown.map(async ({ mediaId }) => ({
      mediaId,
      ...(await streams.load('media', mediaId, ({ item }) => item !== null)),
    })),
  )
  const stored = looked.filter(({ selected }) => selected)
  if (stored.length === 0) return []
  const library = await streams.load('library', accountId, () => undefined)
  await requireCatalog(ports, Math.max(library.position, ...stored.map(({ position }) => position)))
  return catalog.items(
    accountId,
    stored.map(({ mediaId }) => mediaId),
  )
}
