import { expect, test } from 'vitest'
import { scaled, turned, type GreyPicture } from './grey-picture.ts'

const picture = (rows: readonly (readonly number[])[]): GreyPicture => ({
  width: rows[0]!.length,
  height: rows.length,
  pixels: Uint8Array.from(rows.flat()),
})
const rowsOf = ({ width, height, pixels }: GreyPicture): number[][] =>
  Array.from({ length: height }, (_, y) => [...pixels.subarray(y * width, (y + 1) * width)])

test.each([
  [
    0,
    [
      [1, 2, 3],
      [4, 5, 6],
    ],
  ],
  [
    1,
    [
      [4, 1],
      [5, 2],
      [6, 3],
    ],
  ],
  [
    2,
    [
      [6, 5, 4],
      [3, 2, 1],
    ],
  ],
  [
    3,
    [
      [3, 6],
      [2, 5],
      [1, 4],
    ],
  ],
] as const)('turned clockwise by %i quarters', (quarters, rows) => {
  expect(
    rowsOf(
      turned(
        picture([
          [1, 2, 3],
          [4, 5, 6],
        ]),
        quarters,
      ),
    ),
  ).toEqual(rows)
})

test('one size stays as it is, plain stays plain at any size', () => {
  const plain = picture(Array.from({ length: 9 }, () => Array.from({ length: 7 }, () => 77)))
  expect(scaled(plain, 1)).toBe(plain)
  for (const scale of [0.13, 0.5, 0.9, 1.7, 3]) {
    const other = scaled(plain, scale)
    expect([other.width, other.height]).toEqual([7, 9].map((side) => Math.max(1, Math.round(side * scale))))
    expect(new Set(other.pixels)).toEqual(new Set([77]))
  }
})

test('smaller is the mean of what falls on a pixel, no line is lost', () => {
  const lines = picture(
    Array.from({ length: 64 }, (_, y) => Array.from({ length: 64 }, () => (y % 4 === 0 ? 0 : 200))),
  )
  for (const level of scaled(lines, 0.125).pixels) expect(Math.abs(level - 150)).toBeLessThan(12)
})

test('at least one pixel, at most four times as large', () => {
  expect(scaled(picture([[5, 9]]), 0.01)).toMatchObject({ width: 1, height: 1 })
  expect(scaled(picture([[5, 9]]), 100)).toMatchObject({ width: 8, height: 4 })
})
