import { UnreadableFile } from '@medialog/application/ports/understanding'

export interface SvgSize {
  /** CSS pixels. */
  width: number
  height: number
  viewBox: string
}

/** CSS pixels of each unit (CSS Values 4, 6.2), a font size of 16 assumed where fonts decide. */
const UNITS: ReadonlyMap<string, number> = new Map(
  Object.entries({
    '': 1,
    px: 1,
    pt: 4 / 3,
    pc: 16,
    in: 96,
    cm: 96 / 2.54,
    mm: 9.6 / 2.54,
    q: 2.4 / 2.54,
    em: 16,
    rem: 16,
    ex: 8,
    ch: 8,
  }),
)
/** What a browser gives a drawing that states nothing (CSS 2.2, 10.3.2). */
const DEFAULT = { width: 300, height: 150 }
const LARGEST = 1e7

/**
 * The size that a drawing states: its width and height, what is missing from the shape of its view box.
 * @throws UnreadableFile `corrupted` for a size of nothing
 */
export function sizeOf(root: Readonly<Record<string, string>>): SvgSize {
  const box = (root['viewBox'] ?? '')
    .trim()
    .split(/[\s,]+/)
    .map(Number)
  const [, , across = NaN, down = NaN] = box.length === 4 && box.every(Number.isFinite) ? box : []
  const stated = { width: length(root['width']), height: length(root['height']) }
  const ratio = across > 0 && down > 0 ? across / down : null
  const width = stated.width ?? (stated.height !== null && ratio ? stated.height * ratio : null)
  const height = stated.height ?? (stated.width !== null && ratio ? stated.width / ratio : null)
  const size = {
    width: width ?? (ratio ? across : DEFAULT.width),
    height: height ?? (ratio ? down : DEFAULT.height),
  }
  if (!(size.width > 0 && size.height > 0 && size.width <= LARGEST && size.height <= LARGEST))
    throw new UnreadableFile('corrupted', 'The drawing states no size that it could be shown in.')
  return { ...size, viewBox: ratio ? box.join(' ') : `0 0 ${size.width} ${size.height}` }
}

/** Pixels of a CSS length; null where it depends on where the drawing is shown. */
function length(value: string | undefined): number | null {
  const [, number, unit = ''] =
    /^\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)\s*([a-z]*|%)\s*$/i.exec(value ?? '') ?? []
  const pixels = UNITS.get(unit.toLowerCase())
  return number === undefined || pixels === undefined ? null : Number(number) * pixels
}
