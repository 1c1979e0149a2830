import { scaled, type GreyPicture } from '../ocr/grey-picture.ts'
import { greyOf, type PdfImage } from './pdf-image.ts'
import type { PdfPage } from './pdf-document.ts'

/** What a page draws, as pdf.js lists it. */
export type Drawn = Awaited<ReturnType<PdfPage['getOperatorList']>>

/** a, b, c, d, e, f of ISO 32000-1, 8.3.3: x' = a·x + c·y + e, y' = b·x + d·y + f. */
type Matrix = readonly [number, number, number, number, number, number]

/** pdf.js's numbers of its operators (its OPS table). */
const SAVE = 10
const RESTORE = 11
const TRANSFORM = 12
const FORM_BEGINS = 74
const FORM_ENDS = 75
const PAINT_MASK = 83
const PAINT_PICTURE = 85
const PAINT_INLINE_PICTURE = 86

const IDENTITY: Matrix = [1, 0, 0, 1, 0, 0]
const MOST_PIXELS = 8e6
/** Of the pictures themselves, all that a page shows together: what comes after is left out. */
const MOST_DECODED_PIXELS = 64e6
const MOST_PICTURES = 500
/** And so many times the page over. */
const MOST_LAYERS = 4

interface Placed {
  image: PdfImage
  /** From the unit square to the page as shown, in points from its upper left corner. */
  matrix: Matrix
}

/** A page's pictures as they stand on it, without what else is drawn. */
export interface PagePicture {
  picture: GreyPicture
  /** Share of the page that they cover, counted double where they lie above one another, at most 1. */
  coverage: number
}

/** Null where the page shows no picture. */
export async function pagePicture(page: PdfPage, drawn: Drawn): Promise<PagePicture | null> {
  const viewport = page.getViewport({ scale: 1 })
  const area = viewport.width * viewport.height
  if (!(area > 0 && area < Infinity)) return null
  const all = await placedImages(page, drawn, viewport.transform as unknown as Matrix)
  let covered = 0
  const placed = all.filter(({ matrix }, index) => {
    covered += areaOf(matrix)
    return index === 0 || covered <= MOST_LAYERS * area
  })
  if (placed.length === 0) return null
  const largest = placed.reduce((first, other) =>
    areaOf(other.matrix) > areaOf(first.matrix) ? other : first,
  )
  const scale = Math.min(density(largest), Math.sqrt(MOST_PIXELS / area))
  const width = Math.max(1, Math.round(viewport.width * scale))
  const height = Math.max(1, Math.round(viewport.height * scale))
  const picture: GreyPicture = { width, height, pixels: new Uint8Array(width * height).fill(255) }
  for (const one of placed) draw(one, scale, picture)
  return { picture, coverage: Math.min(1, covered / area) }
}

async function placedImages(page: PdfPage, { fnArray, argsArray }: Drawn, shown: Matrix): Promise<Placed[]> {
  const placed: Placed[] = []
  const saved: Matrix[] = []
  let current = IDENTITY
  let pixels = 0
  for (const [index, operator] of fnArray.entries()) {
    const args = (argsArray[index] ?? []) as unknown[]
    if (operator === SAVE) saved.push(current)
    else if (operator === RESTORE || operator === FORM_ENDS) current = saved.pop() ?? current
    else if (operator === TRANSFORM) current = product(current, asMatrix(args))
    else if (operator === FORM_BEGINS) {
      saved.push(current)
      current = product(current, asMatrix(args[0]))
    } else if (operator === PAINT_PICTURE || operator === PAINT_INLINE_PICTURE || operator === PAINT_MASK) {
      const image = await imageOf(page, args[0], operator === PAINT_MASK)
      const matrix = product(shown, current)
      pixels += image ? image.width * image.height : 0
      if (pixels > MOST_DECODED_PIXELS || placed.length >= MOST_PICTURES) break
      if (image && areaOf(matrix) > 0 && areaOf(matrix) < Infinity) placed.push({ image, matrix })
    }
  }
  return placed
}

/** pdf.js hands a picture out by its name, small ones as they are; null where it could not be decoded. */
async function imageOf(page: PdfPage, named: unknown, mask: boolean): Promise<PdfImage | null> {
  const stated = named as PdfImage & { data?: unknown }
  const name = typeof named === 'string' ? named : mask ? stated?.data : null
  const image =
    typeof name !== 'string'
      ? stated
      : await new Promise<PdfImage | null>((resolve) =>
          (name.startsWith('g_') ? page.commonObjs : page.objs).get(name, resolve),
        )
  if (!(image?.data instanceof Uint8Array || image?.data instanceof Uint8ClampedArray)) return null
  const { width, height } = mask ? stated : image
  return { ...image, width, height, mask }
}

/** Pixels a point. */
const density = ({ image, matrix }: Placed): number =>
  Math.sqrt((image.width * image.height) / areaOf(matrix))

function draw({ image, matrix }: Placed, scale: number, onto: GreyPicture): void {
  const smaller = Math.min(1, scale / density({ image, matrix }))
  const source = scaled(greyOf(image), smaller)
  const [a, b, c, d, e, f] = matrix.map((value) => value * scale) as unknown as Matrix
  const determinant = a * d - b * c
  const [left, right] = range([e, e + a, e + c, e + a + c], onto.width)
  const [top, bottom] = range([f, f + b, f + d, f + b + d], onto.height)
  for (let y = top; y < bottom; y++)
    for (let x = left; x < right; x++) {
      const [dx, dy] = [x + 0.5 - e, y + 0.5 - f]
      const u = (d * dx - c * dy) / determinant
      const v = (a * dy - b * dx) / determinant
      if (u < 0 || u >= 1 || v <= 0 || v > 1) continue
      const pixel =
        source.pixels[Math.floor((1 - v) * source.height) * source.width + Math.floor(u * source.width)]!
      // A mask paints its ink and leaves the rest as it is.
      const at = y * onto.width + x
      onto.pixels[at] = image.mask ? Math.min(onto.pixels[at]!, pixel) : pixel
    }
}

const range = (values: readonly number[], most: number): [number, number] => [
  Math.max(0, Math.floor(Math.min(...values))),
  Math.min(most, Math.ceil(Math.max(...values))),
]

const areaOf = ([a, b, c, d]: Matrix): number => Math.abs(a * d - b * c)

/** First `inner`, then `outer`. */
const product = (outer: Matrix, inner: Matrix): Matrix => {
  const [a, b, c, d, e, f] = outer
  const [g, h, i, j, k, l] = inner
  return [a * g + c * h, b * g + d * h, a * i + c * j, b * i + d * j, a * k + c * l + e, b * k + d * l + f]
}

function asMatrix(values: unknown): Matrix {
  const numbers = ArrayBuffer.isView(values) || Array.isArray(values) ? Array.from(values as number[]) : []
  return numbers.length === 6 && numbers.every(Number.isFinite) ? (numbers as unknown as Matrix) : IDENTITY
}
