import { expect, test } from 'vitest'
import { Slots } from './slots.ts'

test('every waiting account has a turn, also where the one before it has nothing to do by then', () => {
  const slots = new Slots({ most: 1, mostOfOne: 1 })
  const taken: string[] = []
  const idle = () => void taken.push('idle')
  const busy = () => void (slots.take('b', busy) && taken.push('busy'))
  const left = () => void taken.push('left')
  expect(slots.take('a', idle)).toBe(true)
  for (const wait of [idle, left, busy]) expect(slots.take('b', wait)).toBe(false)
  slots.forget(left)
  slots.give('a', 1)
  expect(taken).toEqual(['idle', 'busy'])
  expect(slots.take('a', idle)).toBe(false)
})

test('one account leaves room for others, and keeps its place among those who wait', () => {
  const slots = new Slots({ most: 4, mostOfOne: 2 })
  const taken: string[] = []
  const ofOne = () => void (slots.take('one', ofOne) && taken.push('one'))
  const ofOther = () => void (slots.take('other', ofOther) && taken.push('other'))
  for (const next of [ofOne, ofOne, ofOne, ofOther]) next()
  expect(taken).toEqual(['one', 'one', 'other'])
  for (const next of [ofOther, ofOther]) next()
  // It waits for its own, whatever others give.
  slots.give('other', 1)
  expect(taken).toEqual(['one', 'one', 'other', 'other', 'other'])
  slots.give('one', 1)
  expect(taken.at(-1)).toBe('one')
  expect(slots.take('third', () => undefined)).toBe(false)
})

test('the last places are for accounts that have none', () => {
  const slots = new Slots({ most: 8, mostOfOne: 4, reserved: 2 })
  const nothing = () => undefined
  const take = (account: string, times: number) =>
    Array.from({ length: times }, () => slots.take(account, () => nothing())).filter(Boolean).length
  expect([take('a', 9), take('b', 9), take('c', 9), take('d', 9), take('e', 9)]).toEqual([4, 2, 1, 1, 0])
})

test('receivers that let requests wait cost their account its part, until others are quick again', () => {
  const slots = new Slots({ most: 32, mostOfOne: 8 })
  const nothing = () => undefined
  let taken = 0
  /** All that it may have now. */
  const takeAll = (): number => {
    while (slots.take('slow', nothing)) taken++
    slots.forget(nothing)
    return taken
  }
  const give = (times: number, milliseconds: number): void => {
    for (let time = 0; time < times; time++, taken--) slots.give('slow', milliseconds)
  }
  expect(takeAll()).toBe(8)
  give(1, 5_001)
  give(7, 10)
  expect(takeAll(), 'it is at the most again').toBe(8)
  give(8, 30_000)
  expect(takeAll()).toBe(1)
  give(1, 10)
  expect(takeAll()).toBe(2)
  expect(slots.take('quick', nothing)).toBe(true)
})
