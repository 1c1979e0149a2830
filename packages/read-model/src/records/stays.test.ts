import { expect, test } from 'vitest'
import { MOST_KNOWN, OPEN_END, staysOf, toldBy, type Telling, type ToldItem } from './stays.ts'

const store = (at: number, placeId: string | null, mediaType = 'document'): Telling =>
  ({ type: 'StoreItem', mediaType, placeId, at }) as Telling
const move = (at: number, placeId: string): Telling => ({ type: 'MoveItems', placeId, at })

const told = (...changes: Telling[]): ToldItem =>
  changes.reduce<ToldItem | null>((item, change, index) => toldBy(change, index + 1, item), null)!
const spans = (item: ToldItem) =>
  staysOf(item).map(({ from, until, mediaType, placeId }) => [from, until, mediaType, placeId])

test('an ingest and a move each begin a stay', () => {
  expect(spans(told(store(10, 'a'), move(20, 'b'), store(30, null, 'image'), store(40, 'c')))).toEqual([
    [10, 20, 'document', 'a'],
    [20, 30, 'document', 'b'],
    [30, 40, 'image', 'b'],
    [40, OPEN_END, 'document', 'c'],
  ])
})

test('what came later in the log was later, whatever the clock of its process said', () => {
  expect(spans(told(store(30, 'a'), move(10, 'b'), store(20, null, 'image')))).toEqual([
    [30, OPEN_END, 'image', 'b'],
  ])
  const life = { createdAt: 10, until: 20, stays: [{ from: 10, mediaType: 'audio', placeId: 'a' } as const] }
  const deletion: Telling = { type: 'EndLives', lives: [life] }
  expect(spans(told(deletion, store(15, 'b')))).toEqual([
    [10, 20, 'audio', 'a'],
    [20, OPEN_END, 'document', 'b'],
  ])
})

test('moves of an item whose ingest is erased have what its deletion records', () => {
  const stays = [
    { from: 10, mediaType: 'document', placeId: 'a' },
    { from: 30, mediaType: 'image', placeId: null },
  ] as const
  const deletion: Telling = {
    type: 'EndLives',
    lives: [{ createdAt: 10, until: 40, stays: [...stays] }],
  }
  const moves = [move(20, 'b'), move(50, 'c')]
  for (const changes of [
    [...moves, deletion],
    [store(10, 'a'), ...moves, deletion],
  ])
    expect(spans(told(...changes))).toEqual([
      [10, 20, 'document', 'a'],
      [20, 30, 'document', 'b'],
      [30, 40, 'image', 'b'],
    ])
})

test('of an item that is moved ever so often it is known that it was there, and not where at first', () => {
  const moves = Array.from({ length: MOST_KNOWN + 5 }, (_, index) => move(20 + index, `place ${index}`))
  const all = staysOf(told(store(10, 'a'), ...moves))
  expect(all).toHaveLength(MOST_KNOWN + 1)
  expect(all.slice(0, 3).map(({ from, placeId, placePosition }) => [from, placeId, placePosition])).toEqual([
    [10, 'a', 1],
    [20, null, null],
    [26, 'place 6', 8],
  ])
})

test('of an item that is replaced ever so often it is known that it was there, and not as what at first', () => {
  const stores = Array.from({ length: MOST_KNOWN + 5 }, (_, index) =>
    store(10 + index, index === 0 ? 'a' : null),
  )
  const all = staysOf(told(...stores))
  expect(all).toHaveLength(MOST_KNOWN)
  expect(all.slice(0, 2)).toMatchObject([
    { createdAt: 10, from: 10, until: 16, ingestPosition: null, placeId: null },
    { createdAt: 10, from: 16, ingestPosition: 7 },
  ])
})
