import { DEFAULT_COLLECTION, CannotDeleteDefault, placeIn } from '@medialog/domain'
import type { LogPosition, MediaType, Uuid } from '@medialog/kernel'
import type { RequestContext } from '../core/context.ts'
import { CollectionNotFound, ItemsNotFound } from '../core/errors.ts'
import { originOf } from '../core/origin.ts'
import type { Ports } from '../core/ports.ts'
import { askUntilCurrent, requireCatalog, settleReads } from '../core/read-your-writes.ts'
import { Turns } from '../core/turns.ts'
import type { Written } from '../core/written.ts'
import { afterErasing } from '../erasure/after-erasing.ts'
import type { ErasureView } from '../erasure/receipt.ts'
import { requestCollectionErasure } from '../erasure/request.ts'
import { EngineUnavailable, WrongExpectedRevision, type CatalogItem } from '../ports/index.ts'
import { findStored } from './find-item.ts'

export interface DeleteCollection {
  collection: string
  receipt?: boolean
}
export type DeletedCollection = Written<{
  items: number
  vectors: { hd: number; ld: number }
  erasure: ErasureView | null
}>

export interface MoveItems {
  collection: string
  ids: readonly string[]
}
export type MovedItems = Written<{
  total: number
  moved: number
  alreadyThere: number
  byType: Partial<Record<MediaType, number>>
}>

export type ChangingPorts = Pick<
  Ports,
  'streams' | 'clock' | 'catalog' | 'projections' | 'settings' | 'eventStore' | 'logTree'
>

/** How often a move is decided again after another process changed the library. */
const MOST_CONFLICTS = 50
/** A move that waited so long for its turn is refused: the catalog may be unavailable. */
const LONGEST_WAIT_MS = 60_000

/**
 * Ends the collection's generation by one event: all of it is invisible at once, the erasing follows.
 * @throws CannotDeleteDefault; CollectionNotFound for an empty one too
 */
export async function deleteCollection(
  ports: ChangingPorts,
  context: RequestContext,
  { collection, receipt }: DeleteCollection,
): Promise<DeletedCollection> {
  const { streams, catalog, clock } = ports
  const { accountId } = context.principal
  if (collection === DEFAULT_COLLECTION) throw new CannotDeleteDefault()
  const known = await streams.load('library', accountId, (library) => placeIn(library, collection))
  await requireCatalog(ports, known.position)
  const held = await askUntilCurrent(
    ports,
    () => catalog.collection(accountId, collection),
    (record) => record !== null,
  )
  if (held === null) throw new CollectionNotFound(collection)
  const erasureId = receipt ? await requestCollectionErasure(ports, context, known.selected) : null
  const { selected: place } = known
  const command = { type: 'DeleteCollection', accountId, place, at: clock.now() } as const
  const { events, position } = await streams.execute('library', accountId, command, originOf(context))
  // Another request ended the same items a moment before: this one found none. Not so where an erasure of them is open:
  // then the eraser may have been first.
  if (events.length === 0 && erasureId === null) throw new CollectionNotFound(collection)
  await requireCatalog(ports, position)
  const ended = await catalog.endedCollection(accountId, collection, place.generation)
  if (!ended || ended.items === 0) throw new CollectionNotFound(collection)
  await settleReads(ports, position)
  const erasure = await afterErasing(ports, erasureId)
  return { items: ended.items, vectors: { hd: ended.hd, ld: ended.ld }, position, erasure }
}

/**
 * Moves all items or none; decided on one revision of the library and a catalog that has reached it. Moves of one account
 * are decided one after the other: at the same time, all but one would be in vain. @throws ItemsNotFound, EngineUnavailable
 */
export function createMoveItems(
  ports: ChangingPorts,
): (context: RequestContext, command: MoveItems) => Promise<MovedItems> {
  const turns = new Turns<Uuid>()

  async function inTurn(context: RequestContext, move: MoveItems): ReturnType<typeof decideMove> {
    const { clock } = ports
    const until = clock.now() + LONGEST_WAIT_MS
    const end = await turns.take(context.principal.accountId)
    try {
      if (clock.now() > until) throw tooManyChanges()
      return await decideMove(ports, context, move)
    } finally {
      end()
    }
  }

  return async (context, move) => {
    const { found, mediaIds, position } = await inTurn(context, move)
    await settleReads(ports, position)
    const byType: Partial<Record<MediaType, number>> = {}
    for (const { mediaType } of found) byType[mediaType] = (byType[mediaType] ?? 0) + 1
    return {
      total: found.length,
      moved: mediaIds.length,
      alreadyThere: found.length - mediaIds.length,
      byType,
      position,
    }
  }
}

/** `mediaIds`: those of the items found that are elsewhere, and move. */
async function decideMove(
  ports: ChangingPorts,
  context: RequestContext,
  { collection, ids }: MoveItems,
): Promise<{ found: CatalogItem[]; mediaIds: Uuid[]; position: LogPosition }> {
  const { streams, clock } = ports
  const { accountId } = context.principal
  for (let conflicts = 0; conflicts < MOST_CONFLICTS; conflicts++) {
    const library = await streams.load('library', accountId, () => undefined)
    await requireCatalog(ports, library.position)
    const { found, missing } = await findStored(ports, accountId, ids)
    if (missing.length > 0) throw new ItemsNotFound(missing)
    const mediaIds = found.filter((item) => item.collection !== collection).map((item) => item.mediaId)
    const command = { type: 'MoveItems', accountId, collection, mediaIds, at: clock.now() } as const
    try {
      const { position } = await streams.execute('library', accountId, command, originOf(context), {
        at: library.revision,
      })
      return { found, mediaIds, position }
    } catch (error) {
      if (!(error instanceof WrongExpectedRevision)) throw error
    }
  }
  throw tooManyChanges()
}

const tooManyChanges = (): EngineUnavailable =>
  new EngineUnavailable('library', 'Too many requests change the collections at once; try again shortly.')
