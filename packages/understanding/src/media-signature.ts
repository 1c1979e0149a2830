/**
 * Families whose formats share their first bytes: what tells them apart stands further in.
 * `mp3`, `aac`, `flac`: sound, perhaps behind an ID3v2 tag. `m4a`, `mp4`, `mov`: ISO base media. `wma`, `wmv`: ASF.
 * `ogg` and `webm` are the parts that are read of Ogg and Matroska.
 */
export interface MediaSignature {
  kind: 'media'
  of: 'mp3' | 'aac' | 'flac' | 'ogg' | 'm4a' | 'mp4' | 'mov' | 'webm' | 'mpeg' | 'wma' | 'wmv'
}

/**
 * Whether the head may be of that format. Where what parts two formats is out of sight (sound behind a large cover,
 * tracks listed at the end of the file) both may be, and the name decides.
 */
export function isMedia({ of }: MediaSignature, bytes: Uint8Array): boolean {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  switch (of) {
    case 'mp3':
    case 'aac':
    case 'flac':
      return soundFormats(head).includes(of)
    case 'ogg':
      return standsAt(head, 0, 'OggS') && !head.includes('\x80theora', 0, 'latin1')
    case 'webm':
      return standsAt(head, 0, '\x1aE\xdf\xa3') && head.subarray(0, 64).includes('webm')
    case 'mpeg':
      // The header of a program stream's pack, or of a sequence where the pictures stand alone.
      return standsAt(head, 0, '\0\0\x01\xba') || standsAt(head, 0, '\0\0\x01\xb3')
    case 'm4a':
    case 'mp4':
    case 'mov':
      return isoFormats(head).includes(of)
    case 'wma':
    case 'wmv':
      return standsAt(head, 0, ASF_HEADER) && asfFormats(head).includes(of)
  }
}

type Formats = MediaSignature['of'][]

const standsAt = (head: Buffer, offset: number, bytes: string): boolean =>
  head.toString('latin1', offset, offset + bytes.length) === bytes

function soundFormats(head: Buffer): Formats {
  const start = id3Length(head)
  if (start > head.length - 4) return start > 0 ? ['mp3', 'aac', 'flac'] : []
  if (standsAt(head, start, 'fLaC')) return ['flac']
  if (isAdts(head, start)) return ['aac']
  return start > 0 || isLayer3(head) ? ['mp3'] : []
}

/** Bytes of an ID3v2 tag with its header, which says them in four times seven bits. 0 without one. */
function id3Length(head: Buffer): number {
  if (!standsAt(head, 0, 'ID3')) return 0
  return head.subarray(6, 10).reduce((sum, byte) => sum * 128 + (byte & 0x7f), 0) + 10
}

/** The header of a layer III frame (ISO 11172-3, 2.4.1.3) with no reserved value in it. */
function isLayer3([sync = 0, version = 0, rates = 0]: Buffer): boolean {
  const layer3 = sync === 0xff && (version & 0xe6) === 0xe2 && (version & 0x18) !== 0x08
  return layer3 && rates >> 4 !== 0 && rates >> 4 !== 0xf && (rates & 0x0c) !== 0x0c
}

/** An ADTS header (ISO 13818-7, 6.2), and the next one where its length says, as far as that is in sight. */
function isAdts(head: Buffer, start: number): boolean {
  if (start + 6 > head.length || !isAdtsHeader(head, start)) return false
  const length = (head.readUIntBE(start + 3, 3) >> 5) & 0x1fff
  return length >= 7 && (start + length + 3 > head.length || isAdtsHeader(head, start + length))
}

const isAdtsHeader = (head: Buffer, at: number): boolean =>
  (head.readUInt16BE(at) & 0xfff6) === 0xfff0 && ((head[at + 2]! >> 2) & 0xf) < 13

/** Brands of MPEG-4 files that do not say what is in them. */
const MP4_BRAND = /^(?:iso[2-9a-cm]|mp4[12]|mp71|avc1|dash|cmf[2cf]|MSNV|mmp4|3g[2p]\w|[fF]4[vV] |M4V[ HP])$/
const PICTURE_BRAND = /^(?:hei[cfmsx]|hev[cmsx]|mif[12]|msf1|avi[fs]|crx )$/

function isoFormats(head: Buffer): Formats {
  if (!standsAt(head, 4, 'ftyp')) return isOldQuickTime(head) ? ['mov'] : []
  const end = Math.min(head.readUInt32BE(), 256)
  const brands = head.toString('latin1', 8, end).match(/[^]{4}/g) ?? []
  if (brands.some((brand) => PICTURE_BRAND.test(brand))) return []
  const brand = brands.find((name) => /^(?:qt {2}|M4[ABP] )$/.test(name) || MP4_BRAND.test(name))
  if (brand === undefined) return []
  if (brand === 'qt  ') return ['mov']
  if (!MP4_BRAND.test(brand)) return ['m4a']
  if (head.includes('vmhd')) return ['mp4'] // the header of a video track
  return isMoovWhole(head) ? ['m4a'] : ['mp4', 'm4a']
}

/** QuickTime had no brands at first: a box of up to 128 MB, whose length no text begins with. */
const isOldQuickTime = (head: Buffer): boolean =>
  head[0]! < 8 && /^(?:moov|mdat|wide|free|skip|pnot)$/.test(head.toString('latin1', 4, 8))

/** Whether the box that lists the tracks is in sight to its end. */
function isMoovWhole(head: Buffer): boolean {
  let at = 0
  while (at + 8 <= head.length && !standsAt(head, at + 4, 'moov')) {
    const size = head.readUInt32BE(at)
    if (size < 8) return false
    at += size
  }
  return at + 8 <= head.length && at + head.readUInt32BE(at) <= head.length
}

const guid = (hex: string): string => Buffer.from(hex, 'hex').toString('latin1')
const ASF_HEADER = guid('3026b2758e66cf11a6d900aa0062ce6c')
const ASF_VIDEO = guid('c0ef19bc4d5bcf11a8fd00805f5c442b')

/** The header lists the streams and states its own length. */
function asfFormats(head: Buffer): Formats {
  if (head.includes(ASF_VIDEO, 0, 'latin1')) return ['wmv']
  const isWhole = head.length >= 20 && head.readUInt32LE(16) <= head.length
  return isWhole ? ['wma'] : ['wmv', 'wma']
}
