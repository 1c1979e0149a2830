import type { CatalogChange } from '@medialog/application/ports'
import type { LogPosition, Uuid } from '@medialog/kernel'
import { Analyzer } from '../../analysis/analyzer.ts'
import type { Place } from '../documents-of-batch.ts'
import type { CatalogDocuments } from './catalog-documents.ts'
import {
  collectionId,
  contentDocument,
  contentId,
  endedId,
  erasureId,
  itemDocument,
  itemId,
  placeOf,
  reembedded,
  type CollectionDocument,
  type ContentDocument,
  type EndedDocument,
  type ErasureDocument,
  type GoneDocument,
  type ItemDocument,
} from './documents.ts'

type Change<Type extends CatalogChange['type']> = Extract<CatalogChange, { type: Type }>

const analyzer = new Analyzer()

/** What the change will be decided by: to be loaded for many changes at once. */
export function concerned(change: CatalogChange): Place[] {
  const ofMedia = (account: Uuid, media: Uuid): Place[] => [
    { id: itemId(account, media), routing: account },
    { id: endedId(account), routing: account },
  ]
  const ofPlace = (account: Uuid, place: string): Place => ({ id: collectionId(place), routing: account })
  switch (change.type) {
    case 'PutItem': {
      const { item, generation } = change
      const { accountId: account, mediaId, collection } = item
      return [...ofMedia(account, mediaId), ofPlace(account, placeOf(account, collection, generation))]
    }
    case 'ReplaceItem':
      return ofMedia(change.item.accountId, change.item.mediaId)
    case 'ReplaceVectors':
    case 'RemoveItem':
      return ofMedia(change.accountId, change.mediaId)
    case 'MoveItems':
      return change.mediaIds.flatMap((media) => ofMedia(change.accountId, media))
    case 'EndCollection':
    case 'EraseNames':
      return []
  }
}

/**
 * Applies a change so that it may come again, after any that followed it, and change nothing: items by the revision of
 * their stream, places by the position in the log, endings and erasures because they happen once.
 * `write`: writes what earlier changes left, for what is counted in the index.
 */
export async function applyChange(
  documents: CatalogDocuments,
  change: CatalogChange,
  position: LogPosition,
  write: () => Promise<void>,
): Promise<void> {
  switch (change.type) {
    case 'PutItem':
      return put(documents, change, position)
    case 'ReplaceItem':
      return replace(documents, change, position, write)
    case 'ReplaceVectors':
      return replaceVectors(documents, change, position)
    case 'RemoveItem':
      return remove(documents, change, position)
    case 'MoveItems':
      return moveItems(documents, change, position)
    case 'EndCollection':
      return endCollection(documents, change, position, write)
    case 'EraseNames':
      // They are in the ids of documents, which are never deleted: only rebuilding the index leaves them out.
      return
  }
}

const known = (documents: CatalogDocuments, account: Uuid, media: Uuid) =>
  documents.get<ItemDocument | GoneDocument>(itemId(account, media), account)

/** Whether the read model has seen that revision of the item, or a later one. */
const isPast = (before: ItemDocument | GoneDocument | null, revision: number): boolean =>
  (before?.kind === 'item' && before.revision >= revision) ||
  (before !== null && before.deleted !== null && before.deleted >= revision)

async function put(documents: CatalogDocuments, change: Change<'PutItem'>, position: number): Promise<void> {
  const { item, generation } = change
  const before = await known(documents, item.accountId, item.mediaId)
  if (isPast(before, item.revision)) return
  if (before?.kind === 'item' && before.ingest !== item.ingestId)
    await erase(documents, before, 'replaced', item.revision, position)
  const { collection, createdAt } = item
  const deleted = before?.deleted ?? null
  await ingest(documents, change, { collection, generation, createdAt, placed: position, deleted }, position)
}

async function replace(
  documents: CatalogDocuments,
  change: Change<'ReplaceItem'>,
  position: number,
  write: () => Promise<void>,
): Promise<void> {
  const { item, collection } = change
  const { accountId: account, mediaId: media, revision } = item
  await erase(documents, { account, media, ingest: change.previousIngestId }, 'replaced', revision, position)
  const before = await known(documents, account, media)
  if (isPast(before, revision)) return
  const shown = before?.kind === 'item' ? before : null
  const place = collection
    ? { collection: collection.id, generation: collection.generation }
    : (shown ?? (await latestPlace()))
  const placed = collection || !shown ? position : shown.placed
  const createdAt = shown?.createdAt ?? item.createdAt
  const deleted = before?.deleted ?? null
  const { collection: name, generation } = place
  await ingest(documents, change, { collection: name, generation, createdAt, placed, deleted }, position)

  /** For an item whose earlier ingest this read model never saw. */
  async function latestPlace(): Promise<{ collection: string; generation: number }> {
    await write()
    return {
      collection: item.collection,
      generation: await documents.latestGeneration(account, item.collection),
    }
  }
}

async function ingest(
  documents: CatalogDocuments,
  { item, content, vectors }: Change<'PutItem'> | Change<'ReplaceItem'>,
  placed: Pick<ItemDocument, 'collection' | 'generation' | 'createdAt' | 'placed' | 'deleted'>,
  position: number,
): Promise<void> {
  documents.putItem(
    itemDocument(item, content, vectors, placed, analyzer),
    contentDocument(item, content.text, vectors),
    vectors,
    position,
  )
  await see(documents, item.accountId, placed.collection, placed.generation, position)
}

async function replaceVectors(
  documents: CatalogDocuments,
  change: Change<'ReplaceVectors'>,
  position: number,
): Promise<void> {
  const { accountId, mediaId, ingestId, revision, vectors } = change
  const before = await known(documents, accountId, mediaId)
  if (before?.kind !== 'item' || before.ingest !== ingestId || before.revision >= revision) return
  // Wiped ahead of its deletion, see ReadModelBuild: vectors would bring back what was taken away.
  if (before.record === '') return
  const content = await documents.get<ContentDocument>(contentId(accountId, mediaId), accountId)
  if (content?.kind !== 'content') throw new Error(`the content of the item ${mediaId} is not in the index`)
  documents.putItem(
    reembedded(before, content, vectors, revision),
    contentDocument(change, content.text, vectors),
    vectors,
    position,
  )
}

async function remove(
  documents: CatalogDocuments,
  change: Change<'RemoveItem'>,
  position: number,
): Promise<void> {
  const { accountId: account, mediaId: media, ingestId, revision } = change
  await erase(documents, { account, media, ingest: ingestId }, 'deleted', revision, position)
  const before = await known(documents, account, media)
  if (before?.kind === 'item' && before.revision > revision) return
  if (before?.kind === 'gone' && before.deleted !== null && before.deleted >= revision) return
  const gone: GoneDocument = { kind: 'gone', account, media, deleted: revision }
  documents.put(itemId(account, media), account, gone, position)
  documents.put(contentId(account, media), account, gone, position)
}

/** A deletion outweighs a replacement of the same ingest; else the first to come stays. */
async function erase(
  documents: CatalogDocuments,
  { account, media, ingest }: Pick<ErasureDocument, 'account' | 'media' | 'ingest'>,
  cause: ErasureDocument['cause'],
  revision: number,
  position: number,
): Promise<void> {
  const id = erasureId(account, media, ingest)
  const before = await documents.get<ErasureDocument>(id, account)
  if (before && (before.cause === 'deleted' || cause === 'replaced')) return
  documents.put(id, account, { kind: 'erasure', account, media, ingest, cause, revision, position }, position)
}

/** Unknown items stay unknown. */
async function moveItems(
  documents: CatalogDocuments,
  change: Change<'MoveItems'>,
  position: number,
): Promise<void> {
  const { accountId: account, collection, generation, mediaIds } = change
  await documents.load(concerned(change))
  await see(documents, account, collection, generation, position)
  for (const media of mediaIds) {
    const item = await known(documents, account, media)
    if (item?.kind !== 'item' || item.placed > position) continue
    const place = placeOf(account, collection, generation)
    const moved = { ...item, collection, generation, place, placed: position }
    documents.put(itemId(account, media), account, moved, position)
  }
}

/**
 * Counts what it held before anything later is written: were it applied again after a crash, it would count the same.
 */
async function endCollection(
  documents: CatalogDocuments,
  { accountId: account, collection, generation }: Change<'EndCollection'>,
  position: number,
  write: () => Promise<void>,
): Promise<void> {
  const place = placeOf(account, collection, generation)
  const before = await documents.get<CollectionDocument>(collectionId(place), account)
  if (before?.ended !== undefined && before.ended !== null) return
  await write()
  const held = await documents.tally(account, place)
  const ended: CollectionDocument = {
    kind: 'collection',
    account,
    collection,
    generation,
    place,
    ended: position,
    ...held,
  }
  const left = await documents.holding(account, await endedPlaces(documents, account))
  hide(documents, account, [...left, place], position)
  await write()
  documents.put(collectionId(place), account, ended, position)
  await write()
}

/** Remembers that there is such a place. What comes to one that has ended is dead when it comes. */
async function see(
  documents: CatalogDocuments,
  account: Uuid,
  collection: string,
  generation: number,
  position: number,
): Promise<void> {
  const place = placeOf(account, collection, generation)
  const known = await documents.get<CollectionDocument>(collectionId(place), account)
  if (known) {
    const places = await endedPlaces(documents, account)
    if (known.ended !== null && !places.includes(place))
      hide(documents, account, [...places, place], position)
    return
  }
  const nothing = { ended: null, items: 0, hd: 0, ld: 0 }
  const seen = { kind: 'collection' as const, account, collection, generation, place, ...nothing }
  documents.put(collectionId(place), account, seen, position)
}

const hide = (
  documents: CatalogDocuments,
  account: Uuid,
  places: readonly string[],
  position: number,
): void => {
  const document = { kind: 'ended' as const, account, places: [...new Set(places)] }
  documents.put(endedId(account), account, document, position)
}

async function endedPlaces(documents: CatalogDocuments, account: Uuid): Promise<readonly string[]> {
  const ended = await documents.get<EndedDocument>(endedId(account), account)
  return ended?.places ?? []
}
