import { UnreadableFile } from '@medialog/application/ports/understanding'
import { decodeCodePage } from '../text/code-page.ts'

const PIECE_TABLE = 2
const COMPRESSED = 0x4000_0000

/** A run of the text: characters `[start, end)`, at `offset` in the document stream. */
export interface Piece {
  start: number
  end: number
  offset: number
  /** One in code page 1252, two in UTF-16. */
  bytesPerCharacter: 1 | 2
}

/** The pieces that the text is made of, in order (MS-DOC 2.9.38, 2.8.35). @throws UnreadableFile `corrupted` */
export function piecesOf(clx: Buffer): Piece[] {
  let at = 0
  // Properties of fast-saved files stand before the table.
  while (at < clx.length && clx[at] !== PIECE_TABLE) at += 3 + clx.readUInt16LE(at + 1)
  if (at + 5 > clx.length)
    throw new UnreadableFile('corrupted', 'The document is damaged: its text is missing.')
  const table = clx.subarray(at + 5, at + 5 + clx.readUInt32LE(at + 1))
  const count = Math.floor((table.length - 4) / 12)
  return Array.from({ length: Math.max(0, count) }, (_, index) => {
    const place = table.readUInt32LE(4 * (count + 1) + 8 * index + 2)
    const compressed = (place & COMPRESSED) !== 0
    return {
      start: table.readUInt32LE(4 * index),
      end: table.readUInt32LE(4 * index + 4),
      offset: compressed ? (place & ~COMPRESSED) / 2 : place & ~COMPRESSED,
      bytesPerCharacter: compressed ? 1 : 2,
    }
  })
}

/** The text of a piece. @throws UnreadableFile `corrupted` when it lies beyond the stream */
export function textOfPiece(document: Buffer, { start, end, offset, bytesPerCharacter }: Piece): string {
  const last = offset + (end - start) * bytesPerCharacter
  if (end < start || last > document.length)
    throw new UnreadableFile('corrupted', 'The document is damaged: its text is cut off.')
  const bytes = document.subarray(offset, last)
  return bytesPerCharacter === 2 ? bytes.toString('utf16le') : decodeCodePage(bytes.toString('latin1'), 1252)
}
