import type { Entities } from '@medialog/application/ports'
import { emotionsOf } from './emotions.ts'
import { entitiesOf } from './entities.ts'
import { taggedSentences } from './grammar.ts'
import { frequentWords, nounPhrases, type Phrase } from './phrases.ts'
import { centralSentences, sentencesOf, type Sentence } from './sentences.ts'
import { isEnglish } from './words.ts'

export interface AnalysisRequest {
  text: string
  language: string | null
  /** The document's title and headings: they name the matter, but are no sentences and say nothing of their own. */
  titles: readonly string[]
}

/** What can be said of a text from its words and grammar alone. */
export interface Analysis {
  english: boolean
  /** Content words. */
  words: number
  /** Those that stand for the text, in reading order; empty where no line is a sentence. */
  central: string[]
  /** The same in other words: places in `central` of the few that stand for it best by their words. */
  heaviest: number[]
  /** The first lines that are no headings, of a text without others its headings. */
  opening: string[]
  /** Candidates for keywords, heaviest first. */
  phrases: Phrase[]
  emotions: string[]
  entities: Omit<Entities, 'concepts'>
  wordsPerSentence: number
  /** Share of characters that are letters, digits, spaces and common punctuation. */
  legible: number
  /** Share of characters that stand for bytes nobody could read. */
  unreadable: number
  /** Share of content words that occur more than once. */
  repetition: number
}

const CENTRAL = 16
const PHRASES = 24
const OPENING = 3
const HEAVIEST = 3
/** What stands above a message. */
const FIELD = /^(?:From|To|Cc|Date|Attachments): /
/** Characters whose grammar is read: 5 ms a thousand, so that a book costs no more than a chapter. */
const READ = 16_000

/** CPU-bound (up to about 200 ms): runs in a worker thread, as its default export. Deterministic. */
export default function analyse({ text, language, titles }: AnalysisRequest): Analysis {
  const english = isEnglish(text, language)
  const headings = new Set(titles)
  const all = sentencesOf(text)
  const sentences = all.filter((sentence) => !headings.has(sentence.text))
  const central = centralSentences(sentences, CENTRAL)
  const read = english ? readingSample(sentences, central) : []
  const headed = english ? headingSample(titles) : []
  const tagged = taggedSentences(read)
  return {
    english,
    central: central.map((sentence) => sentence.text),
    heaviest: centralSentences(sentences, HEAVIEST).map((sentence) => central.indexOf(sentence)),
    opening: openingOf([sentences.filter(({ text }) => !FIELD.test(text)), sentences, all]),
    phrases: english
      ? nounPhrases([...taggedSentences(headed), ...tagged], PHRASES)
      : frequentWords(text, PHRASES),
    emotions: english ? emotionsOf(text) : [],
    entities: entitiesOf(read, headed, tagged),
    ...measures(text, all),
  }
}

/** The first lines with letters in the first of these that has any. */
function openingOf(choices: readonly (readonly Sentence[])[]): string[] {
  const lines = choices.map((sentences) => sentences.filter(({ text }) => /\p{L}/u.test(text)))
  return (lines.find((some) => some.length > 0) ?? []).slice(0, OPENING).map(({ text }) => text)
}

/** Headings up to a tenth of what is read. */
function headingSample(titles: readonly string[]): string[] {
  let size = 0
  return titles.filter((title) => (size += title.length) <= READ / 10)
}

/** The beginning, the central sentences, then every n-th of the rest, up to `READ` characters, in reading order. */
function readingSample(sentences: readonly Sentence[], central: readonly Sentence[]): string[] {
  const total = sentences.reduce((sum, { text }) => sum + text.length, 0)
  const step = Math.max(1, Math.ceil((2 * total) / READ))
  const rest = sentences.filter(({ index }) => index % step === 0)
  const chosen = new Set<Sentence>()
  let size = 0
  const take = (sentence: Sentence, budget: number): void => {
    if (chosen.has(sentence) || size + sentence.text.length > budget) return
    chosen.add(sentence)
    size += sentence.text.length
  }
  for (const sentence of sentences.slice(0, 400)) take(sentence, READ / 2)
  for (const sentence of [...central, ...rest]) take(sentence, READ)
  // Text without full stops is one sentence, too long to be taken as a whole: then its beginning is.
  if (chosen.size === 0) return sentences.slice(0, 1).map(({ text }) => text.slice(0, READ / 2))
  return [...chosen].sort((a, b) => a.index - b.index).map(({ text }) => text)
}

function measures(
  text: string,
  sentences: readonly Sentence[],
): Pick<Analysis, 'words' | 'wordsPerSentence' | 'legible' | 'unreadable' | 'repetition'> {
  const counts = new Map<string, number>()
  for (const { words } of sentences) for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
  const words = [...counts.values()].reduce((sum, count) => sum + count, 0)
  const again = [...counts.values()].reduce((sum, count) => sum + (count > 1 ? count : 0), 0)
  const all = sentences.reduce((sum, sentence) => sum + sentence.text.split(' ').length, 0)
  const share = (pattern: RegExp): number => (text.match(pattern)?.length ?? 0) / Math.max(1, text.length)
  return {
    words,
    wordsPerSentence: all / Math.max(1, sentences.length),
    legible: share(/[\p{L}\p{M}\p{N}\s.,;:!?'"’“”()/%-]/gu),
    unreadable: share(/[\ufffd\p{Co}]/gu),
    repetition: again / Math.max(1, words),
  }
}
