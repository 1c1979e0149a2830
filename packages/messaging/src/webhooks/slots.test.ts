import { expect, test } from 'vitest'
import { Slots } from './slots.ts'

test('whoever waits has a turn, also where the one before it has nothing to do by then', () => {
  const slots = new Slots(1)
  const taken: string[] = []
  const idle = () => void taken.push('idle')
  const busy = () => void (slots.take(busy) && taken.push('busy'))
  const left = () => void taken.push('left')
  expect(slots.take(idle)).toBe(true)
  for (const wait of [idle, left, busy]) expect(slots.take(wait)).toBe(false)
  slots.forget(left)
  slots.give()
  expect(taken).toEqual(['idle', 'busy'])
  expect(slots.take(idle)).toBe(false)
})
