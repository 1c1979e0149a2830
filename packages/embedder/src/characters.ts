/** What a character does to a text on its way to words, as uncased BERT cuts it. */
export const CharacterClass = {
  /** Part of a word; its normal form is one UTF-16 unit long. */
  letter: 1,
  /** Part of a word; its normal form (accent-free, lower-case, decomposed) is longer or shorter. */
  mapped: 2,
  space: 3,
  /** A word of its own: punctuation, symbols of ASCII, Han characters. */
  alone: 4,
  /** Leaves no trace and does not part words: control characters, accents. */
  dropped: 5,
} as const

const SPACE = /\s/u
const PUNCTUATION = /[\p{P}!-/:-@[-`{-~]/u
const HAN =
  /[\u4e00-\u9fff\u3400-\u4dbf\u{20000}-\u{2a6df}\u{2a700}-\u{2ceaf}\uf900-\ufaff\u{2f800}-\u{2fa1f}]/u
const DROPPED = /[\0\ufffd]|(?![\t\n\r])[\p{Cc}\p{Cf}\p{Co}]/u
const REMEMBERED_CHARACTERS = 20_000
const ACCENTS = /\p{Mn}/gu

const knownForms = new Map<string, string>()

/** Decomposed, without accents, lower-case. Character by character: a final sigma is a sigma like any other. */
export function normalForm(character: string): string {
  let form = knownForms.get(character)
  if (form === undefined) {
    form = Array.from(character.normalize('NFD').replace(ACCENTS, ''), (c) => c.toLowerCase()).join('')
    if (knownForms.size < REMEMBERED_CHARACTERS) knownForms.set(character, form)
  }
  return form
}

function classify(character: string): number {
  if (DROPPED.test(character)) return CharacterClass.dropped
  if (SPACE.test(character)) return CharacterClass.space
  const normal = normalForm(character)
  if (normal === '') return CharacterClass.dropped
  if (PUNCTUATION.test(normal) || HAN.test(normal)) return CharacterClass.alone
  return normal.length === 1 && character.length === 1 ? CharacterClass.letter : CharacterClass.mapped
}

/** Classes of the basic plane, filled as characters are met: regular expressions run once a character, not once a place. */
const classes = new Uint8Array(0x10000)
/** Normal forms of the basic plane's letters; 0 where not met yet. */
const normals = new Uint16Array(0x10000)
const beyond = new Map<number, number>()

export function classOf(codePoint: number): number {
  if (codePoint < 0x10000) return (classes[codePoint] ||= classify(String.fromCharCode(codePoint)))
  let known = beyond.get(codePoint)
  if (known === undefined) {
    known = classify(String.fromCodePoint(codePoint))
    if (beyond.size < REMEMBERED_CHARACTERS) beyond.set(codePoint, known)
  }
  return known
}

/** The normal form of a `letter`, as a UTF-16 unit. */
export const normalUnit = (codeUnit: number): number =>
  (normals[codeUnit] ||= normalForm(String.fromCharCode(codeUnit)).charCodeAt(0))
