import type { KeyFrame } from '@medialog/application/ports/understanding'
import { colorsOf } from '../extract/image-colors.ts'
import type { Picture } from './decoder.ts'

/** Share of one colour from which on a picture is plain. */
const PLAIN = 0.95
/** Share of pixels like their neighbour from which on a picture is drawn: cameras leave grain and shading everywhere. */
const DRAWN = 0.75
/** Per channel: what compression adds to an even surface. */
const ALIKE = 2

/** What a picture looks like, by its pixels alone. */
export function lookOf(picture: Picture): Omit<KeyFrame, 'time'> {
  const dominantColors = colorsOf(everySecond(picture))
  const brightness = Math.round(brightnessOf(picture) * 1000) / 1000
  return { dominantColors, brightness, kind: kindOf(picture, dominantColors) }
}

/** Every second pixel of every second row, red, green, blue and alpha: as many as main colours of images are counted by. */
function everySecond({ rgb, width, height }: Picture): Uint8Array {
  const [across, down] = [Math.ceil(width / 2), Math.ceil(height / 2)]
  const pixels = new Uint8Array(4 * across * down).fill(255)
  for (let y = 0, to = 0; y < height; y += 2)
    for (let x = 0; x < width; x += 2, to += 4) {
      const at = 3 * (y * width + x)
      pixels.set(rgb.subarray(at, at + 3), to)
    }
  return pixels
}

/** Mean luma (Rec. 709 weights) from 0, black, to 1, white. */
export function brightnessOf({ rgb }: Picture): number {
  let sum = 0
  for (let at = 0; at + 2 < rgb.length; at += 3)
    sum += 0.2126 * rgb[at]! + 0.7152 * rgb[at + 1]! + 0.0722 * rgb[at + 2]!
  return sum / (255 * Math.max(1, rgb.length / 3))
}

function kindOf(picture: Picture, [most]: KeyFrame['dominantColors']): KeyFrame['kind'] {
  if (most && most.share >= PLAIN) return 'plain'
  return evenness(picture) >= DRAWN ? 'drawing' : 'photo'
}

/** The share of pixels that look like the one to their right. */
function evenness({ rgb, width, height }: Picture): number {
  let alike = 0
  for (let y = 0; y < height; y++)
    for (let x = 0; x + 1 < width; x++) {
      const at = 3 * (y * width + x)
      const apart = Math.max(...[0, 1, 2].map((c) => Math.abs(rgb[at + c]! - rgb[at + 3 + c]!)))
      if (apart <= ALIKE) alike++
    }
  return alike / Math.max(1, (width - 1) * height)
}
