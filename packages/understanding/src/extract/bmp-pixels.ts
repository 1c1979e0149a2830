import type { BitmapHeader } from './bmp-header.ts'
import { damagedPixels } from './image-header.ts'
import type { PixelAt } from './image-sample.ts'

/** @throws UnreadableFile `corrupted` where the file ends before its last row */
export function bitmapPixels(bytes: Uint8Array, header: BitmapHeader): PixelAt {
  const { palette, height, topDown } = header
  const row = (y: number): number => (topDown ? y : height - 1 - y)
  if (header.packing !== 'plain') {
    const indices = unpacked(bytes, header)
    return (x, y) => colorOf(palette, indices[row(y) * header.width + x]!)
  }
  const stride = Math.ceil((header.width * header.bits) / 32) * 4
  if (header.offset + stride * (height - 1) + Math.ceil((header.width * header.bits) / 8) > bytes.length)
    throw damagedPixels()
  const read = packedPixel(bytes, header)
  return (x, y) => read(header.offset + stride * row(y), x)
}

/** An index beyond the palette is black, as viewers show it. */
const colorOf = (palette: readonly number[], index: number): number => palette[index] ?? 0xff

function packedPixel(bytes: Uint8Array, header: BitmapHeader): (start: number, x: number) => number {
  const { bits, palette, masks } = header
  if (bits <= 8) {
    const perByte = 8 / bits
    const mask = 2 ** bits - 1
    return (start, x) => {
      const shift = 8 - bits * ((x % perByte) + 1)
      return colorOf(palette, (bytes[start + Math.floor(x / perByte)]! >> shift) & mask)
    }
  }
  const size = bits / 8
  const value = (at: number): number => {
    let all = 0
    for (let index = size - 1; index >= 0; index--) all = all * 256 + bytes[at + index]!
    return all
  }
  if (!masks) return (start, x) => ((value(start + 3 * x) << 8) | 0xff) >>> 0
  const channels = [masks.red, masks.green, masks.blue].map(channel)
  const alpha = masks.alpha ? channel(masks.alpha) : () => 255
  return (start, x) => {
    const pixel = value(start + size * x)
    const [r = 0, g = 0, b = 0] = channels.map((read) => read(pixel))
    return ((r << 24) | (g << 16) | (b << 8) | alpha(pixel)) >>> 0
  }
}

/** The channel of a mask, spread over 0 to 255. */
function channel(mask: number): (pixel: number) => number {
  const shift = mask === 0 ? 0 : 31 - Math.clz32(mask & -mask)
  const most = mask >>> shift
  return (pixel) => (most === 0 ? 0 : Math.round((((pixel & mask) >>> shift) / most) * 255))
}

const END_OF_LINE = 0
const END_OF_PICTURE = 1
const SKIP = 2

/** Run-length encoding: pairs of count and value; a count of 0 is a command, or so many values as they are. */
function unpacked(bytes: Uint8Array, { width, height, offset, packing }: BitmapHeader): Uint8Array {
  const indices = new Uint8Array(width * height)
  const nibbles = packing === 'rle4'
  let [x, y] = [0, 0]
  const put = (index: number): void => {
    if (x < width && y < height) indices[y * width + x] = index
    x++
  }
  const half = (byte: number, at: number): number => (at % 2 === 0 ? byte >> 4 : byte & 15)
  for (let at = offset; y < height;) {
    if (at + 2 > bytes.length) {
      // The mark at the end may be missing, pixels may not.
      if (y === height - 1 && x >= width) break
      throw damagedPixels()
    }
    const [count = 0, value = 0] = bytes.subarray(at, at + 2)
    at += 2
    if (count > 0) {
      for (let index = 0; index < count; index++) put(nibbles ? half(value, index) : value)
    } else if (value === END_OF_PICTURE) break
    else if (value === END_OF_LINE) {
      x = 0
      y++
    } else if (value === SKIP) {
      x += bytes[at] ?? 0
      y += bytes[at + 1] ?? 0
      at += 2
    } else {
      const length = nibbles ? Math.ceil(value / 2) : value
      if (at + length > bytes.length) throw damagedPixels()
      for (let index = 0; index < value; index++)
        put(nibbles ? half(bytes[at + Math.floor(index / 2)]!, index) : bytes[at + index]!)
      at += length + (length % 2)
    }
  }
  return indices
}
