import { expect, test } from 'vitest'
import { Slots } from './slots.ts'

test('whoever waits has a turn, also where the one before it has nothing to do by then', () => {
  const slots = new Slots(1, 1)
  const taken: string[] = []
  const idle = () => void taken.push('idle')
  const busy = () => void (slots.take('b', busy) && taken.push('busy'))
  const left = () => void taken.push('left')
  expect(slots.take('a', idle)).toBe(true)
  for (const wait of [idle, left, busy]) expect(slots.take('b', wait)).toBe(false)
  slots.forget(left)
  slots.give('a')
  expect(taken).toEqual(['idle', 'busy'])
  expect(slots.take('a', idle)).toBe(false)
})

test('one account leaves room for others, and keeps its place among those who wait', () => {
  const slots = new Slots(4, 2)
  const taken: string[] = []
  const ofOne = () => void (slots.take('one', ofOne) && taken.push('one'))
  const ofOther = () => void (slots.take('other', ofOther) && taken.push('other'))
  for (const next of [ofOne, ofOne, ofOne, ofOther]) next()
  expect(taken).toEqual(['one', 'one', 'other'])
  for (const next of [ofOther, ofOther]) next()
  // It waits for its own, whatever others give.
  slots.give('other')
  expect(taken).toEqual(['one', 'one', 'other', 'other', 'other'])
  slots.give('one')
  expect(taken.at(-1)).toBe('one')
  expect(slots.take('third', () => undefined)).toBe(false)
})
