import type { CatalogChange } from '@medialog/application/ports'
import type { Uuid } from '@medialog/kernel'
import type { DatabaseSync } from 'node:sqlite'
import { wipeContent } from './content-schema.ts'
import { prepareItems } from './items.ts'

type Change<Type extends CatalogChange['type']> = Extract<CatalogChange, { type: Type }>

/**
 * Applies changes so that any of them, or any batch, may come again and change nothing: items by the revision of
 * their stream, places by the position in the log, endings and erasures because they happen once.
 */
export function prepareChanges(database: DatabaseSync): (change: CatalogChange, position: number) => void {
  const items = prepareItems(database)
  const erase = prepareErasures(database)
  const endCollection = prepareEndCollection(database)
  const moveItems = prepareMoveItems(database)
  // Of the same length where it has room for the key, so that the row stays where it is; and none that a collection can have.
  const eraseNames = database.prepare(
    "UPDATE collection SET name = printf('-%0*d', octet_length(name) - 1, id) WHERE account_id = ?",
  )

  function put(change: Change<'PutItem'>, position: number): void {
    const { accountId, mediaId, collection } = change.item
    const before = items.find(accountId, mediaId)
    if (items.isPast(change.item, before)) return
    if (before) {
      items.remove(before.id)
      if (before.ingest_id !== change.item.ingestId)
        erase(accountId, mediaId, before.ingest_id, 'replaced', change.item.revision, position)
    }
    items.insert(
      change,
      items.placeOf(accountId, collection, change.generation),
      change.item.createdAt,
      position,
    )
  }

  function replace(change: Change<'ReplaceItem'>, position: number): void {
    const { accountId, mediaId, revision } = change.item
    erase(accountId, mediaId, change.previousIngestId, 'replaced', revision, position)
    const before = items.find(accountId, mediaId)
    if (items.isPast(change.item, before)) return
    if (before) items.remove(before.id)
    const place = change.collection
      ? items.placeOf(accountId, change.collection.id, change.collection.generation)
      : (before?.collection ?? items.latestPlaceOf(accountId, change.item.collection))
    const placed = change.collection || !before ? position : before.placed_position
    items.insert(change, place, before?.created_at ?? change.item.createdAt, position, placed)
  }

  function replaceVectors(change: Change<'ReplaceVectors'>, position: number): void {
    const before = items.find(change.accountId, change.mediaId)
    if (before?.ingest_id !== change.ingestId || before.revision >= change.revision) return
    items.replaceVectors(change, before, position)
  }

  function remove(change: Change<'RemoveItem'>, position: number): void {
    const { accountId, mediaId, ingestId, revision } = change
    erase(accountId, mediaId, ingestId, 'deleted', revision, position)
    const before = items.find(accountId, mediaId)
    if (before && before.revision <= revision) items.remove(before.id)
  }

  return (change, position) => {
    switch (change.type) {
      case 'PutItem':
        return put(change, position)
      case 'ReplaceItem':
        return replace(change, position)
      case 'ReplaceVectors':
        return replaceVectors(change, position)
      case 'RemoveItem':
        return remove(change, position)
      case 'MoveItems':
        return moveItems(
          change,
          items.placeOf(change.accountId, change.collection, change.generation),
          position,
        )
      case 'EndCollection':
        return endCollection(items.placeOf(change.accountId, change.collection, change.generation), position)
      case 'EraseNames':
        return void eraseNames.run(change.accountId)
    }
  }
}

/** Wipes an ingest that was deleted or replaced, and leaves its item's row: later changes need its place and time. */
export function prepareErasing(database: DatabaseSync): (change: CatalogChange) => boolean {
  const select = database.prepare(
    'SELECT id FROM item WHERE account_id = ? AND media_id = ? AND ingest_id = ?',
  )
  const wipe = (item: number): void => database.exec(wipeContent(String(item)))
  return (change) => {
    // They are erased in their turn: none of them comes in later.
    if (change.type === 'EraseNames') return true
    if (change.type !== 'RemoveItem' && change.type !== 'ReplaceItem') return false
    const [{ accountId, mediaId }, ingestId] =
      change.type === 'RemoveItem' ? [change, change.ingestId] : [change.item, change.previousIngestId]
    const row = select.get(accountId, mediaId, ingestId) as { id: number } | undefined
    if (row) wipe(row.id)
    return row !== undefined
  }
}

/** A deletion outweighs a replacement of the same ingest; else the first to come stays. */
function prepareErasures(database: DatabaseSync) {
  const insert = database.prepare(`
    INSERT INTO erasure (account_id, media_id, ingest_id, cause, revision, position) VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET cause = excluded.cause, revision = excluded.revision, position = excluded.position
      WHERE cause = 'replaced' AND excluded.cause = 'deleted'`)
  return (
    accountId: Uuid,
    mediaId: Uuid,
    ingestId: Uuid,
    cause: 'deleted' | 'replaced',
    revision: number,
    position: number,
  ): void => {
    insert.run(accountId, mediaId, ingestId, cause, revision, position)
  }
}

/** Unknown items stay unknown. */
function prepareMoveItems(database: DatabaseSync) {
  const move = database.prepare(`
    UPDATE item SET collection = :place, placed_position = :position, changed_position = :position
    WHERE account_id = :account AND media_id = :media AND placed_position <= :position`)
  return (change: Change<'MoveItems'>, place: number, position: number): void => {
    for (const media of change.mediaIds) move.run({ place, position, account: change.accountId, media })
  }
}

function prepareEndCollection(database: DatabaseSync) {
  const end = database.prepare(`
    UPDATE collection SET (ended_position, ended_items, ended_hd, ended_ld) =
      (SELECT :position, coalesce(sum(items), 0), coalesce(sum(hd), 0), coalesce(sum(ld), 0)
       FROM tally WHERE collection = :place)
    WHERE id = :place AND ended_position IS NULL`)
  return (place: number, position: number): void => {
    end.run({ place, position })
  }
}
