import { runs, type Term } from './grammar.ts'
import { asKeyword, isContent, isGrammar, rarity, segmentedWords, withoutParticle } from './words.ts'

export interface Phrase {
  text: string
  count: number
  /** Frequency × rarity of its words: how much it is about this text, whatever its meaning. */
  weight: number
}

const LONGEST = 4
/** Verbs that the parser takes for plural nouns when they stand behind one: `the table shows`. */
const PREDICATES = new Set(
  `says shows describes gives takes makes uses goes comes gets keeps finds helps needs seems means begins becomes
  contains includes provides presents discusses examines explains requires allows offers follows leads occurs exists
  sleeps grows falls rises remains stays runs lives works ends starts stops opens closes holds brings sends tells`.split(
    /\s+/,
  ),
)
/** Parts of any document: by themselves they name no subject. */
const PARTS = new Set(
  `abstract appendix background chapter chapters conclusion conclusions contents discussion figure figures introduction
  note notes overview page pages percent reference references result results section sections summary table tables`.split(
    /\s+/,
  ),
)
const PLAIN = /^[\p{L}\p{N}][\p{L}\p{N}\p{M}'’.-]*$/u

const inNounPhrase = ({ text, tags }: Term): boolean =>
  PLAIN.test(text) &&
  !isGrammar(text.toLowerCase()) &&
  !PREDICATES.has(text) &&
  withoutParticle(text) !== null &&
  (tags.has('Noun') || tags.has('Adjective')) &&
  !tags.has('Pronoun') &&
  !tags.has('Date') &&
  !tags.has('Value')

/** Noun phrases of up to four words, lower-case, by weight; at most `limit`. */
export function nounPhrases(sentences: readonly (readonly Term[])[], limit: number): Phrase[] {
  const counts = new Map<string, number>()
  for (const sentence of sentences)
    for (const run of runs(sentence, inNounPhrase)) {
      while (run.length > 0 && !run.at(-1)!.tags.has('Noun')) run.pop()
      const words = run.slice(-LONGEST).map(({ text }) => text.toLowerCase().replace(/['’]s?$|\.$/u, ''))
      if (words.length > 0 && words.every(isContent) && !(words.length === 1 && PARTS.has(words[0]!)))
        counts.set(words.join(' '), (counts.get(words.join(' ')) ?? 0) + 1)
    }
  return heaviest(counts, limit, (text) => {
    const words = text.split(' ')
    const rare = words.reduce((sum, word) => sum + rarity(word), 0) / words.length
    return rare * (1 + 0.25 * (words.length - 1))
  })
}

/** Frequent words of a text in any language: what can be said without knowing its grammar. */
export function frequentWords(text: string, limit: number): Phrase[] {
  const counts = new Map<string, number>()
  for (const written of segmentedWords(text.slice(0, 200_000))) {
    const word = asKeyword(written)
    if (word !== null) counts.set(word, (counts.get(word) ?? 0) + 1)
  }
  // Short words of Latin or Cyrillic are mostly grammar; in Hangul, Han and Kana two signs make a word.
  return heaviest(counts, limit, (word) =>
    /[\p{Script=Hangul}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u.test(word)
      ? 1
      : Math.min(1, Math.max(0, word.length - 3) / 4),
  )
}

function heaviest(counts: Map<string, number>, limit: number, weigh: (text: string) => number): Phrase[] {
  return [...counts]
    .map(([text, count]) => ({ text, count, weight: (1 + Math.log(count)) * weigh(text) }))
    .filter(({ weight }) => weight > 0)
    .sort((a, b) => b.weight - a.weight || (a.text < b.text ? -1 : 1))
    .slice(0, limit)
}
