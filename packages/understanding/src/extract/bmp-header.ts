import { UnreadableFile } from '@medialog/application/ports/understanding'

/** How the pixels are packed; JPEG and PNG inside a bitmap (for printers only) are not read. */
export type Packing = 'plain' | 'rle8' | 'rle4'

export interface BitmapHeader {
  width: number
  height: number
  /** The first row stored is the top one. */
  topDown: boolean
  /** 1, 2, 4, 8, 16, 24 or 32 bits a pixel. */
  bits: number
  packing: Packing
  /** `0xRRGGBBAA` by index; empty beyond 8 bits. */
  palette: number[]
  /** Where the channels stand in a pixel of 16 or 32 bits. */
  masks?: { red: number; green: number; blue: number; alpha: number }
  /** Where the pixels begin in the file. */
  offset: number
}

const FILE_HEADER = 14
const CORE_HEADER = 12
const MASKS_AT = 54

const damaged = (): UnreadableFile =>
  new UnreadableFile('corrupted', 'The picture is damaged: its header contradicts itself.')

/** BITMAPFILEHEADER and the header of any version behind it. @throws UnreadableFile */
export function readBitmapHeader(bytes: Uint8Array): BitmapHeader {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  if (file.length < FILE_HEADER + CORE_HEADER) throw damaged()
  const size = file.readUInt32LE(FILE_HEADER)
  const core = size === CORE_HEADER
  if ((!core && size < 16) || FILE_HEADER + size > file.length) throw damaged()
  const height = core ? file.readUInt16LE(20) : file.readInt32LE(22)
  const width = core ? file.readUInt16LE(18) : file.readInt32LE(18)
  const bits = file.readUInt16LE(core ? 24 : 28)
  const compression = core || size < 20 ? 0 : file.readUInt32LE(30)
  if (width < 0 || ![1, 2, 4, 8, 16, 24, 32].includes(bits)) throw damaged()
  const withMasks = compression === 3 || compression === 6
  const masks = bits === 16 || bits === 32 ? readMasks(file, bits, size, withMasks) : undefined
  const masksBehind = withMasks && size === 40 ? (compression === 6 ? 16 : 12) : 0
  return {
    width,
    height: Math.abs(height),
    topDown: height < 0,
    bits,
    packing: packingOf(compression, bits),
    palette: bits <= 8 ? readPalette(file, FILE_HEADER + size + masksBehind, bits, core ? 3 : 4) : [],
    ...(masks && { masks }),
    offset: file.readUInt32LE(10),
  }
}

function packingOf(compression: number, bits: number): Packing {
  if (compression === 1 && bits === 8) return 'rle8'
  if (compression === 2 && bits === 4) return 'rle4'
  if (compression === 0 || ((compression === 3 || compression === 6) && bits >= 16)) return 'plain'
  if (compression === 4 || compression === 5)
    throw new UnreadableFile('corrupted', 'The bitmap holds a picture of another format, which is not read.')
  throw damaged()
}

function readMasks(file: Buffer, bits: number, size: number, stated: boolean): BitmapHeader['masks'] {
  const withAlpha = size >= 56
  if (stated && file.length >= MASKS_AT + 16)
    return {
      red: file.readUInt32LE(MASKS_AT),
      green: file.readUInt32LE(MASKS_AT + 4),
      blue: file.readUInt32LE(MASKS_AT + 8),
      alpha: withAlpha ? file.readUInt32LE(MASKS_AT + 12) : 0,
    }
  return bits === 16
    ? { red: 0x7c00, green: 0x03e0, blue: 0x001f, alpha: 0 }
    : { red: 0xff0000, green: 0xff00, blue: 0xff, alpha: 0 }
}

/** Entries are blue, green, red; all but the oldest header add a byte without meaning. */
function readPalette(file: Buffer, start: number, bits: number, step: 3 | 4): number[] {
  const stated = step === 4 && file.length >= 50 ? file.readUInt32LE(46) : 0
  const count = stated > 0 ? Math.min(stated, 2 ** bits) : 2 ** bits
  const palette: number[] = []
  for (let at = start; palette.length < count && at + 3 <= file.length; at += step)
    palette.push(((file[at + 2]! << 24) | (file[at + 1]! << 16) | (file[at]! << 8) | 0xff) >>> 0)
  return palette
}
