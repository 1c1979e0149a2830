import { withKnownSamples } from './flac-frames.ts'

/** Larger than any file that is read: what programs write that do not know the length yet. So is 0. */
const LEAST_UNKNOWN = 0x7ff00000

/** Whether a length of 32 bits was not known when it was written: the chunk goes on to the file's end. */
export const isUnknownLength = (stated: number): boolean => stated === 0 || stated >= LEAST_UNKNOWN

/**
 * A WAV, RF64, AIFF or FLAC that was written to a pipe, with the lengths that it has: its writer could not go back to say them. Other
 * files as they are.
 */
export function withKnownLengths(bytes: Uint8Array): Uint8Array {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (file.length < 12) return bytes
  const magic = file.toString('latin1', 0, 4)
  if (magic === 'RIFF' || magic === 'RF64') return wave(file) ?? bytes
  if (magic === 'fLaC') return withKnownSamples(file)
  return magic === 'FORM' ? (aiff(file) ?? bytes) : bytes
}

interface Chunk {
  id: string
  /** Of its length; its bytes come after. */
  at: number
  length: number
}

const HEAD = 8

/** The chunks of the file, up to one whose length is not known. */
function* chunksOf(file: Buffer, lengthAt: (at: number) => number): Generator<Chunk> {
  for (let at = 12; at + HEAD <= file.length;) {
    const length = lengthAt(at + 4)
    const chunk = { id: file.toString('latin1', at, at + 4), at: at + 4, length }
    yield chunk
    if (length >= LEAST_UNKNOWN) return
    at += HEAD + length + (length % 2)
  }
}

/** RIFF (Microsoft, 1991); RF64 (EBU Tech 3306) has the lengths of long files in a chunk of its own. */
function wave(file: Buffer): Buffer | null {
  for (const { id, at, length } of chunksOf(file, (place) => file.readUInt32LE(place))) {
    if (id !== 'data') continue
    if (!isUnknownLength(length) && file.toString('latin1', 0, 4) === 'RIFF') return null
    const known = Buffer.from(file)
    known.write('RIFF', 'latin1')
    known.writeUInt32LE(file.length - HEAD, 4)
    known.writeUInt32LE(file.length - at - 4, at)
    return known
  }
  return null
}

/** AIFF (Apple, 1989): a chunk before the sound has the number of frames. */
function aiff(file: Buffer): Buffer | null {
  let common: number | null = null
  for (const { id, at, length } of chunksOf(file, (place) => file.readUInt32BE(place))) {
    if (id === 'COMM') common = at + 4
    if (id !== 'SSND' || !isUnknownLength(length)) continue
    const known = Buffer.from(file)
    const left = file.length - at - 4
    known.writeUInt32BE(file.length - HEAD, 4)
    known.writeUInt32BE(left, at)
    if (common === null || common + 8 > file.length) return known
    const frame = file.readUInt16BE(common) * Math.ceil(file.readUInt16BE(common + 6) / 8)
    // Behind an offset and a block size.
    if (frame > 0) known.writeUInt32BE(Math.max(0, Math.floor((left - 8) / frame)), common + 2)
    return known
  }
  return null
}
