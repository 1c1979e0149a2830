import { pointedTo } from '@medialog/application/ports'
import type { AnsweringEmbedder } from './embedder-port.ts'

/** What a word is, as search has it, so that both sides of the service find the same words alike. */
export interface Lexicon {
  /** Every word of a text as it stands there. */
  words: (text: string) => Iterable<string>
  /** What a word is compared by; none for words that carry grammar only. */
  termsOf: (word: string) => string[]
}

/** What is longer is no word, and takes a stemmer more time than there is. */
const LONGEST_WORD = 64

/** The same for words of any length. */
export const boundedLexicon = ({ words, termsOf }: Lexicon): Lexicon => ({
  *words(text) {
    for (const word of words(text)) yield word.slice(0, LONGEST_WORD)
  },
  termsOf,
})

/** What kind of thing an answer must name. */
export type Expected = 'quantity' | 'time' | 'person' | 'place' | 'reason' | 'name'

export interface AskedWord {
  word: string
  terms: string[]
  /** Taken over from the conversation before, where the question points back to it: counts little. */
  carried: boolean
}

export interface Asked {
  text: string
  words: AskedWord[]
  expects: Expected | null
  /** It asks for no detail, but what the material is about. */
  overview: boolean
}

const KINDS: readonly [Expected, RegExp][] = [
  ['quantity', /\bhow (?:many|much|long|fast|deep|high|often|old|far|large|big|heavy|tall|quickly|wide)\b/i],
  ['time', /^(?:when\b|(?:in|on|at) (?:what|which) (?:year|day|month|date)\b)/i],
  ['person', /^who(?:m|se)?\b/i],
  ['place', /^where\b/i],
  ['name', /^(?:what|which|how)\b.*\b(?:called?|nickname|named?)\b/i],
  ['reason', /^why\b/i],
]

/** Words that say which kind of thing is asked for, and verbs that say little: an answer need not repeat them. */
const MEASURES = new Set(
  `many much long fast deep high often old far large big heavy tall quickly wide year day month date kind called call
  name named nickname go goes get gets got take takes need needs put come comes`.split(/\s+/),
)

/** Words of questions such as "what is this document about" or "please summarise the picture". */
const OVERVIEW = new Set(
  `document file text page paper report article book note image picture photo photograph video audio recording sound
  song model table data material content contents media item upload thing summary summarise summarize summarised
  overview describe description explain tell say says show shows please give brief briefly short main key point points
  idea ideas topic topics subject gist see know hear look looks happen happens`.split(/\s+/),
)

/** A question that is a whole text is known by its beginning. */
const MOST_WORDS = 64

/** What a question asks for, by its words; `context` is what was said before. */
export function askedFor(query: string, context: string | null, lexicon: Lexicon): Asked {
  const text = query.trim()
  const own = wordsOf(text, lexicon)
  const telling = own.filter(({ word }) => !MEASURES.has(word.toLowerCase()))
  const words = telling.length > 0 ? telling : own
  const known = new Set(words.flatMap(({ terms }) => terms))
  const carried = wordsOf(pointedTo(text, context), lexicon).filter(
    ({ terms }) => !terms.some((term) => known.has(term)),
  )
  return {
    text,
    words: [...words, ...carried.map((word) => ({ ...word, carried: true }))],
    expects: KINDS.find(([, pattern]) => pattern.test(text))?.[0] ?? null,
    overview: words.every(({ word }) => OVERVIEW.has(word.toLowerCase())) && carried.length === 0,
  }
}

function wordsOf(text: string, { words, termsOf }: Lexicon): AskedWord[] {
  const found = new Map<string, AskedWord>()
  for (const word of words(text)) {
    const terms = termsOf(word)
    if (terms.length > 0) found.set(terms.join(' '), { word, terms, carried: false })
  }
  return [...found.values()].slice(0, MOST_WORDS)
}

const NUMBER =
  '(?:\\d[\\d.,]*|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|hundred|thousand|million|half|dozen|percent)'
const DATE =
  /\b(?:1\d{3}|20\d\d)\b|\b(?:January|February|March|April|May|June|July|August|September|October|November|December|Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday)\b/
const MARKS: Record<Expected, RegExp> = {
  quantity: new RegExp(`\\b${NUMBER}\\b`, 'i'),
  time: DATE,
  person:
    /(?<=[\p{L},;:“"] )\p{Lu}\p{Ll}+|\b(?:King|Queen|Dr|Prof|Mr|Mrs|Ms)\b|^\p{Lu}\p{Ll}+ \p{Lu}\p{Ll}+/u,
  place: /\b(?:in|at|off|near|from|of|to|into)\s+(?:the\s+)?\p{Lu}|\bin the\b/u,
  reason: /\b(?:because|since|so that|due to|as it|in order|therefore|by itself|caused?|thus)\b|:/i,
  name: /\bcall(?:s|ed)?\b|\bnamed\b|\bknown as\b|\bnicknam/i,
}
const VAGUE_TIME = /\b(?:after|before|until|since|for|within|later)\b/i
/** Kinds that a sentence can hardly name without the mark. */
const MARKED: readonly Expected[] = ['quantity', 'time', 'person']

/** How a sentence fits the kind of thing asked for: from −1 (it cannot name it) over 0 (no telling) to 1. */
export function fit(expects: Expected | null, sentence: string): number {
  if (expects === null) return 0
  if (MARKS[expects].test(sentence)) return 1
  if (expects === 'time' && VAGUE_TIME.test(sentence)) return 0.5
  return MARKED.includes(expects) ? -1 : 0
}

export interface SelectOptions {
  embedder: AnsweringEmbedder
  lexicon: Lexicon
}
