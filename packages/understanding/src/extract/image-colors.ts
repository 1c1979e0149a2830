import type { ImageFacts } from '@medialog/application/ports/understanding'
import type { Sharp } from 'sharp'

type Rgb = readonly [number, number, number]
type DominantColors = ImageFacts['dominantColors']

const SIDE = 160
const MOST_COLORS = 6
const SMALLEST_SHARE = 0.01
/** Distance in OKLab (0 to 1) within which two colours pass for one. */
const SAME = 0.09

/** Names of greys, each up to a lightness in OKLab. */
const GREYS = [
  [0.26, 'black'],
  [0.5, 'dark gray'],
  [0.76, 'gray'],
  [0.925, 'light gray'],
  [Infinity, 'white'],
] as const

/** Basic colour terms, each with typical sRGB values: pale, plain and dark ones where a name covers them. */
const NAMES: Record<string, string> = {
  red: 'cd2828 e63c32 c85050 be4632 ff0000',
  'dark red': '780f14 3c0a0a 5a1e1e',
  pink: 'faa0b9 f0c3c8 e18282 ffe1e6',
  orange: 'fa8c14 ffaf5a d2691e',
  brown: '824b23 5a3723 a0522d c8823c 2d1c18 785a46',
  beige: 'ebdcb9 d2b991 f5f0dc fff8d7',
  yellow: 'fae128 faf096 ffffc8',
  olive: '7d7d1e a5a046 3c3c14',
  green: '2da03c 5a965a 00ff00 32cd32',
  'light green': '96e696 bee6be 8cbe8c e1ffe1',
  'dark green': '0f5023 2d5037 1b2a1b',
  teal: '008282 20a8a0 1e4646 002b36',
  cyan: '3cd7e1 c8ffff',
  'light blue': '91c3f0 bed7f0 e1f0ff',
  blue: '2850be 32507d 5a7db9 2878dc',
  navy: '0f195a 1e284b 0a0a28',
  purple: '782d96 6e508c 4b0082 280a32',
  magenta: 'dc32c8 c71585',
  lavender: 'c3b4eb d8bfd8 ebe6ff',
}

/** Pixels of a copy at most 160 wide and high, taken without blending neighbours: red, green, blue, alpha. */
export async function colorSample(picture: Sharp): Promise<Uint8Array> {
  const { data } = await picture
    .resize(SIDE, SIDE, { fit: 'inside', kernel: 'nearest', withoutEnlargement: true })
    .toColourspace('srgb')
    .ensureAlpha()
    .raw({ depth: 'uchar' })
    .toBuffer({ resolveWithObject: true })
  return data
}

/**
 * Most common colours of a sample, most common first, each the very value that occurs most among its likes. Shares
 * are of the visible pixels.
 */
export const colorsOf = (sample: Uint8Array): DominantColors => grouped(countColors(sample))

/** A colour's hex form and the name of the basic term nearest to it. */
export function namedColor(...rgb: Rgb): { hex: string; name: string } {
  return { hex: hex(rgb), name: nameOf(oklab(rgb)) }
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

/** A grey is named by its lightness alone; a colour never by a grey, however dark or pale it is. */
const nameOf = (lab: Rgb): string =>
  isGrey(lab) ? GREYS.find(([most]) => lab[0] <= most)![1] : nearest(NAMED, lab).name

/** By how far it is from grey: in the dark colours are not seen as such, on white the faintest are. */
function isGrey([lightness, a, b]: Rgb): boolean {
  const least = lightness > 0.925 ? 0.018 : lightness < 0.2 ? 0.045 : 0.035
  return Math.hypot(a, b) < least
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
