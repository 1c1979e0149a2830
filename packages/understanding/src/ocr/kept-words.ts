import type { Word } from './engine.ts'

/** What was read of a picture, without what is not to be trusted. */
export interface KeptText {
  /** Paragraphs, their lines parted by line ends. */
  paragraphs: string[]
  words: number
  /** Words that were dropped because Tesseract was not sure of them. */
  dropped: number
  /** Sum over the kept words' letters of their confidence (0 to 1): divided by `letters` it is the mean. */
  confidence: number
  letters: number
}

/** Below it a word is more often wrong than right. */
const LEAST_CONFIDENCE = 60
/** Where less than this share of the letters is kept, the rest is chance too. */
const LEAST_KEPT = 0.4
/** That one word at least has to have. */
const LEAST_LETTERS = 3

const NOTHING: KeptText = { paragraphs: [], words: 0, dropped: 0, confidence: 0, letters: 0 }

/**
 * Keeps the words with a confidence of 60 or more; none at all where they hold less than 40 % of the letters, or none has
 * three.
 */
export function keptText(words: readonly Word[]): KeptText {
  const real = words.filter(({ text }) => lettersOf(text) > 0)
  const kept = words.filter(({ text, confidence }) => confidence >= LEAST_CONFIDENCE && !RULE.test(text))
  const letters = sum(kept.map(({ text }) => lettersOf(text)))
  const found = sum(real.map(({ text }) => lettersOf(text)))
  if (letters < LEAST_KEPT * found || !kept.some(({ text }) => lettersOf(text) >= LEAST_LETTERS))
    return NOTHING
  const keptReal = kept.filter(({ text }) => lettersOf(text) > 0)
  return {
    paragraphs: paragraphsOf(kept),
    words: keptReal.length,
    dropped: real.length - keptReal.length,
    confidence: sum(keptReal.map(({ text, confidence }) => (lettersOf(text) * confidence) / 100)),
    letters,
  }
}

const lettersOf = (text: string): number => text.match(/[\p{L}\p{N}]/gu)?.length ?? 0

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0)

/** Bars, tildes and the like are rules and specks, alone or between words. */
const RULE = /^[|¦~_—–.,:;'"‘’“”°•·-]+$/

function paragraphsOf(words: readonly Word[]): string[] {
  const paragraphs = Map.groupBy(words, ({ block, paragraph }) => `${block} ${paragraph}`)
  return [...paragraphs.values()]
    .map((inParagraph) =>
      [...Map.groupBy(inParagraph, ({ line }) => line).values()]
        .map((line) => line.map(({ text }) => text).join(' '))
        .filter((line) => lettersOf(line) > 0)
        .join('\n')
        .replace(/(\p{Ll})[-\u00ad]\n(?=\p{Ll})/gu, '$1'),
    )
    .filter((paragraph) => paragraph !== '')
}
