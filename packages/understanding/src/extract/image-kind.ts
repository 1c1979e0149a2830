import type { ImageFacts } from '@medialog/application/ports/understanding'
import type { Looked } from '../ocr/look.ts'

type Kind = NonNullable<ImageFacts['kind']>

interface Seen {
  /** Pixels of the picture, as shown. */
  width: number
  height: number
  exif: ImageFacts['exif']
  /** Red, green, blue and alpha of up to 160 × 160 pixels. */
  sample: Uint8Array
  looked: Looked
}

/** Shares are from 0 to 1. */
interface Measures {
  /** Pixels that have the same grey as their left neighbour, in a copy at most 1200 pixels wide and high. */
  flat: number
  /** Of the sample: see-through pixels, and of the others those lighter than grey 200 in every channel. */
  transparent: number
  light: number
  /** How far the channels of a visible pixel are apart on average, 0 to 255. */
  colorful: number
  /** Different colours among those, at 4 bits a channel. */
  colors: number
  /** Patches that stand in lines as letters do. */
  characters: number
}

/**
 * What a picture is, by what can be measured. Lenses, paper and sensors leave hardly two neighbours alike; what a
 * program draws is flat. Paper is light and hardly coloured, and has lines of writing; screens have them too. The
 * rules, what they were found on, and how far they are right: README.md.
 */
export function kindOf({ width, height, exif, sample, looked }: Seen): Kind {
  const measures = measure(sample, looked)
  const { flat, transparent, light, colorful, colors, characters } = measures
  const [small, large] = [Math.min(width, height), Math.max(width, height)]
  const written = characters >= 40
  const fromCamera = 'ExposureTime' in exif || 'FNumber' in exif

  if (large <= 64) return { name: 'icon', confidence: 0.8 }
  if (large <= 512 && small > 0.8 * large && transparent >= 0.2) return { name: 'icon', confidence: 0.7 }
  if (written && light >= 0.4 && colorful < 40 && (flat < 0.7 || (colors <= 2 && large >= 1000)))
    return { name: 'scan', confidence: flat < 0.5 ? 0.9 : 0.6 }
  if (fromCamera && flat < 0.8) return { name: 'photo', confidence: 0.95 }
  if (flat < 0.65 && transparent < 0.2) return { name: 'photo', confidence: flat < 0.5 ? 0.9 : 0.6 }
  if (characters >= 60) return { name: 'screenshot', confidence: fromCamera ? 0.5 : 0.6 }
  return { name: 'drawing', confidence: fromCamera || flat < 0.75 ? 0.5 : 0.7 }
}

function measure(sample: Uint8Array, { copy, lines }: Looked): Measures {
  let [visible, clear, light, apart] = [0, 0, 0, 0]
  const colors = new Set<number>()
  for (let at = 0; at + 4 <= sample.length; at += 4) {
    const [r, g, b] = [sample[at]!, sample[at + 1]!, sample[at + 2]!]
    if (sample[at + 3]! < 128) {
      clear++
      continue
    }
    visible++
    const least = Math.min(r, g, b)
    if (least > 200) light++
    apart += Math.max(r, g, b) - least
    colors.add(((r >> 4) << 8) | ((g >> 4) << 4) | (b >> 4))
  }
  return {
    flat: flatness(copy),
    transparent: clear / Math.max(1, visible + clear),
    light: light / Math.max(1, visible),
    colorful: apart / Math.max(1, visible),
    colors: colors.size,
    characters: lines.characters,
  }
}

function flatness({ width, height, pixels }: Looked['copy']): number {
  let same = 0
  for (let y = 0; y < height; y++)
    for (let x = 1, at = y * width + 1; x < width; x++, at++) if (pixels[at] === pixels[at - 1]) same++
  return same / Math.max(1, height * (width - 1))
}
