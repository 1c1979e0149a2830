/**
 * Whether a FLAC file (RFC 9639) holds a frame that reaches the number of samples its header states. No other field says
 * how long the file must be. True where the number is not stated; false for what has no header.
 */
export function holdsLastFrame(bytes: Uint8Array): boolean {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const info = streamInfo(file)
  if (!info) return false
  if (info.samples === 0) return true
  for (const { end } of framesFromEnd(file, info.at + INFO_BYTES, info.blockSize))
    if (end >= info.samples) return true
  return false
}

/**
 * A FLAC file that does not state its number of samples, because it was written to a pipe, with the number that its last
 * frames say; other files as they are.
 */
export function withKnownSamples(file: Buffer): Buffer {
  const info = streamInfo(file)
  const samples = info?.samples === 0 ? samplesOf(file, info) : null
  if (!info || samples === null) return file
  const known = Buffer.from(file)
  const field = info.at + SAMPLES_AT
  known.writeBigUInt64BE(file.readBigUInt64BE(field) | BigInt(samples), field)
  return known
}

interface StreamInfo {
  /** Where it begins, behind the head of its block. */
  at: number
  blockSize: number
  /** 0 where the number is not stated. */
  samples: number
}

const INFO_BYTES = 34
/** Of a field of 64 bits, whose last 36 are the number. */
const SAMPLES_AT = 10

/** The first block of metadata (RFC 9639, 8.2); null for what has no header. */
function streamInfo(file: Buffer): StreamInfo | null {
  const at = file.indexOf('fLaC', 0, 'latin1') + 8
  if (at < 8 || at + INFO_BYTES > file.length) return null
  const samples = Number(file.readBigUInt64BE(at + SAMPLES_AT) & 0xfffffffffn)
  return { at, blockSize: file.readUInt16BE(at + 2), samples }
}

/** Counted from the last two frames that follow each other: what looks like one frame alone may be sound. */
function samplesOf(file: Buffer, { at, blockSize }: StreamInfo): number | null {
  const first = firstFrame(file, at - 4)
  let after: Frame | null = null
  for (const frame of framesFromEnd(file, first, blockSize)) {
    if (!isLike(frame.header, file.subarray(first))) continue
    if (after !== null && frame.end === after.start) return after.end
    after = frame
  }
  // A single frame is the first one, too.
  return after?.start === 0 ? after.end : null
}

/** Whether two headers of frames agree on how blocks are counted, on rate and on depth: those of a file do. */
const isLike = (one: Buffer, other: Buffer): boolean =>
  one[1] === other[1] && (one[2]! & 0xf) === (other[2]! & 0xf) && (one[3]! & 0xe) === (other[3]! & 0xe)

/** What looks like a frame by its header, the last one first, but none before `from`. */
function* framesFromEnd(file: Buffer, from: number, blockSize: number): Generator<Frame> {
  const frames = file.subarray(Math.max(from, file.length - LONGEST_END))
  const tail = Buffer.concat([frames, Buffer.alloc(LONGEST_HEADER)])
  for (let at = tail.lastIndexOf(0xff); at >= 0; at = at > 0 ? tail.lastIndexOf(0xff, at - 1) : -1) {
    const frame = isSync(tail[at + 1]!) ? frameAt(tail.subarray(at), blockSize) : null
    if (frame) yield frame
  }
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
  header: Buffer
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
  return { header: frame, start, end: start + blockLength(sizeCode, frame, sizeAt) }
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
