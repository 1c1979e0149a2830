import { franc } from 'franc-min'
import { byFunctionWords, hasFunctionWords } from './function-words.ts'

const SAMPLE = 4000
/** Fewer letters than this say too little against what the document declares. */
const CONVINCING = 100
/** What a letter of each script says: a syllable or ideogram is worth several letters of an alphabet. */
const SCRIPTS = [
  { name: 'hangul', letters: /\p{sc=Hangul}/gu, weight: 2.5 },
  { name: 'kana', letters: /[\p{sc=Hiragana}\p{sc=Katakana}]/gu, weight: 2.5 },
  { name: 'han', letters: /\p{sc=Han}/gu, weight: 2 },
  { name: 'latin', letters: /\p{sc=Latin}/gu, weight: 1 },
  {
    name: 'other',
    letters: /[^\p{sc=Hangul}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Han}\p{sc=Latin}\P{L}]/gu,
    weight: 1,
  },
] as const
/** Of a language without known function words: trigrams of so many words are believed. */
const UNKNOWN_WORDS = 40
type Script = (typeof SCRIPTS)[number]['name']

/** A word or two of these scripts is enough; languages of one alphabet differ little, and short texts mislead. */
const ENOUGH: Record<Script, number> = { hangul: 10, kana: 10, han: 10, latin: 50, other: 80 }

/** Cyrillic alphabets that lack ы and э: the detector takes Russian for Bulgarian. */
const WITHOUT_Y_AND_E = ['bul', 'ukr', 'srp', 'bos', 'mkd']

/** Addresses say nothing of the language around them. */
const ADDRESS = /\S+@\S+|\bhttps?:\S+/gu

/** BCP 47 language of a text: as it reads, or as `declared` where that tells too little; else null. */
export function languageOf(text: string, declared?: string | null): string | null {
  const sample = text.slice(0, SAMPLE).replace(ADDRESS, ' ')
  const letters = sample.match(/\p{L}/gu)?.length ?? 0
  const stated = canonical(declared)
  const detected = detect(sample)
  if (stated === null || detected === null) return stated ?? detected
  // The same language keeps its declared region or script: `en-GB`, `zh-Hant`.
  if (stated.split('-')[0] === detected) return stated
  return letters < CONVINCING && !OF_ONE_SCRIPT.has(detected) ? stated : detected
}

/** Told by their script alone: a few words suffice. */
const OF_ONE_SCRIPT = new Set(['ko', 'ja', 'zh'])

/** The script that says most decides first, so that a few words of another language do not mislead. */
function detect(sample: string): string | null {
  const said = SCRIPTS.map(({ name, letters, weight }) => ({
    name,
    letters,
    amount: (sample.match(letters)?.length ?? 0) * weight,
  }))
  const most = said.reduce((a, b) => (b.amount > a.amount ? b : a))
  if (most.amount < ENOUGH[most.name]) return null
  const kana = said.find(({ name }) => name === 'kana')!.amount
  if (most.name === 'hangul') return 'ko'
  if (most.name === 'kana' || (most.name === 'han' && kana > most.amount / 10)) return 'ja'
  if (most.name === 'han') return 'zh'
  const words = sample.split(/\s+/).filter((word) => word.search(most.letters) >= 0)
  return most.name === 'latin' ? latinLanguage(words) : trigramLanguage(words, sample)
}

/** Trigrams always name some language, of a table of numbers too: function words have to bear them out. */
function latinLanguage(words: readonly string[]): string | null {
  const plain = words.map((word) => word.toLowerCase().replace(/^[^\p{L}]+|[^\p{L}]+$/gu, ''))
  const told = byFunctionWords(plain)
  if (told !== null) return told
  const guessed = trigramLanguage(words, '')
  return guessed !== null && !hasFunctionWords(guessed) && words.length >= UNKNOWN_WORDS ? guessed : null
}

function trigramLanguage(words: readonly string[], sample: string): string | null {
  const code = franc(words.join(' '), { ignore: /[ыэ]/i.test(sample) ? WITHOUT_Y_AND_E : [] })
  return code === 'und' ? null : canonical(code)
}

/** The canonical tag: `en` for `eng` or `EN`; null for what is no tag. */
function canonical(tag: string | null | undefined): string | null {
  try {
    return tag ? (Intl.getCanonicalLocales(tag.trim().replaceAll('_', '-'))[0] ?? null) : null
  } catch {
    return null
  }
}
