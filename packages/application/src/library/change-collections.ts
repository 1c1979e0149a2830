import { DEFAULT_COLLECTION, CannotDeleteDefault, placeIn } from '@medialog/domain'
import type { LogPosition, MediaType, Uuid } from '@medialog/kernel'
import type { Application } from '../application.ts'
import type { RequestContext } from '../core/context.ts'
import type { Dependencies } from '../dependencies.ts'
import { CollectionNotFound, ItemsNotFound } from '../core/errors.ts'
import { afterErasing } from '../erasure/after-erasing.ts'
import { requestCollectionErasure } from '../erasure/request.ts'
import { originOf } from '../core/origin.ts'
import { EngineUnavailable, WrongExpectedRevision, type CatalogItem } from '../ports/index.ts'
import { findStored } from './find-item.ts'
import { askUntilCurrent, requireCatalog, settleReads } from '../core/read-your-writes.ts'
import { Turns } from '../core/turns.ts'

/** How often a move is decided again after another process changed the library. */
const MOST_CONFLICTS = 50
/** A move that waited so long for its turn is refused: the catalog may be unavailable. */
const LONGEST_WAIT_MS = 60_000

/**
 * Ends the collection's generation by one event: all of it is invisible at once, the erasing follows.
 * @throws CannotDeleteDefault; CollectionNotFound for an empty one too
 */
export async function deleteCollection(
  dependencies: Dependencies,
  context: RequestContext,
  { collection, receipt }: Parameters<Application['deleteCollection']>[1],
): ReturnType<Application['deleteCollection']> {
  const { streams, catalog, clock } = dependencies
  const { accountId } = context.principal
  if (collection === DEFAULT_COLLECTION) throw new CannotDeleteDefault()
  const known = await streams.load('library', accountId, (library) => placeIn(library, collection))
  await requireCatalog(dependencies, known.position)
  const held = await askUntilCurrent(
    dependencies,
    () => catalog.collection(accountId, collection),
    (record) => record !== null,
  )
  if (held === null) throw new CollectionNotFound(collection)
  const erasureId = receipt ? await requestCollectionErasure(dependencies, context, known.selected) : null
  const { selected: place } = known
  const command = { type: 'DeleteCollection', accountId, place, at: clock.now() } as const
  const { events, position } = await streams.execute('library', accountId, command, originOf(context))
  // Another request ended the same items a moment before: this one found none. Not so where an erasure of them is open:
  // then whoever carries that out may have been.
  if (events.length === 0 && erasureId === null) throw new CollectionNotFound(collection)
  await requireCatalog(dependencies, position)
  const ended = await catalog.endedCollection(accountId, collection, place.generation)
  if (!ended || ended.items === 0) throw new CollectionNotFound(collection)
  await settleReads(dependencies, position)
  const erasure = await afterErasing(dependencies, erasureId)
  return { items: ended.items, vectors: { hd: ended.hd, ld: ended.ld }, position, erasure }
}

/**
 * Moves all items or none; decided on one revision of the library and a catalog that has reached it. Moves of one account
 * are decided one after the other: at the same time, all but one would be in vain. @throws ItemsNotFound, EngineUnavailable
 */
export function createMoveItems(dependencies: Dependencies): Application['moveItems'] {
  const turns = new Turns<Uuid>()

  async function inTurn(
    context: RequestContext,
    move: Parameters<Application['moveItems']>[1],
  ): ReturnType<typeof decideMove> {
    const { clock } = dependencies
    const until = clock.now() + LONGEST_WAIT_MS
    const end = await turns.take(context.principal.accountId)
    try {
      if (clock.now() > until) throw tooManyChanges()
      return await decideMove(dependencies, context, move)
    } finally {
      end()
    }
  }

  return async (context, move) => {
    const { found, mediaIds, position } = await inTurn(context, move)
    await settleReads(dependencies, position)
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
  dependencies: Dependencies,
  context: RequestContext,
  { collection, ids }: Parameters<Application['moveItems']>[1],
): Promise<{ found: CatalogItem[]; mediaIds: Uuid[]; position: LogPosition }> {
  const { streams, clock } = dependencies
  const { accountId } = context.principal
  for (let conflicts = 0; conflicts < MOST_CONFLICTS; conflicts++) {
    const library = await streams.load('library', accountId, () => undefined)
    await requireCatalog(dependencies, library.position)
    const { found, missing } = await findStored(dependencies, accountId, ids)
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
