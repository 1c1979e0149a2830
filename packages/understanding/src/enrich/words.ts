import { tokenizer } from '@medialog/embedder/tokenizer'

/** Words that carry the grammar, not the subject; frequent enough that their share tells English from other languages. */
const GRAMMAR = new Set(
  `a about above across after again against all along also am among an and any are around as at be because been before behind being below between beyond both
  but by can could did do does doing down during each even few for from further had has have having he her here hers
  him himself his how however i if in into is it its itself just may me might more most much must my near no nor not now of
  off often on once one only or other our out over own per said same shall she should since so some such than that the
  their them then there these they this those through to too two under until up upon us very via was we were what when
  where whether which while who whom why will with within without would yet you your`.split(/\s+/),
)

export const isGrammar = (word: string): boolean => GRAMMAR.has(word)

const WORD = /[\p{L}\p{M}\p{N}]+(?:['’.-][\p{L}\p{M}\p{N}]+)*/gu

/** Lower-case words of scripts that part them by spaces. */
export const wordsOf = (text: string): string[] => text.toLowerCase().match(WORD) ?? []

/** What is longer is a blob, not a word. */
const LONGEST_WORD = 64

/** Words that may name a subject: no grammar, no numbers, at least two letters. */
export const isContent = (word: string): boolean =>
  word.length > 1 &&
  word.length <= LONGEST_WORD &&
  !GRAMMAR.has(word) &&
  /\p{L}/u.test(word) &&
  !/^\d/.test(word)

const segmenter = new Intl.Segmenter('und', { granularity: 'word' })

/** Words of any script, Han, Kana and Thai cut by dictionary; for texts that are not English. */
export function segmentedWords(text: string): string[] {
  const words: string[] = []
  for (const { segment, isWordLike } of segmenter.segment(text))
    if (isWordLike) words.push(segment.toLowerCase())
  return words
}

const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u

/** The words of a text that may name a subject, lower case, in any script. */
export const contentWords = (text: string): string[] =>
  (UNSPACED.test(text) ? segmentedWords(text) : wordsOf(text)).filter(isContent)

const HANGUL = /^\p{Script=Hangul}+$/u
const PARTICLE = /(?:에서는|에서|으로|에게|까지|부터|은|는|이|가|을|를|에|의|로|와|과|도)$/u
/** Ends of verbs and adjectives as they stand in sentences. */
const CONJUGATED =
  /(?:[다요]|다고|라고|하고|하여|해서|되어|하며|되며|하는|되는|했던|하기|하면|되면|지만|면서|하게|있는|없는)$/u
/** Korean words that say when, how or that something goes on. */
const ADVERBIAL = new Set(
  '오늘 내일 어제 다음 이번 지난 그리고 그러나 하지만 또한 대한 위한 위해 통해 따라 관련 경우 때문 모든 여러 매우 다시 함께 가장 이미 아직 지금 현재 우리 그것 이것 저것 여기 거기'.split(
    ' ',
  ),
)

/** A Korean noun without the particle behind it; null for what ends like a verb or is none; other words as they are. */
export function withoutParticle(word: string): string | null {
  if (!HANGUL.test(word)) return word
  if (CONJUGATED.test(word) && word.length > 1) return null
  const bare = word.replace(PARTICLE, '')
  if (ADVERBIAL.has(bare) || ADVERBIAL.has(word)) return null
  return bare.length >= 2 ? bare : bare === word || word.length > 2 ? word : null
}

/** `l'eau` → `eau`; null for Japanese words in Hiragana alone, which carry grammar; other words as they are. */
function withoutArticle(word: string): string | null {
  if (/^[\p{Script=Hiragana}ー]+$/u.test(word)) return null
  return word.replace(/^(?:[cdjlmnst]|qu|dell|nell|all|un)['’](?=\p{L})/u, '')
}

/** A word of a text in any language as a keyword; null for one that names nothing. */
export function asKeyword(word: string): string | null {
  const bare = withoutArticle(withoutParticle(word) ?? '')
  return bare !== null && isContent(bare) ? bare : null
}

/**
 * Whether methods made for English apply. The language told by the file decides; else the share of grammar words in
 * the first 500 words (English prose has .35 to .55, other languages below .1); too short a text counts if it is ASCII.
 */
export function isEnglish(text: string, language: string | null): boolean {
  if (language) return /^en(-|$)/i.test(language)
  const words = wordsOf(text.slice(0, 4_000)).slice(0, 500)
  if (words.length === 0) return false
  if (words.length < 12) return words.every((word) => /^[\x20-\x7e’]+$/.test(word))
  const letters = text.slice(0, 4_000).replace(/[^\p{L}]/gu, '')
  const latin = letters.replace(/[^\p{Script=Latin}]/gu, '').length / Math.max(1, letters.length)
  return latin > 0.7 && words.filter(isGrammar).length / words.length >= 0.15
}

const FIRST_WORD = 1_996
const VOCABULARY = 30_522

/**
 * How rare a word is in English, 0 to 1, in place of an idf: the embedder's vocabulary is ordered by frequency, so the
 * logarithm of a word's place says it, and a word of several pieces is rarer than all of them.
 */
export function rarity(word: string): number {
  const ids = tokenizer().ids(word)
  if (ids.length !== 1) return 1
  return Math.log(Math.max(1, ids[0]! - FIRST_WORD + 1)) / Math.log(VOCABULARY - FIRST_WORD)
}
