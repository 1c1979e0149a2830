import { parseMediaId, type Uuid } from '@medialog/kernel'
import { MediaItemNotFound } from '../core/errors.ts'
import type { Ports } from '../core/ports.ts'
import { askUntilCurrent } from '../core/read-your-writes.ts'
import type { Catalog, CatalogItem } from '../ports/index.ts'

/** The account's item under either form of its id. @throws MediaItemNotFound */
export async function findItem(catalog: Catalog, accountId: Uuid, id: string): Promise<CatalogItem> {
  const item = await itemNamed(catalog, accountId, id)
  if (!item) throw new MediaItemNotFound(id)
  return item
}

async function itemNamed(catalog: Catalog, accountId: Uuid, id: string): Promise<CatalogItem | null> {
  const reference = parseMediaId(id)
  const item = reference && (await catalog.item(accountId, reference.id))
  return item && !contradicts(reference.claimedType, item) ? item : null
}

/** The account's items under the ids as they were named, and the names under which nothing is. Named twice counts once. */
export async function findItems(
  catalog: Catalog,
  accountId: Uuid,
  ids: readonly string[],
): Promise<{ found: CatalogItem[]; missing: string[] }> {
  const references = new Map([...new Set(ids)].map((id) => [id, parseMediaId(id)]))
  const wanted = [...references.values()].flatMap((reference) => (reference ? [reference.id] : []))
  const items = new Map((await catalog.items(accountId, wanted)).map((item) => [item.mediaId, item]))
  const found = new Map<Uuid, CatalogItem>()
  const missing: string[] = []
  for (const [id, reference] of references) {
    const item = reference && items.get(reference.id)
    if (item && !contradicts(reference.claimedType, item)) found.set(item.mediaId, item)
    else missing.push(id)
  }
  return { found: [...found.values()], missing }
}

type Deciding = Pick<Ports, 'catalog' | 'projections' | 'settings' | 'eventStore'>

/** As findItem; an item counts as missing only once the catalog shows the whole log. @throws MediaItemNotFound, EngineUnavailable */
export async function findStoredItem(ports: Deciding, accountId: Uuid, id: string): Promise<CatalogItem> {
  const item = await askUntilCurrent(
    ports,
    () => itemNamed(ports.catalog, accountId, id),
    (found) => found !== null,
  )
  if (!item) throw new MediaItemNotFound(id)
  return item
}

/** As findItems; items count as missing only once the catalog shows the whole log. @throws EngineUnavailable */
export const findStored = (
  ports: Deciding,
  accountId: Uuid,
  ids: readonly string[],
): ReturnType<typeof findItems> =>
  askUntilCurrent(
    ports,
    () => findItems(ports.catalog, accountId, ids),
    ({ missing }) => missing.length === 0,
  )

const contradicts = (claimed: string | null, item: CatalogItem): boolean =>
  claimed !== null && claimed !== item.mediaType
