import { isContent, wordsOf } from './words.ts'

export interface Sentence {
  text: string
  /** Content words, lower-case. */
  words: string[]
  /** Its number in the text. */
  index: number
}

const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' })
const ABBREVIATION = /(?:\b(?:Mr|Mrs|Ms|Dr|Prof|St|vs|e\.g|i\.e|Inc|Ltd|Co|No|Fig|al|approx)|\b\p{Lu})\.\s*$/u

/** Sentences in reading order; lines that were only wrapped are joined, `Dr.` ends none. */
export function sentencesOf(text: string): Sentence[] {
  const found: Sentence[] = []
  let open = ''
  for (const { segment } of segmenter.segment(text.replace(/(?<![.!?:;\n])\n(?=\p{Ll})/gu, ' '))) {
    open += segment
    if (ABBREVIATION.test(segment) && !segment.includes('\n')) continue
    push(found, open)
    open = ''
  }
  push(found, open)
  return found
}

function push(found: Sentence[], raw: string): void {
  const text = raw.replace(/\s+/gu, ' ').trim()
  if (text !== '') found.push({ text, words: wordsOf(text).filter(isContent), index: found.length })
}

const LONGEST = 400

/** Whether it can stand for the text: a sentence with an end, neither heading nor table row nor blob. */
const isQuotable = ({ text, words }: Sentence): boolean =>
  words.length >= 4 && text.length <= LONGEST && /[.!?。！？…]["”’')\]]*$/u.test(text)

/**
 * The sentences most like the text by their words: mean log frequency of content words, a little more for the first.
 * In reading order, at most `limit`. Where no line is a sentence, the first lines.
 */
export function centralSentences(sentences: readonly Sentence[], limit: number): Sentence[] {
  const counts = new Map<string, number>()
  for (const { words } of sentences) for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
  const score = ({ words, index }: Sentence): number => {
    const sum = words.reduce((total, word) => total + Math.log1p(counts.get(word)!), 0)
    return (sum / words.length) * Math.min(1, words.length / 8) * (index < 3 ? 1.25 : 1)
  }
  const seen = new Set<string>()
  const quotable = sentences.filter(
    (sentence) => isQuotable(sentence) && !seen.has(sentence.text) && seen.add(sentence.text),
  )
  if (quotable.length === 0) return sentences.filter(({ text }) => /\p{L}/u.test(text)).slice(0, 3)
  return quotable
    .map((sentence) => ({ sentence, score: score(sentence) }))
    .sort((a, b) => b.score - a.score || a.sentence.index - b.sentence.index)
    .slice(0, limit)
    .map(({ sentence }) => sentence)
    .sort((a, b) => a.index - b.index)
}
