import { elementsOf, type Element } from './ebml.ts'

const ID = {
  segment: 0x18538067,
  info: 0x1549a966,
  timestampScale: 0x2ad7b1,
  tracks: 0x1654ae6b,
  trackEntry: 0xae,
  trackNumber: 0xd7,
  trackType: 0x83,
  cluster: 0x1f43b675,
  clusterTimestamp: 0xe7,
  simpleBlock: 0xa3,
  blockGroup: 0xa0,
  block: 0xa1,
}
const OPENED = new Set([ID.segment, ID.info, ID.tracks, ID.trackEntry, ID.cluster, ID.blockGroup])
const VIDEO = 1

/**
 * Playing time in seconds and frames a second, counted from the time on each block: what a browser records states
 * neither. Null without two pictures.
 */
export function timingOf(bytes: Uint8Array): { duration: number; frameRate: number } | null {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const all = new Span()
  const pictures = new Span()
  let [scale, trackNumber, videoTrack, clusterTime] = [1_000_000, 0, 0, 0]
  for (const element of elementsOf(file, OPENED)) {
    if (element.id === ID.timestampScale) scale = uintOf(file, element)
    if (element.id === ID.trackNumber) trackNumber = uintOf(file, element)
    if (element.id === ID.trackType && uintOf(file, element) === VIDEO) videoTrack ||= trackNumber
    if (element.id === ID.clusterTimestamp) clusterTime = uintOf(file, element)
    if (element.id !== ID.simpleBlock && element.id !== ID.block) continue
    if (element.start + 4 > file.length) break
    // A block begins with its track, one byte below 128 tracks, and its time since its cluster's.
    const time = clusterTime + file.readInt16BE(element.start + 1)
    all.add(time)
    if ((file[element.start]! & 0x7f) === videoTrack) pictures.add(time)
  }
  const frameTime = (pictures.length / (pictures.count - 1)) * scale * 1e-9
  if (!(frameTime > 0 && Number.isFinite(frameTime))) return null
  return { duration: all.length * scale * 1e-9 + frameTime, frameRate: 1 / frameTime }
}

/** A stretch of time that grows. */
class Span {
  count = 0
  #first = Infinity
  #last = -Infinity

  add(time: number): void {
    this.count++
    this.#first = Math.min(this.#first, time)
    this.#last = Math.max(this.#last, time)
  }

  get length(): number {
    return this.count === 0 ? 0 : this.#last - this.#first
  }
}

const uintOf = (file: Buffer, { start, length }: Element): number =>
  length === null || length < 1 || length > 6 || start + length > file.length
    ? 0
    : file.readUIntBE(start, length)
