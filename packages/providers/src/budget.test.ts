import { expect, test } from 'vitest'
import { Budget } from './budget.ts'

const MINUTE = 60_000

test('what was taken is there again after an hour', () => {
  let now = 0
  const budget = new Budget(100, { now: () => now })
  const first = budget.reserve(60)
  expect(first).not.toBe(false)
  expect(budget.reserve(41)).toBe(false)
  if (first) first(70)
  expect(budget.left).toBe(30)
  now = 30 * MINUTE
  expect(budget.reserve(30)).not.toBe(false)
  now = 59 * MINUTE
  expect(budget.left).toBe(0)
  now = 60 * MINUTE
  expect(budget.left).toBe(70)
  now = 90 * MINUTE
  expect(budget.left).toBe(100)
})

test('more than was reserved may have been taken; nothing less than nothing is left', () => {
  const budget = new Budget(100)
  const correct = budget.reserve(100)
  if (correct) correct(250)
  expect(budget.left).toBe(0)
  expect(new Budget(null).left).toBeNull()
  expect(new Budget(null).reserve(1e12)).not.toBe(false)
})
