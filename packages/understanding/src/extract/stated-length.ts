import { elementAt, type Element } from './ebml.ts'
import { isUnknownLength } from './open-ended.ts'

/**
 * The length in bytes that a container of sound or video states of itself, at least; null where it states none, as
 * streams and live recordings do not. A file that is shorter was cut.
 */
export function statedLength(bytes: Uint8Array): number | null {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (file.length < 32) return null
  const magic = file.toString('latin1', 0, 4)
  if (magic === 'RIFF') return lengthOfChunk(file.readUInt32LE(4))
  if (magic === 'FORM') return lengthOfChunk(file.readUInt32BE(4))
  if (magic === 'OggS') return lastPageEnd(file)
  if (magic === '\x1aE\xdf\xa3') return segmentEnd(file)
  if (magic === '0&\xb2u') return dataEnd(file)
  return BOX.test(file.toString('latin1', 4, 8)) ? lastBoxEnd(file) : null
}

const lengthOfChunk = (stated: number): number | null => (isUnknownLength(stated) ? null : stated + 8)

/** Ogg (RFC 3533, 6): pages, each with a table of its segments' lengths. */
function lastPageEnd(file: Buffer): number {
  let end = 0
  while (end + 27 <= file.length && file.toString('latin1', end, end + 4) === 'OggS') {
    const table = file.subarray(end + 27, end + 27 + file[end + 26]!)
    end += 27 + table.reduce((sum, segment) => sum + segment, table.length)
  }
  return end
}

const BOX =
  /^(?:ftyp|moov|mdat|moof|mfra|free|skip|wide|pnot|PICT|uuid|meta|pdin|sidx|ssix|styp|udta|emsg|prft)$/

/** ISO base media (ISO 14496-12, 4.2): boxes; one of size 0 goes to the end of the file, 1 has a 64-bit size. */
function lastBoxEnd(file: Buffer): number {
  let end = 0
  while (end + 16 <= file.length && BOX.test(file.toString('latin1', end + 4, end + 8))) {
    const size = file.readUInt32BE(end)
    const length = size === 1 ? Number(file.readBigUInt64BE(end + 8)) : size
    if (length < 8) break
    end += length
  }
  return end
}

/** ASF (3): a header object and a data object, each a GUID and its length in 64 bits. A broadcast's data has none. */
function dataEnd(file: Buffer): number {
  const header = Number(file.readBigUInt64LE(16))
  if (header + 24 > file.length) return header + 24
  return header + Number(file.readBigUInt64LE(header + 16))
}

/** WebM: an EBML header, then one segment. */
function segmentEnd(file: Buffer): number | null {
  const segment = elementAt(file, endOf(elementAt(file, 0)) ?? file.length)
  return endOf(segment)
}

const endOf = (element: Element | null): number | null =>
  element === null || element.length === null ? null : element.start + element.length
