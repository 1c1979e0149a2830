import { DomainError, type Decider, type Uuid } from '@medialog/kernel'
import { AccountIsClosed } from './account.ts'
import type { Place } from './media.ts'

export const DEFAULT_COLLECTION = 'default'

/** Stream `library-<account>`: who is where is the catalog's to know; here is only which generation each collection is in. */
export type LibraryEvent =
  | { type: 'ItemsMoved'; accountId: Uuid; place: Place; mediaIds: Uuid[]; at: number }
  /** Ends that generation: every item in it is dead by this one event. */
  | { type: 'CollectionDeleted'; accountId: Uuid; place: Place; at: number }
  /** Its account was closed and everything in it erased: all before goes, with the names of collections. */
  | { type: 'LibraryErased'; accountId: Uuid; at: number }

export type LibraryCommand =
  | { type: 'MoveItems'; accountId: Uuid; collection: string; mediaIds: Uuid[]; at: number }
  /** That generation of it: nothing happens where it has ended. */
  | { type: 'DeleteCollection'; accountId: Uuid; place: Place; at: number }
  | { type: 'EraseLibrary'; accountId: Uuid; at: number }

export interface Library {
  /** Generation of every collection that was ever deleted; all others are in generation 0. */
  generations: Map<string, number>
  erased: boolean
}

export class CannotDeleteDefault extends DomainError {
  constructor() {
    super('CANNOT_DELETE_DEFAULT', 'The default collection cannot be deleted.')
  }
}

export const placeIn = (library: Library, collection: string): Place => ({
  collection,
  generation: library.generations.get(collection) ?? 0,
})

/** Whether the collection was deleted since. */
export const isEnded = (library: Library, { collection, generation }: Place): boolean =>
  placeIn(library, collection).generation > generation

export const library: Decider<LibraryCommand, LibraryEvent, Library> = {
  initialState: () => ({ generations: new Map(), erased: false }),

  evolve(state, event) {
    if (event.type === 'LibraryErased') return { generations: new Map(), erased: true }
    if (event.type === 'CollectionDeleted')
      state.generations.set(event.place.collection, event.place.generation + 1)
    return state
  },

  decide(command, state) {
    const { accountId, at } = command
    if (command.type === 'EraseLibrary') return state.erased ? [] : [{ type: 'LibraryErased', accountId, at }]
    if (state.erased) throw new AccountIsClosed()
    switch (command.type) {
      case 'MoveItems': {
        const { collection, mediaIds } = command
        const place = placeIn(state, collection)
        return mediaIds.length === 0
          ? []
          : [{ type: 'ItemsMoved', accountId, place, mediaIds: [...new Set(mediaIds)], at }]
      }
      case 'DeleteCollection': {
        const { place } = command
        if (place.collection === DEFAULT_COLLECTION) throw new CannotDeleteDefault()
        const { generation } = placeIn(state, place.collection)
        return generation === place.generation ? [{ type: 'CollectionDeleted', accountId, place, at }] : []
      }
    }
  },
}
