import { isText, peek } from './text/encoding.ts'
import { localNames } from './archive/local-headers.ts'
import { isMedia, type MediaSignature } from './media-signature.ts'

/** How a format is told from the first bytes. Byte strings are written in Latin-1: one character a byte. */
export type Signature =
  /** All of these stand at their offsets; with `within`, anything may precede them in that many bytes. */
  | { kind: 'bytes'; at: readonly (readonly [offset: number, bytes: string])[]; within?: number }
  /** The pattern fits the first bytes. */
  | { kind: 'pattern'; pattern: RegExp }
  /** A zip whose parts begin with `part`. `locked`: with a password it is wrapped into an OLE compound file. */
  | { kind: 'zip'; part: string; locked?: true }
  /** A zip whose first part, called `mimetype` and not compressed, says so (ODF 3.3, EPUB OCF 4.3). */
  | { kind: 'zip'; mimetype: string }
  /** An OLE compound file with a stream of this name, or one that begins with these bytes. */
  | { kind: 'compound'; stream: string; begins: string }
  /** Text. `starts` tells it whatever it is called; without it the extension must name the format. */
  | { kind: 'text'; starts?: RegExp }
  | MediaSignature
  | { kind: 'stl' }

export interface Head {
  bytes: Uint8Array
  latin1: string
  /** The beginning as text, or null when it is none. */
  text: string | null
  /** Names of the zip's parts as far as the head shows them, or null when it is no zip. */
  parts: readonly string[] | null
}

export function readHead(bytes: Uint8Array): Head {
  const latin1 = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
  return {
    bytes,
    latin1,
    text: isText(bytes) ? peek(bytes) : null,
    parts: latin1.startsWith('PK\x03\x04') || latin1.startsWith('PK\x05\x06') ? localNames(bytes) : null,
  }
}

/**
 * `certain`: the bytes say so whatever the name. `possible`: they allow it, so the extension decides.
 * `no`: they contradict it.
 */
type Verdict = 'certain' | 'possible' | 'no'

export function judge(signature: Signature, head: Head): Verdict {
  switch (signature.kind) {
    case 'bytes':
      return bytesFit(signature, head.latin1) ? 'certain' : 'no'
    case 'pattern':
      return signature.pattern.test(head.latin1) ? 'certain' : 'no'
    case 'zip':
      if ('mimetype' in signature) return judgeMimetype(signature.mimetype, head)
      if (head.parts?.some((name) => name.startsWith(signature.part))) return 'certain'
      return head.parts || (signature.locked && isCompoundFile(head)) ? 'possible' : 'no'
    case 'compound':
      if (!isCompoundFile(head)) return 'no'
      return holdsStream(signature, head.latin1) ? 'certain' : 'possible'
    case 'text':
      if (head.text === null) return 'no'
      return signature.starts?.test(head.text) ? 'certain' : 'possible'
    case 'media':
      return isMedia(signature, head.bytes) ? 'certain' : 'no'
    case 'stl':
      if (head.text !== null) return /^\s*solid\b[^\n]*\n\s*facet\s/i.test(head.text) ? 'certain' : 'no'
      return mayBeStl(head.bytes) ? 'possible' : 'no'
  }
}

function bytesFit({ at, within }: Extract<Signature, { kind: 'bytes' }>, latin1: string): boolean {
  if (within !== undefined) return latin1.slice(0, within).includes(at[0]![1])
  return at.every(([offset, bytes]) => latin1.startsWith(bytes, offset))
}

/** Behind the local header and its extra field. A zip without the part, or with it compressed, may be of a careless writer. */
function judgeMimetype(mimetype: string, { parts, latin1 }: Head): Verdict {
  if (!parts) return 'no'
  const isStored = latin1.charCodeAt(8) === 0
  if (parts[0] !== 'mimetype' || !isStored) return 'possible'
  const extraLength = latin1.charCodeAt(28) | (latin1.charCodeAt(29) << 8)
  return latin1.startsWith(mimetype, 38 + extraLength) ? 'certain' : 'no'
}

/** Directory and streams stand anywhere (MS-CFB 2.6.1), in sectors of 512 bytes: the head may show one of them. */
function holdsStream({ stream, begins }: Extract<Signature, { kind: 'compound' }>, latin1: string): boolean {
  if (latin1.includes(Buffer.from(`${stream}\0`, 'utf16le').toString('latin1'))) return true
  for (let sector = 512; sector < latin1.length; sector += 512)
    if (latin1.startsWith(begins, sector)) return true
  return false
}

export const isCompoundFile = ({ latin1 }: Pick<Head, 'latin1'>): boolean =>
  latin1.startsWith('\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1')

const STL_HEADER = 84
const STL_FACET = 50

/** Binary STL has no mark: 80 bytes of anything, a count, and facets whose twelve floats are of sizes that things have. */
function mayBeStl(bytes: Uint8Array): boolean {
  if (bytes.length < STL_HEADER + STL_FACET) return false
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const floats = Array.from({ length: 12 }, (_, index) => view.getFloat32(STL_HEADER + 4 * index, true))
  return view.getUint32(80, true) > 0 && floats.every((value) => Math.abs(value) < 1e15)
}

/** A format of zips may come in another wrapper (a locked document): its extractor knows that one. */
export const isZip = ([p, k]: Uint8Array): boolean => p === 0x50 && k === 0x4b
