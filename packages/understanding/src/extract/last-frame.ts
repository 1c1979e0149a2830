/**
 * Whether a stream that states no length ends in the middle of one of its frames or packets: then it was cut. False where
 * something else stands at its end, such as tags.
 */
export function endsWithinFrame(bytes: Uint8Array, format: string): boolean {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (format === 'mpeg') return endsWithinPacket(file)
  const lengthAt = { mp3: mp3FrameLength, aac: adtsFrameLength }[format]
  if (!lengthAt) return false
  let at = afterTag(file)
  while (at + HEADER <= file.length) {
    const length = lengthAt(file, at)
    if (length === null) return false
    at += length
  }
  return at !== file.length
}

/** The longest header of a frame that is looked at. */
const HEADER = 7

/** An ID3v2 tag may stand before the first frame; its length is written in seven bits a byte. */
function afterTag(file: Buffer): number {
  if (file.toString('latin1', 0, 3) !== 'ID3' || file.length < 10) return 0
  return 10 + file.subarray(6, 10).reduce((length, byte) => length * 128 + (byte & 0x7f), 0)
}

/** ADTS (ISO/IEC 13818-7, 6.2): the length stands in the header. */
function adtsFrameLength(file: Buffer, at: number): number | null {
  if ((file.readUInt16BE(at) & 0xfff6) !== 0xfff0) return null
  const length = (file.readUIntBE(at + 3, 3) >> 5) & 0x1fff
  return length >= HEADER ? length : null
}

/** Kilobits a second of layer III, by the header's index (ISO/IEC 11172-3 and 13818-3, 2.4.2.3). */
const BIT_RATES = {
  1: [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  2: [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
}
const RATES = [44_100, 48_000, 32_000]
/** How often MPEG 2.5, –, 2 and 1 halve the rates. */
const HALVINGS = [4, 0, 2, 1]

function mp3FrameLength(file: Buffer, at: number): number | null {
  const header = file.readUInt32BE(at)
  const halving = HALVINGS[(header >>> 19) & 3]!
  const isLayer3 = (header & 0xffe60000) >>> 0 === 0xffe20000
  const rate = RATES[(header >>> 10) & 3]
  const bitRate = BIT_RATES[halving === 1 ? 1 : 2][((header >>> 12) & 0xf) - 1]
  if (!isLayer3 || halving === 0 || rate === undefined || bitRate === undefined) return null
  const padding = (header >>> 9) & 1
  return Math.floor(((halving === 1 ? 144_000 : 72_000) * bitRate * halving) / rate) + padding
}

const START_CODE = Buffer.from([0, 0, 1])

/** MPEG program streams (ISO/IEC 13818-1, 2.4.3.7): packets of 64 kB at most state their length; slices of video do not. */
function endsWithinPacket(file: Buffer): boolean {
  for (let at = file.length; ;) {
    at = at > 0 ? file.lastIndexOf(START_CODE, at - 1) : -1
    if (at < 0 || file.length - at > 70_000) return false
    if (at + 6 <= file.length && file[at + 3]! >= 0xbc)
      return at + 6 + file.readUInt16BE(at + 4) > file.length
  }
}
