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
    if (isSync(tail[at + 1]!) && frameEnd(tail.subarray(at), blockSize) >= samples) return true
  return false
}

const LONGEST_HEADER = 16
/** The largest frame (65 535 samples of 32 bits in 8 channels) and tags behind it. */
const LONGEST_END = 4_000_000

const isSync = (second: number): boolean => (second & 0xfe) === 0xf8

/** The sample after a frame's last one, by its header (RFC 9639, 9.1); -1 where the bytes are none. */
function frameEnd(frame: Buffer, blockSize: number): number {
  if (frame[3]! & 1) return -1
  const [sizeCode, rateCode] = [frame[2]! >> 4, frame[2]! & 0xf]
  const number = codedNumber(frame.subarray(4))
  if (number === null || sizeCode === 0 || rateCode === 0xf) return -1
  const sizeAt = 4 + number.length
  const rateAt = sizeAt + (sizeCode === 6 ? 1 : sizeCode === 7 ? 2 : 0)
  const checksumAt = rateAt + (rateCode < 12 ? 0 : rateCode === 12 ? 1 : 2)
  if (crc8(frame.subarray(0, checksumAt)) !== frame[checksumAt]) return -1
  const isVariable = (frame[1]! & 1) === 1
  return number.value * (isVariable ? 1 : blockSize) + blockLength(sizeCode, frame, sizeAt)
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
