import { expect, test } from 'vitest'
import { createSystemClock } from './system-clock.ts'

const HOUR = 3_600_000

function machine() {
  const time = { wall: 1_000 * HOUR, ran: 5 * HOUR }
  const clock = createSystemClock({ wall: () => time.wall, ran: () => time.ran })
  const pass = (hours: number): void => {
    time.wall += hours * HOUR
    time.ran += hours * HOUR
  }
  return { time, clock, pass }
}

test('is believed however long the machine runs or sleeps', () => {
  const { clock, pass, time } = machine()
  expect(clock.now()).toBe(time.wall)
  pass(24 * 400)
  expect(clock.trouble!()).toBeNull()
})

test('is trouble while it is more than a day ahead', () => {
  const { clock, pass, time } = machine()
  pass(1)
  time.wall += 24 * HOUR
  expect(clock.trouble!()).toBeNull()
  time.wall += 341 * HOUR
  pass(1)
  expect(clock.trouble!()).toContain('the system clock is 365 hours ahead')
  time.wall -= 365 * HOUR
  expect(clock.trouble!()).toBeNull()
})

test('is believed when it is set back, and from then on', () => {
  const { clock, pass, time } = machine()
  time.wall -= 8_760 * HOUR
  expect(clock.trouble!()).toBeNull()
  pass(2)
  time.wall += 48 * HOUR
  expect(clock.trouble!()).toContain('48 hours ahead')
})

test('the machine of this test has a clock that is believed', () => {
  const clock = createSystemClock()
  expect(Math.abs(clock.now() - Date.now())).toBeLessThan(1_000)
  expect(clock.trouble!()).toBeNull()
})
