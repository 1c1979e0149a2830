import type { RequestContext } from '../core/context.ts'
import type { CollectionRecord } from '../ports/index.ts'
import {
  createMoveItems,
  deleteCollection,
  type ChangingPorts,
  type DeletedCollection,
  type DeleteCollection,
  type MovedItems,
  type MoveItems,
} from './change-collections.ts'
import {
  deleteMedia,
  deleteMediaBatch,
  type DeletedMedia,
  type DeletedMediaBatch,
  type DeleteMedia,
  type DeleteMediaBatch,
  type DeletingPorts,
} from './delete-media.ts'
import { listMediaAsOf, type ListMediaAsOf, type MediaThenPage, type PastPorts } from './media-as-of.ts'
import {
  listCollections,
  readCollection,
  type CollectionListing,
  type CollectionPorts,
} from './read-collections.ts'
import { listMedia, readMedia, type ListMedia, type MediaView, type ReadingPorts } from './read-media.ts'

/** Items and the collections that they are in. */
export interface LibraryUseCases {
  list(
    context: RequestContext,
    query: ListMedia,
  ): Promise<{ items: MediaView[]; total: number; hasNext: boolean }>
  /** What was stored at a moment. @throws AccountNotYetOpen, AccountNotFound, EngineUnavailable */
  listAsOf(context: RequestContext, query: ListMediaAsOf): Promise<MediaThenPage>
  /** @throws MediaItemNotFound */
  read(context: RequestContext, query: { id: string; vectors: boolean; content: boolean }): Promise<MediaView>
  /** With `receipt`, as in the two below, it waits for the erasing, not for long. @throws MediaItemNotFound */
  delete(context: RequestContext, command: DeleteMedia): Promise<DeletedMedia>
  /** Deletes what is there; the rest is in `missing`, as it was named. Ids named twice count once. */
  deleteAll(context: RequestContext, command: DeleteMediaBatch): Promise<DeletedMediaBatch>
  /** `default` is always listed; its `createdAt` is the account's. */
  collections(context: RequestContext): Promise<CollectionListing[]>
  /** @throws CollectionNotFound for an empty one too */
  collection(context: RequestContext, collection: string): Promise<CollectionRecord>
  /** @throws CollectionNotFound, CannotDeleteDefault */
  deleteCollection(context: RequestContext, command: DeleteCollection): Promise<DeletedCollection>
  /** All or none. @throws ItemsNotFound */
  move(context: RequestContext, command: MoveItems): Promise<MovedItems>
}

type LibraryPorts = ReadingPorts & PastPorts & CollectionPorts & DeletingPorts & ChangingPorts

export const library = (ports: LibraryPorts): LibraryUseCases => ({
  list: (context, query) => listMedia(ports, context, query),
  listAsOf: (context, query) => listMediaAsOf(ports, context, query),
  read: (context, query) => readMedia(ports, context, query),
  delete: (context, command) => deleteMedia(ports, context, command),
  deleteAll: (context, command) => deleteMediaBatch(ports, context, command),
  collections: (context) => listCollections(ports, context),
  collection: (context, collection) => readCollection(ports, context, collection),
  deleteCollection: (context, command) => deleteCollection(ports, context, command),
  move: createMoveItems(ports),
})
