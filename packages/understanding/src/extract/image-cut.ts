import { damagedPixels } from './image-header.ts'

/**
 * Decoders show what there is of an animation that was cut off, and say nothing: GIF and WebP are checked for their end.
 * @throws UnreadableFile `corrupted` for a file that ends in the middle of a block
 */
export function refuseCut(bytes: Uint8Array): void {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  const kind = file.toString('latin1', 0, 4)
  if (kind === 'GIF8' && endOfGif(file) > file.length) throw damagedPixels()
  if (kind === 'RIFF' && file.length >= 12 && file.readUInt32LE(4) + 8 > file.length) throw damagedPixels()
}

const EXTENSION = 0x21
const IMAGE = 0x2c

/** Where the blocks of a GIF (GIF89a, 17 to 26) end, beyond the file's own end when the last one was cut. */
function endOfGif(file: Buffer): number {
  let at = 13 + colorTable(file[10])
  while (at < file.length) {
    if (file[at] === EXTENSION) at = endOfSubBlocks(file, at + 2)
    else if (file[at] === IMAGE) at = endOfSubBlocks(file, at + 11 + colorTable(file[at + 9]))
    else return at
  }
  return at
}

/** Length in bytes of the table that these flags announce. */
const colorTable = (flags = 0): number => (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0)

function endOfSubBlocks(file: Buffer, start: number): number {
  let at = start
  while (at < file.length && file[at] !== 0) at += 1 + file[at]!
  return at + 1
}
