import { analyse } from 'chardet'
import iconv from 'iconv-lite'

export interface Decoded {
  text: string
  /** WHATWG name, e.g. `utf-8`, `utf-16le`, `euc-kr` (which includes CP949). */
  encoding: string
  /** How many places could not be decoded. */
  unreadable: number
}

/** Sequences that begin Japanese in seven bits (RFC 1468). */
// oxlint-disable-next-line no-control-regex
const ISO_2022_JP = /\x1b(?:\$[@B]|\([JI])/
const ISO_2022_KR = /^(?:cs)?iso-?2022-?kr$/i

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
 * and not that, then the escapes of ISO-2022-JP, then UTF-8, then what the bytes look like, and windows-1252 (which takes
 * anything) at last.
 */
export function decode(bytes: Uint8Array, declared?: string): Decoded {
  const sure = byMark(bytes) ?? utf16WithoutMark(bytes.subarray(0, SAMPLE))
  if (sure) return decoded(sure, bytes)
  const stated = declared && isKnown(declared) && !UNTRUSTED.test(declared) ? decoded(declared, bytes) : null
  if (stated?.unreadable === 0) return stated
  const utf8 = decoded('utf-8', bytes)
  // Hardly anything else is UTF-8 to the last byte by chance, except what has seven bits.
  if (stated) return utf8.unreadable === 0 && nonAscii(utf8.text) > 0 ? utf8 : stated
  if (utf8.unreadable === 0 && ISO_2022_JP.test(utf8.text)) return decoded('iso-2022-jp', bytes)
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

/** Encodings of alphabets of which no letter is ASCII. */
const OTHER_ALPHABET = /^(?:KOI8-R|windows-125[1356]|ISO-8859-[5-8](?:-I)?)$/
/** So many different bytes are words; fewer may be dashes and quotation marks. */
const FEWEST_BYTES = 10
const TWO_BYTES = /^(?:Shift_JIS|EUC-JP|EUC-KR|Big5|GB18030)$/
/** The library's confidence in an encoding of two bytes for a few characters, of 100. */
const WEAK = 10
const WESTERN = /^(?:windows-1252|ISO-8859-1)$/
const OTHER_LATIN = /^(?:windows-125[04]|ISO-8859-[29])$/
/** Of the library's 100: what its second best guess often has. */
const LEAST_CONFIDENCE = 25

/** What the lines look like, unless their words alone tell more: in markup and beside English there are few of them. */
function legacy(bytes: Uint8Array): string {
  const lines = tellingLines(bytes).subarray(0, SAMPLE)
  if (isKorean(lines)) return 'euc-kr'
  if (isThai(lines)) return 'windows-874'
  const words = tellingWords(lines)
  const share = foreignShare(words)
  const isOther = share >= 0.7 && new Set(words.filter((byte) => byte > 0x7f)).size >= FEWEST_BYTES
  const alphabet = isOther ? guessOf(words, share) : ''
  if (OTHER_ALPHABET.test(alphabet)) return alphabet
  const guess = guessOf(lines, share)
  return WESTERN.test(guess) ? (otherLatin(words) ?? guess) : guess
}

/** How many bytes of words are not ASCII, of 1. */
const foreignShare = (words: Uint8Array): number =>
  words.filter((byte) => byte > 0x7f).length / Math.max(1, words.filter((byte) => byte > 0x3f).length)

/** An encoding of Central Europe or of Turkish, where it is twice as likely as that of Western Europe. */
function otherLatin(words: Uint8Array): string | null {
  const guesses = analyse(words)
  const [first] = guesses
  const western = guesses.find(({ name }) => WESTERN.test(name))?.confidence ?? 0
  const isLikely = first && first.confidence >= Math.max(LEAST_CONFIDENCE, 2 * western)
  return isLikely && OTHER_LATIN.test(first.name) ? first.name : null
}

/** `share` tells a few accents from characters of two bytes, for which the library has the least confidence. */
function guessOf(sample: Uint8Array, share: number): string {
  const isLikely = ({ name, confidence }: { name: string; confidence: number }): boolean =>
    isKnown(name) &&
    !/^(ascii|utf)/i.test(name) &&
    !(TWO_BYTES.test(name) && confidence <= WEAK && share < 0.45) &&
    (name !== 'EUC-KR' || hasParticles(sample))
  return analyse(sample).find(isLikely)?.name ?? 'windows-1252'
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

// oxlint-disable-next-line no-control-regex
const BETWEEN_WORDS = /[\x00-\x3f]+/

/** The words among them that are not ASCII. They are parted at bytes that are never the second one of two. */
function tellingWords(lines: Uint8Array): Uint8Array {
  const words = Buffer.from(lines).toString('latin1').split(BETWEEN_WORDS)
  // oxlint-disable-next-line no-control-regex
  return Buffer.from(words.filter((word) => /[^\x00-\x7f]/.test(word)).join(' '), 'latin1')
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

/** A vowel or a tone that is written above or below the letter before it. */
const THAI_MARK = /[\u0e31\u0e34-\u0e3a\u0e47-\u0e4e]/g
const STRAY_THAI_MARK =
  /(?<![\u0e01-\u0e2e\u0e31\u0e34-\u0e3a\u0e45\u0e47-\u0e4e])[\u0e31\u0e34-\u0e3a\u0e47-\u0e4e]/g

const RARE_THAI = /[ฃฅฆฌฎฏฐฑฒฤฦฬฮ]/g

/** Thai, which the library does not know: marks are frequent and follow a letter, and some letters are rare. */
function isThai(sample: Uint8Array): boolean {
  const { text, unreadable } = decoded('windows-874', sample)
  const count = (letters: RegExp): number => text.match(letters)?.length ?? 0
  const [letters, marks] = [count(/[\u0e01-\u0e5b]/g), count(THAI_MARK)]
  if (unreadable > 0 || letters < nonAscii(text) * 0.9 || marks < Math.max(2, letters / 10)) return false
  return count(STRAY_THAI_MARK) <= marks / 20 && count(RARE_THAI) <= letters / 20
}

const countSyllables = (text: string): number => text.match(/[가-힣]/g)?.length ?? 0

const nonAscii = (text: string): number => text.match(/[\u0080-\ufffc]/g)?.length ?? 0

/** Node's EUC-KR is the narrow one, without CP949's 8 822 syllables that the web's has. */
function decodeAs(label: string, bytes: Uint8Array): string {
  const decoder = new TextDecoder(label)
  return decoder.encoding === 'euc-kr' ? iconv.decode(bytes, 'cp949') : decoder.decode(bytes)
}

function decoded(label: string, bytes: Uint8Array): Decoded {
  if (ISO_2022_KR.test(label)) return decoded('euc-kr', inEightBits(bytes))
  const { encoding } = new TextDecoder(label)
  const text = decodeAs(label, encoding === 'iso-2022-jp' ? withoutIdleEscapes(bytes) : bytes)
  return { text, encoding, unreadable: text.split('\ufffd').length - 1 }
}

// oxlint-disable-next-line no-control-regex
const IDLE_ESCAPES = /\x1b(?:\$\(?|\()[@-Z](?=\x1b(?:\$|\())/g

/**
 * ISO-2022-JP without escapes that the next one follows at once, as where encoded words of a header are joined: the decoders'
 * standard (Encoding, 13.2) takes them for an error.
 */
const withoutIdleEscapes = (bytes: Uint8Array): Uint8Array =>
  Buffer.from(Buffer.from(bytes).toString('latin1').replace(IDLE_ESCAPES, ''), 'latin1')

// oxlint-disable-next-line no-control-regex
const KOREAN_FOLLOWS = /\x1b\$\)C\r?\n?/g

/** EUC-KR of ISO-2022-KR (RFC 1557): between the shifts, bytes without their eighth bit. Browsers do not decode it. */
function inEightBits(bytes: Uint8Array): Uint8Array {
  const text = Buffer.from(bytes).toString('latin1').replace(KOREAN_FOLLOWS, '')
  // oxlint-disable-next-line no-control-regex
  const eight = text.replace(/\x0e([^\x0f]*)\x0f?/g, (_, seven: string) =>
    // oxlint-disable-next-line no-control-regex
    seven.replace(/[\x21-\x7e]/g, (sign) => String.fromCharCode(sign.charCodeAt(0) | 0x80)),
  )
  return Buffer.from(eight, 'latin1')
}

function isKnown(label: string): boolean {
  if (ISO_2022_KR.test(label)) return true
  try {
    return new TextDecoder(label).encoding !== ''
  } catch {
    return false
  }
}
