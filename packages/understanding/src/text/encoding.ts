import { analyse } from 'chardet'
import iconv from 'iconv-lite'

export interface Decoded {
  text: string
  /** WHATWG name, e.g. `utf-8`, `utf-16le`, `euc-kr` (which includes CP949). */
  encoding: string
  /** How many places could not be decoded. */
  unreadable: number
}

/** Control characters that text does not hold: all but tab, line feed, form feed, carriage return and escape. */
// oxlint-disable-next-line no-control-regex
const CONTROL = /[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f\x7f]/g
const SAMPLE = 64 * 1024
/** UTF-16 would have shown, and what is called ASCII may be anything that includes it. */
const UNTRUSTED = /^utf-?16|^(us-)?ascii$/i

export const countControls = (text: string): number => text.match(CONTROL)?.length ?? 0

/** Whether bytes are text in some encoding: hardly a control character among them, and no zeros but UTF-16's. */
export function isText(bytes: Uint8Array): boolean {
  const sample = bytes.subarray(0, SAMPLE)
  const encoding = byMark(sample) ?? utf16WithoutMark(sample)
  const text = encoding ? decodeAs(encoding, sample) : Buffer.from(sample).toString('latin1')
  return countControls(text) <= text.length * 0.02
}

/** The beginning of a text as far as needed to see what it starts with. */
export const peek = (bytes: Uint8Array): string =>
  decodeAs(byMark(bytes) ?? utf16WithoutMark(bytes) ?? 'utf-8', bytes.subarray(0, 8192))

/**
 * Text of unknown encoding: a byte order mark, then the zero bytes of UTF-16, then `declared` unless the bytes are UTF-8
 * and not that, then UTF-8, then what the bytes look like, and windows-1252 (which takes anything) at last.
 */
export function decode(bytes: Uint8Array, declared?: string): Decoded {
  const sure = byMark(bytes) ?? utf16WithoutMark(bytes.subarray(0, SAMPLE))
  if (sure) return decoded(sure, bytes)
  const stated = declared && isKnown(declared) && !UNTRUSTED.test(declared) ? decoded(declared, bytes) : null
  if (stated?.unreadable === 0) return stated
  const utf8 = decoded('utf-8', bytes)
  // Hardly anything else is UTF-8 to the last byte by chance.
  if (stated) return utf8.unreadable === 0 ? utf8 : stated
  if (utf8.unreadable === 0 || 2 * utf8.unreadable <= nonAscii(utf8.text)) return utf8
  return decoded(legacy(bytes), bytes)
}

/**
 * A tag that was decoded as Latin-1, which its standard has, while its writer meant UTF-8 or CP949; any other as it is.
 */
export function mendLatin1(tag: string): string {
  // oxlint-disable-next-line no-control-regex
  if (!/^[\x00-\xff]*[\x80-\xff][\x00-\xff]*$/.test(tag)) return tag
  const bytes = Buffer.from(tag, 'latin1')
  const utf8 = decoded('utf-8', bytes)
  if (utf8.unreadable === 0) return utf8.text
  return isKorean(bytes) ? decodeAs('euc-kr', bytes) : tag
}

function byMark([a, b, c]: Uint8Array): string | null {
  if (a === 0xef && b === 0xbb && c === 0xbf) return 'utf-8'
  if (a === 0xff && b === 0xfe) return 'utf-16le'
  return a === 0xfe && b === 0xff ? 'utf-16be' : null
}

/** Spaces, digits and line ends put zero bytes on one side of the pairs, in any language; few characters do so on the other. */
function utf16WithoutMark(bytes: Uint8Array): string | null {
  const zeros = [0, 0]
  for (const [index, byte] of bytes.entries()) if (byte === 0) zeros[index % 2]!++
  const [even = 0, odd = 0] = zeros
  if (Math.max(even, odd) < Math.max(2, bytes.length / 100)) return null
  if (Math.min(even, odd) * 3 > Math.max(even, odd)) return null
  return odd > even ? 'utf-16le' : 'utf-16be'
}

function legacy(bytes: Uint8Array): string {
  const sample = tellingLines(bytes).subarray(0, SAMPLE)
  if (isKorean(sample)) return 'euc-kr'
  const guesses = analyse(sample).map(({ name }) => name)
  const isLikely = (name: string): boolean =>
    isKnown(name) && !/^(ascii|utf)/i.test(name) && (name !== 'EUC-KR' || hasParticles(sample))
  return guesses.find(isLikely) ?? 'windows-1252'
}

/** Korean that is mostly Hanja is told from Chinese by its grammar: one syllable in ten and more is one of these. */
function hasParticles(sample: Uint8Array): boolean {
  const { text } = decoded('euc-kr', sample)
  const particles = text.match(/[은는이가을를의에다로고]/g)?.length ?? 0
  return particles > 0 && particles * 10 >= countSyllables(text)
}

/** The lines that are not ASCII: others look like English, and hide of which language the rest is. */
function tellingLines(bytes: Uint8Array): Uint8Array {
  const lines = Buffer.from(bytes).toString('latin1').split('\n')
  // oxlint-disable-next-line no-control-regex
  return Buffer.from(lines.filter((line) => /[^\x00-\x7f]/.test(line)).join('\n'), 'latin1')
}

/**
 * Other encodings read as EUC-KR give Hanja, signs and errors; Korean gives syllables. So does Shift JIS read as CP949,
 * but those that only CP949 has, of which Korean needs few.
 */
function isKorean(sample: Uint8Array): boolean {
  const { text, unreadable } = decoded('euc-kr', sample)
  const syllables = countSyllables(text)
  const foreign = nonAscii(text)
  const frequent = countSyllables(new TextDecoder('euc-kr').decode(sample))
  return (
    syllables >= 2 && syllables >= foreign * 0.85 && unreadable <= syllables / 10 && frequent * 2 >= syllables
  )
}

const countSyllables = (text: string): number => text.match(/[가-힣]/g)?.length ?? 0

const nonAscii = (text: string): number => text.match(/[\u0080-\ufffc]/g)?.length ?? 0

/** Node's EUC-KR is the narrow one, without CP949's 8 822 syllables that the web's has. */
function decodeAs(label: string, bytes: Uint8Array): string {
  const decoder = new TextDecoder(label)
  return decoder.encoding === 'euc-kr' ? iconv.decode(bytes, 'cp949') : decoder.decode(bytes)
}

function decoded(label: string, bytes: Uint8Array): Decoded {
  const { encoding } = new TextDecoder(label)
  const text = decodeAs(label, bytes)
  return { text, encoding, unreadable: text.split('\ufffd').length - 1 }
}

function isKnown(label: string): boolean {
  try {
    return new TextDecoder(label).encoding !== ''
  } catch {
    return false
  }
}
