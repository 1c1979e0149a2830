import type { ImageFacts } from '@medialog/application/ports/understanding'
import type { Sharp } from 'sharp'

type Rgb = readonly [number, number, number]
type DominantColors = ImageFacts['dominantColors']

const SIDE = 160
const MOST_COLORS = 6
const SMALLEST_SHARE = 0.01
/** Distance in OKLab (0 to 1) within which two colours pass for one. */
const SAME = 0.09

/** Basic colour terms, each with typical sRGB values: pale, plain and dark ones where a name covers them. */
const NAMES: Record<string, string> = {
  black: '000000 191919',
  'dark gray': '464646',
  gray: '808080',
  'light gray': 'c8c8c8',
  white: 'ffffff f5f5f5',
  red: 'cd2828 e63c32 c85050 be4632',
  'dark red': '780f14',
  pink: 'faa0b9 f0c3c8 e18282',
  orange: 'fa8c14 ffaf5a',
  brown: '824b23 5a3723',
  beige: 'ebdcb9 d2b991',
  yellow: 'fae128 faf096',
  olive: '7d7d1e',
  green: '2da03c 5a965a',
  'light green': '96e696 bee6be',
  'dark green': '0f5023 2d5037',
  teal: '008282',
  cyan: '3cd7e1',
  'light blue': '91c3f0 bed7f0',
  blue: '2850be 32507d 5a7db9 2878dc',
  navy: '0f195a 1e284b',
  purple: '782d96 6e508c',
  magenta: 'dc32c8',
  lavender: 'c3b4eb',
}

/**
 * Most common colours of a picture, most common first, each the very value that occurs most among its likes. Shares
 * are of the visible pixels of a copy at most 160 pixels wide and high, taken without blending neighbours.
 */
export async function dominantColors(picture: Sharp): Promise<DominantColors> {
  const { data } = await picture
    .resize(SIDE, SIDE, { fit: 'inside', kernel: 'nearest', withoutEnlargement: true })
    .toColourspace('srgb')
    .ensureAlpha()
    .raw({ depth: 'uchar' })
    .toBuffer({ resolveWithObject: true })
  return colorsOf(data)
}

/** The same of pixels that are at hand: red, green, blue, alpha. */
export const colorsOf = (pixels: Uint8Array): DominantColors => grouped(countColors(pixels))

/** A colour's hex form and the name of the basic term nearest to it. */
export function namedColor(red: number, green: number, blue: number): { hex: string; name: string } {
  const rgb: Rgb = [red, green, blue]
  return { hex: hex(rgb), name: nearest(NAMED, oklab(rgb)).name }
}

function countColors(pixels: Uint8Array): Map<number, number> {
  const counts = new Map<number, number>()
  for (let at = 0; at + 4 <= pixels.length; at += 4) {
    if (pixels[at + 3]! < 128) continue
    const rgb = (pixels[at]! << 16) | (pixels[at + 1]! << 8) | pixels[at + 2]!
    counts.set(rgb, (counts.get(rgb) ?? 0) + 1)
  }
  return counts
}

/** Each colour, the most frequent first, joins the nearest group that looks the same, else founds one. */
function grouped(counts: Map<number, number>): DominantColors {
  const groups: { rgb: Rgb; lab: Rgb; count: number }[] = []
  let total = 0
  for (const [value, count] of [...counts].sort((a, b) => b[1] - a[1] || a[0] - b[0])) {
    total += count
    const rgb = rgbOf(value)
    const lab = oklab(rgb)
    const near = groups.length > 0 ? nearest(groups, lab) : null
    if (near && distance(near.lab, lab) <= SAME) near.count += count
    else if (groups.length < 64) groups.push({ rgb, lab, count })
    else near!.count += count
  }
  return groups
    .sort((a, b) => b.count - a.count)
    .slice(0, MOST_COLORS)
    .map(({ rgb, count }) => ({
      ...namedColor(...rgb),
      share: Math.floor((count / total) * 1000) / 1000,
    }))
    .filter(({ share }) => share >= SMALLEST_SHARE)
}

function nearest<Of extends { lab: Rgb }>(candidates: readonly Of[], lab: Rgb): Of {
  let best = candidates[0]!
  for (const candidate of candidates)
    if (distance(candidate.lab, lab) < distance(best.lab, lab)) best = candidate
  return best
}

const distance = (a: Rgb, b: Rgb): number => Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2])

const rgbOf = (value: number): Rgb => [value >> 16, (value >> 8) & 255, value & 255]

const hex = (rgb: Rgb): string =>
  `#${rgb
    .map((value) => value.toString(16).padStart(2, '0'))
    .join('')
    .toUpperCase()}`

/** sRGB to OKLab, where distance is close to how different colours look (Ottosson, 2020). */
function oklab(rgb: Rgb): Rgb {
  const [r, g, b] = rgb.map((value) => {
    const x = value / 255
    return x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4
  }) as unknown as Rgb
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b)
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b)
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b)
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ]
}

const NAMED = Object.entries(NAMES).flatMap(([name, typical]) =>
  typical.split(' ').map((digits) => ({ name, lab: oklab(rgbOf(Number.parseInt(digits, 16))) })),
)
