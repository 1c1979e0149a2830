import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isoTime, timecode } from './clock.ts'

/** As far as a Date reaches: section 21.4.1.1 of ECMA-262. */
const FURTHEST = 8.64e15

const times = fc.oneof(
  fc.integer({ min: -FURTHEST, max: FURTHEST }),
  fc.double({ min: -FURTHEST, max: FURTHEST, noNaN: true }),
  fc.integer({ min: -3_000, max: 3_000 }),
)

test('isoTime writes every time as a Date does, whichever were written before', () => {
  const written = (time: number): string => new Date(time).toISOString()
  fc.assert(
    fc.property(fc.array(times), fc.array(fc.nat(2_500)), (some, steps) => {
      for (const time of some)
        for (const near of [time, ...steps.map((step) => time - step)])
          if (near >= -FURTHEST) expect(isoTime(near)).toBe(written(near))
    }),
  )
})

test.each([NaN, Infinity, -Infinity, FURTHEST + 1_000, -FURTHEST - 1])('isoTime(%s) is no time', (time) => {
  expect(() => isoTime(time)).toThrow(RangeError)
  expect(isoTime(0)).toBe('1970-01-01T00:00:00.000Z')
})

test.each([
  [0, '0:00'],
  [2.9, '0:02'],
  [61, '1:01'],
  [761, '12:41'],
  [3_599.99, '59:59'],
  [3_725, '1:02:05'],
])('timecode(%d) is %s', (seconds, text) => {
  expect(timecode(seconds)).toBe(text)
})
