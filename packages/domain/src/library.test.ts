import { fold } from '@medialog/kernel'
import { describe, expect, test } from 'vitest'
import { AccountIsClosed } from './account.ts'
import {
  CannotDeleteDefault,
  isEnded,
  library,
  placeIn,
  type LibraryCommand,
  type LibraryEvent,
} from './library.ts'
import { given } from './testing/given-when-then.ts'

const move = (collection: string, ...mediaIds: string[]): LibraryCommand => ({
  type: 'MoveItems',
  accountId: 'a',
  collection,
  mediaIds,
  at: 1,
})
const moved = (collection: string, generation: number, ...mediaIds: string[]): LibraryEvent => ({
  type: 'ItemsMoved',
  accountId: 'a',
  place: { collection, generation },
  mediaIds,
  at: 1,
})
const deletion = (collection: string, generation = 0): LibraryCommand => ({
  type: 'DeleteCollection',
  accountId: 'a',
  place: { collection, generation },
  at: 1,
})
const deleted = (collection: string, generation: number): LibraryEvent => ({
  type: 'CollectionDeleted',
  accountId: 'a',
  place: { collection, generation },
  at: 1,
})

describe('moving', () => {
  test('names the generation that the collection is in', () => {
    given(library)
      .when(move('x', 'm'))
      .then(moved('x', 0, 'm'))
    given(library, deleted('x', 0))
      .when(move('x', 'm'))
      .then(moved('x', 1, 'm'))
    given(library, deleted('x', 0), deleted('x', 1))
      .when(move('x', 'm'))
      .then(moved('x', 2, 'm'))
  })

  test('does not look at what happened to other collections', () => {
    given(library, deleted('y', 0))
      .when(move('x', 'm'))
      .then(moved('x', 0, 'm'))
  })

  test('counts an item named twice once', () => {
    given(library)
      .when(move('default', 'm', 'n', 'm'))
      .then(moved('default', 0, 'm', 'n'))
  })

  test('of nothing is nothing', () => {
    given(library).when(move('x')).thenNothing()
  })
})

describe('deleting a collection', () => {
  test('ends the generation it is in, and each later one again', () => {
    given(library).when(deletion('x')).then(deleted('x', 0))
    given(library, deleted('x', 0)).when(deletion('x', 1)).then(deleted('x', 1))
    given(library, moved('x', 0, 'm'), deleted('x', 0), moved('x', 1, 'm'))
      .when(deletion('x', 1))
      .then(deleted('x', 1))
  })

  test('ends no generation but the one that was meant', () => {
    given(library, deleted('x', 0), moved('x', 1, 'm'))
      .when(deletion('x', 0))
      .thenNothing()
    given(library).when(deletion('x', 1)).thenNothing()
  })

  test('is refused for the default one', () => {
    given(library).when(deletion('default')).thenFails(CannotDeleteDefault, { code: 'CANNOT_DELETE_DEFAULT' })
  })

  test('is known of what was in it, and of nothing that came later', () => {
    const state = fold(library, [deleted('x', 3)])
    const isGone = (collection: string, generation: number) => isEnded(state, { collection, generation })
    expect([isGone('x', 2), isGone('x', 3), isGone('x', 4)]).toEqual([true, true, false])
    expect(isGone('y', 0)).toBe(false)
  })

  test('never lets a later generation be mistaken for the dead one', () => {
    const state = fold(library, [deleted('x', 0), moved('x', 1, 'm')])
    expect(placeIn(state, 'x')).toStrictEqual({ collection: 'x', generation: 1 })
    expect(placeIn(state, 'constructor')).toStrictEqual({ collection: 'constructor', generation: 0 })
  })
})

test('is erased once, and knows no collection after', () => {
  const erase: LibraryCommand = { type: 'EraseLibrary', accountId: 'a', at: 1 }
  const erased: LibraryEvent = { type: 'LibraryErased', accountId: 'a', at: 1 }
  given(library).when(erase).then(erased)
  given(library, deleted('x', 0)).when(erase).then(erased)
  given(library, deleted('x', 0), erased).when(erase).thenNothing()
  expect(fold(library, [deleted('x', 0), erased]).generations.size).toBe(0)
  const move: LibraryCommand = {
    type: 'MoveItems',
    accountId: 'a',
    collection: 'x',
    mediaIds: ['m'],
    at: 1,
  }
  for (const late of [deletion('x'), move])
    given(library, erased).when(late).thenFails(AccountIsClosed, { code: 'ACCOUNT_CLOSED' })
})
