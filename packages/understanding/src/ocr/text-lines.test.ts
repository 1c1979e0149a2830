import { describe, expect, test } from 'vitest'
import { noisyPicture } from '../testing/noisy-picture.ts'
import { turned, type GreyPicture } from './grey-picture.ts'
import { textLines } from './text-lines.ts'

interface Strokes {
  lines: number
  letters: number
  ink?: number
  paper?: number
}

/** Something like writing: boxes of two heights on a foot, every tenth a space. */
function written({ lines, letters, ink = 20, paper = 240 }: Strokes): GreyPicture {
  const [width, height] = [600, 400]
  const pixels = new Uint8Array(width * height).fill(paper)
  for (let line = 0; line < lines; line++)
    for (let letter = 0; letter < letters; letter++) {
      if (letter % 10 === 9) continue
      const tall = letter % 3 === 0 ? 14 : 10
      const [left, foot] = [20 + 12 * letter, 40 + 30 * line]
      for (let y = foot - tall; y < foot; y++) pixels.fill(ink, y * width + left, y * width + left + 7)
    }
  return { width, height, pixels }
}

const greyOfNoise = (width: number, height: number): GreyPicture => {
  const { data } = noisyPicture(width, height)
  return {
    width,
    height,
    pixels: Uint8Array.from({ length: width * height }, (_, pixel) => data[3 * pixel]!),
  }
}

describe('lines of writing are seen before they are read', () => {
  test.each([
    ['dark on light', {}],
    ['light on dark', { ink: 230, paper: 30 }],
    ['faint', { ink: 150, paper: 210 }],
  ])('%s', (_, colors) => {
    const lines = textLines(written({ lines: 5, letters: 40, ...colors }))
    expect(lines).toMatchObject({ worthReading: true, quarters: 0, height: 10 })
    expect(lines.characters).toBeGreaterThan(120)
  })

  test.each([1, 2, 3] as const)('turned by %i quarters, and how to turn it back', (quarters) => {
    const back = ((4 - quarters) % 4) as 1 | 2 | 3
    expect(textLines(turned(written({ lines: 5, letters: 30 }), quarters))).toMatchObject({
      worthReading: true,
      quarters: back,
    })
  })

  test('one short word is enough', () => {
    expect(textLines(written({ lines: 1, letters: 8 })).worthReading).toBe(true)
  })
})

describe('other things are not taken for it', () => {
  test.each([
    ['grain', greyOfNoise(600, 400)],
    ['nothing', { width: 300, height: 200, pixels: new Uint8Array(60_000).fill(255) }],
    ['a single pixel', { width: 1, height: 1, pixels: new Uint8Array(1) }],
    [
      'a single row',
      { width: 900, height: 1, pixels: new Uint8Array(900).map((_, x) => (x % 9 < 4 ? 0 : 255)) },
    ],
    ['two letters', written({ lines: 1, letters: 2 })],
  ])('%s', (_, picture) => {
    expect(textLines(picture).worthReading).toBe(false)
  })
})
