import { isText, peek } from './text/encoding.ts'
import { localNames } from './archive/local-headers.ts'

/** How a format is told from the first bytes. Byte strings are written in Latin-1: one character a byte. */
export type Signature =
  /** All of these stand at their offsets; with `within`, anything may precede them in that many bytes. */
  | { kind: 'bytes'; at: readonly (readonly [offset: number, bytes: string])[]; within?: number }
  /** A zip whose parts begin with `part`. `locked`: with a password it is wrapped into an OLE compound file. */
  | { kind: 'zip'; part: string; locked?: true }
  /** Text. `starts` tells it whatever it is called; without it the extension must name the format. */
  | { kind: 'text'; starts?: RegExp }
  | { kind: 'mp3' }

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
    case 'zip':
      if (head.parts?.some((name) => name.startsWith(signature.part))) return 'certain'
      return head.parts || (signature.locked && isCompoundFile(head)) ? 'possible' : 'no'
    case 'text':
      if (head.text === null) return 'no'
      return signature.starts?.test(head.text) ? 'certain' : 'possible'
    case 'mp3':
      return isMp3(head.bytes, head.latin1) ? 'certain' : 'no'
  }
}

function bytesFit({ at, within }: Extract<Signature, { kind: 'bytes' }>, latin1: string): boolean {
  if (within !== undefined) return latin1.slice(0, within).includes(at[0]![1])
  return at.every(([offset, bytes]) => latin1.startsWith(bytes, offset))
}

export const isCompoundFile = ({ latin1 }: Pick<Head, 'latin1'>): boolean =>
  latin1.startsWith('\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1')

/** An ID3v2 tag, or the header of a layer III frame (ISO 11172-3, 2.4.1.3) with no reserved value in it. */
function isMp3(bytes: Uint8Array, latin1: string): boolean {
  if (latin1.startsWith('ID3')) return true
  const [sync = 0, version = 0, rates = 0] = bytes
  const layer3 = sync === 0xff && (version & 0xe6) === 0xe2 && (version & 0x18) !== 0x08
  return layer3 && rates >> 4 !== 0 && rates >> 4 !== 0xf && (rates & 0x0c) !== 0x0c
}
