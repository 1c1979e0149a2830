import { expect, test } from 'vitest'
import { createRestarts } from './restarts.ts'

test('at once after the first death, ever later after the next, at once again after a long life', () => {
  let now = 1_000
  const restarts = createRestarts({ now: () => now })
  const pauses = Array.from({ length: 10 }, () => {
    restarts.started()
    restarts.died()
    return restarts.pause()
  })
  expect(pauses).toEqual([0, 250, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000])
  now += 29_000
  expect(restarts.pause()).toBe(1_000)
  now += 1_000
  expect(restarts.pause()).toBe(0)
  restarts.started()
  now += 60_001
  restarts.died()
  expect(restarts.pause()).toBe(0)
})
