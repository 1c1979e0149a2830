/**
 * Whether a FLAC file (RFC 9639) holds a frame that reaches the number of samples its header states. No other field says
 * how long the file must be. True where the number is not stated; false for what has no header.
 */
export function holdsLastFrame(bytes: Uint8Array): boolean {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const header = file.indexOf('fLaC', 0, 'latin1') + 8
  if (header < 8 || header + 34 > file.length) return false
  const blockSize = file.readUInt16BE(header + 2)
  const samples = Number(file.readBigUInt64BE(header + 10) & 0xfffffffffn)
  if (samples === 0) return true
  const frames = file.subarray(Math.max(header + 34, file.length - LONGEST_END))
  const tail = Buffer.concat([frames, Buffer.alloc(LONGEST_HEADER)])
  for (let at = tail.lastIndexOf(0xff); at >= 0; at = at > 0 ? tail.lastIndexOf(0xff, at - 1) : -1)
    if (isSync(tail[at + 1]!) && (frameAt(tail.subarray(at), blockSize)?.end ?? -1) >= samples) return true
  return false
}

/**
 * A FLAC file that does not state its number of samples, because it was written to a pipe, with the number that its last
 * frames say; other files as they are.
 */
export function withKnownSamples(file: Buffer): Buffer {
  const header = file.indexOf('fLaC', 0, 'latin1') + 8
  if (header < 8 || header + 34 > file.length) return file
  const field = file.readBigUInt64BE(header + 10)
  const samples = (field & 0xfffffffffn) === 0n ? samplesOf(file, header) : null
  if (samples === null) return file
  const known = Buffer.from(file)
  known.writeBigUInt64BE(field | BigInt(samples), header + 10)
  return known
}

/** Counted from the last two frames that follow each other: what looks like one frame alone may be sound. */
function samplesOf(file: Buffer, header: number): number | null {
  const blockSize = file.readUInt16BE(header)
  const first = firstFrame(file, header - 4)
  const from = Math.max(first, file.length - LONGEST_END)
  const tail = Buffer.concat([file.subarray(from), Buffer.alloc(LONGEST_HEADER)])
  const isLikeFirst = (at: number): boolean =>
    tail[at + 1] === file[first + 1] &&
    (tail[at + 2]! & 0xf) === (file[first + 2]! & 0xf) &&
    (tail[at + 3]! & 0xe) === (file[first + 3]! & 0xe)
  let after: Frame | null = null
  for (let at = tail.lastIndexOf(0xff); at >= 0; at = at > 0 ? tail.lastIndexOf(0xff, at - 1) : -1) {
    const frame = isLikeFirst(at) ? frameAt(tail.subarray(at), blockSize) : null
    if (after !== null && frame?.end === after.start) return after.end
    after = frame ?? after
  }
  // A single frame is the first one, too.
  return after?.start === 0 ? after.end : null
}

/** Behind the blocks of metadata (RFC 9639, 8.1). */
function firstFrame(file: Buffer, at: number): number {
  for (let isLast = false; !isLast && at + 4 <= file.length;) {
    isLast = (file[at]! & 0x80) !== 0
    at += 4 + file.readUIntBE(at + 1, 3)
  }
  return at
}

const LONGEST_HEADER = 16
/** The largest frame (65 535 samples of 32 bits in 8 channels) and tags behind it. */
const LONGEST_END = 4_000_000

const isSync = (second: number): boolean => (second & 0xfe) === 0xf8

interface Frame {
  /** Its first sample, and the one after its last. */
  start: number
  end: number
}

/** Reads a frame's header (RFC 9639, 9.1); null if the bytes are no header. */
function frameAt(frame: Buffer, blockSize: number): Frame | null {
  if (frame[3]! & 1) return null
  const [sizeCode, rateCode] = [frame[2]! >> 4, frame[2]! & 0xf]
  const number = codedNumber(frame.subarray(4))
  if (number === null || sizeCode === 0 || rateCode === 0xf) return null
  const sizeAt = 4 + number.length
  const rateAt = sizeAt + (sizeCode === 6 ? 1 : sizeCode === 7 ? 2 : 0)
  const checksumAt = rateAt + (rateCode < 12 ? 0 : rateCode === 12 ? 1 : 2)
  if (crc8(frame.subarray(0, checksumAt)) !== frame[checksumAt]) return null
  const isVariable = (frame[1]! & 1) === 1
  const start = number.value * (isVariable ? 1 : blockSize)
  return { start, end: start + blockLength(sizeCode, frame, sizeAt) }
}

function blockLength(code: number, frame: Buffer, at: number): number {
  if (code === 1) return 192
  if (code < 6) return 144 << code
  if (code === 6) return frame[at]! + 1
  return code === 7 ? frame.readUInt16BE(at) + 1 : 1 << code
}

/** The number of a frame or sample, written as UTF-8 writes a code point, in up to seven bytes. */
function codedNumber(bytes: Buffer): { value: number; length: number } | null {
  const ones = Math.clz32(~(bytes[0]! << 24))
  if (ones === 0) return { value: bytes[0]!, length: 1 }
  if (ones === 1 || ones > 7) return null
  let value = bytes[0]! & (0x7f >> ones)
  for (let i = 1; i < ones; i++) value = value * 64 + (bytes[i]! & 0x3f)
  return { value, length: ones }
}

/** Polynomial x⁸ + x² + x + 1. */
function crc8(bytes: Buffer): number {
  let crc = 0
  for (const byte of bytes) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit++) crc = crc & 0x80 ? ((crc << 1) ^ 7) & 0xff : crc << 1
  }
  return crc
}
