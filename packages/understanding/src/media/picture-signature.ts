import type { Picture } from './decoder.ts'

/** How a picture looks at a glance: which colours it has, and where. */
export interface PictureSignature {
  /** Share of the pixels by colour, `LEVELS` levels a channel, each pixel split between the two nearest. */
  colors: Float64Array
  /** Mean red, green and blue (0 to 255) of `CELLS` × `CELLS` cells. */
  layout: Float64Array
}

const LEVELS = 4
const CELLS = 8

export function signatureOf({ rgb, width, height }: Picture): PictureSignature {
  const colors = new Float64Array(LEVELS ** 3)
  const layout = new Float64Array(3 * CELLS * CELLS)
  const counted = new Float64Array(CELLS * CELLS)
  for (let y = 0, at = 0; y < height; y++)
    for (let x = 0; x < width; x++, at += 3) {
      const cell = CELLS * Math.floor((y * CELLS) / height) + Math.floor((x * CELLS) / width)
      counted[cell]!++
      for (let channel = 0; channel < 3; channel++) layout[3 * cell + channel]! += rgb[at + channel]!
      addColor(colors, rgb[at]!, rgb[at + 1]!, rgb[at + 2]!, 1 / (width * height))
    }
  return { colors, layout: layout.map((sum, index) => sum / Math.max(1, counted[Math.floor(index / 3)]!)) }
}

/** A colour between two levels counts for both: noise does not make it another one. */
function addColor(colors: Float64Array, r: number, g: number, b: number, share: number): void {
  for (const [red, ofRed] of levelsOf(r))
    for (const [green, ofGreen] of levelsOf(g))
      for (const [blue, ofBlue] of levelsOf(b))
        colors[(red * LEVELS + green) * LEVELS + blue]! += share * ofRed * ofGreen * ofBlue
}

/** By value: the level below with its share, the one above with the rest. */
const LEVELS_BY_VALUE = Array.from({ length: 256 }, (_, value) => {
  const place = (value / 255) * (LEVELS - 1)
  const below = Math.min(LEVELS - 2, Math.floor(place))
  return [
    [below, below + 1 - place],
    [below + 1, place - below],
  ] as const
})

const levelsOf = (value: number) => LEVELS_BY_VALUE[value]!

/**
 * 0 for the same picture, 1 for one without anything in common: half of it by the colours that they do not share, half
 * by how far the cells' means lie apart (a third of the range is as far as it gets).
 */
export function difference(a: PictureSignature, b: PictureSignature): number {
  let shared = 0
  for (const [index, share] of a.colors.entries()) shared += Math.min(share, b.colors[index]!)
  let apart = 0
  for (const [index, value] of a.layout.entries()) apart += Math.abs(value - b.layout[index]!)
  return (1 - shared) / 2 + Math.min(1, (3 * apart) / (255 * a.layout.length)) / 2
}
