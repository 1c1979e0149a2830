/** A picture of one channel: a byte a pixel, row by row, 0 is black. */
export interface GreyPicture {
  width: number
  height: number
  pixels: Uint8Array
}

/** At most this much wider or higher than it was. */
const MOST_ENLARGED = 4

/** The same picture `scale` times as wide and high: smaller by means of what falls on a pixel, larger by bilinear steps. */
export function scaled(picture: GreyPicture, scale: number): GreyPicture {
  const factor = Math.min(scale, MOST_ENLARGED)
  const width = Math.max(1, Math.round(picture.width * factor))
  const height = Math.max(1, Math.round(picture.height * factor))
  if (width === picture.width && height === picture.height) return picture
  const across = weightsOf(picture.width, width)
  const down = weightsOf(picture.height, height)
  return vertically(horizontally(picture, width, across), height, down)
}

/** Which sources a target pixel is made of, and how much of each: `first[i]`, then `taps` weights from `i * taps`. */
interface Weights {
  first: Int32Array
  taps: number
  shares: Float32Array
}

/** A triangle as wide as a source or a target pixel, whichever is wider. */
function weightsOf(from: number, to: number): Weights {
  const ratio = from / to
  const radius = Math.max(1, ratio)
  const taps = Math.ceil(2 * radius) + 1
  const first = new Int32Array(to)
  const shares = new Float32Array(to * taps)
  for (let target = 0; target < to; target++) {
    const centre = (target + 0.5) * ratio - 0.5
    const start = Math.min(Math.max(0, Math.ceil(centre - radius)), Math.max(0, from - taps))
    first[target] = start
    let sum = 0
    for (let tap = 0; tap < taps && start + tap < from; tap++) {
      const share = Math.max(0, 1 - Math.abs(start + tap - centre) / radius)
      shares[target * taps + tap] = share
      sum += share
    }
    for (let tap = 0; tap < taps; tap++) shares[target * taps + tap]! /= sum
  }
  return { first, taps, shares }
}

function horizontally(picture: GreyPicture, width: number, { first, taps, shares }: Weights): GreyPicture {
  const pixels = new Uint8Array(width * picture.height)
  for (let y = 0; y < picture.height; y++) {
    const row = y * picture.width
    for (let x = 0; x < width; x++) {
      let sum = 0.5
      const start = row + first[x]!
      for (let tap = 0, at = x * taps; tap < taps; tap++, at++)
        if (shares[at]! > 0) sum += shares[at]! * picture.pixels[start + tap]!
      pixels[y * width + x] = sum
    }
  }
  return { width, height: picture.height, pixels }
}

function vertically(picture: GreyPicture, height: number, { first, taps, shares }: Weights): GreyPicture {
  const { width } = picture
  const pixels = new Uint8Array(width * height)
  const sums = new Float32Array(width)
  for (let y = 0; y < height; y++) {
    sums.fill(0.5)
    for (let tap = 0; tap < taps; tap++) {
      const share = shares[y * taps + tap]!
      if (share === 0) continue
      const row = (first[y]! + tap) * width
      for (let x = 0; x < width; x++) sums[x]! += share * picture.pixels[row + x]!
    }
    for (let x = 0; x < width; x++) pixels[y * width + x] = sums[x]!
  }
  return { width, height, pixels }
}

/** Turned clockwise by so many quarters. */
export function turned(picture: GreyPicture, quarters: 0 | 1 | 2 | 3): GreyPicture {
  if (quarters === 0) return picture
  const { width, height, pixels: from } = picture
  const [across, down] = quarters === 2 ? [width, height] : [height, width]
  const pixels = new Uint8Array(from.length)
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const [toX, toY] =
        quarters === 1
          ? [height - 1 - y, x]
          : quarters === 2
            ? [width - 1 - x, height - 1 - y]
            : [y, width - 1 - x]
      pixels[toY * across + toX] = from[y * width + x]!
    }
  return { width: across, height: down, pixels }
}
