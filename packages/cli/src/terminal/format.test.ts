import { expect, test } from 'vitest'
import { bar } from './bar.ts'
import { bytes, dollars, seconds } from './format.ts'
import { wantsColours, widthFor } from './look.ts'
import { widthOf } from './text.ts'

test.each([
  [0.04, '$0.04'],
  [10, '$10.00'],
  [0.1 + 0.2, '$0.30'],
  [0.000000123, '$0.000000123'],
  [-0.5, '-$0.50'],
  [1_500_000_000n, '$1.50'],
])('%s USD', (amount, said) => {
  expect(dollars(amount)).toBe(said)
})

test.each([
  [0, '0 B'],
  [999, '999 B'],
  [1000, '1.0 kB'],
  [99_949, '99.9 kB'],
  [123_456, '123 kB'],
  [999_999, '1.0 MB'],
  [5_000_000_000, '5.0 GB'],
])('%i bytes', (number, said) => {
  expect(bytes(number)).toBe(said)
})

test.each([
  [432, '0.4 s'],
  [12_000, '12 s'],
  [185_000, '3 min 05 s'],
])('%i milliseconds', (number, said) => {
  expect(seconds(number)).toBe(said)
})

test.each([-1, 0, 0.01, 0.5, 0.999, 1, 2, Number.NaN])('a bar of %d is as wide as it should be', (ratio) => {
  expect(widthOf(bar(ratio, 10))).toBe(10)
})

test('a bar is full only when all is done', () => {
  expect([bar(0, 4), bar(0.5, 4), bar(1, 4)]).toEqual(['░░░░', '██░░', '████'])
})

test('colours are for terminals, and for whoever asks', () => {
  expect(wantsColours({ isTTY: true }, {})).toBe(true)
  expect(wantsColours({ isTTY: true }, { NO_COLOR: '1' })).toBe(false)
  expect(wantsColours({ isTTY: true }, { TERM: 'dumb' })).toBe(false)
  expect(wantsColours({}, {})).toBe(false)
  expect(wantsColours({}, { FORCE_COLOR: '1' })).toBe(true)
  expect(wantsColours({}, { FORCE_COLOR: '1', NO_COLOR: '1' })).toBe(false)
})

test('the width is the terminal’s, or COLUMNS, or without bound', () => {
  expect(widthFor({ isTTY: true, columns: 120 }, {})).toBe(120)
  expect(widthFor({}, { COLUMNS: '60' })).toBe(60)
  expect(widthFor({}, {})).toBe(Infinity)
})
