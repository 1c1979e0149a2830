import { contentWords } from './words.ts'

export interface Sentence {
  text: string
  /** Content words, lower-case. */
  words: string[]
  /** Its number in the text. */
  index: number
}

const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' })
/** A mark that stands alone between spaces ends a sentence, whatever follows: Unicode's rule wants a capital letter. */
const LONE_MARK = /\s[.!?]+\s+(?=\S)/g

/** Where the sentences and lines of a text begin, in order, in UTF-16 code units. */
export function sentenceStarts(text: string): number[] {
  const starts = new Set<number>()
  for (const { index } of segmenter.segment(text)) starts.add(index)
  for (const { index, 0: mark } of text.matchAll(LONE_MARK)) starts.add(index + mark.length)
  return [...starts].sort((a, b) => a - b)
}

const ABBREVIATION =
  /(?:(?<![\p{L}\p{N}])(?:Mr|Mrs|Ms|Dr|Prof|St|vs|e\.g|i\.e|Inc|Ltd|Co|No|Fig|al|approx)|(?<![\p{L}\p{N}])\p{Lu})\.\s*$/u
/**
 * A line that goes on in the next: wrapped before a small letter, or so long that it was surely wrapped. Rows of a table
 * are lines of their own, however long.
 */
const WRAPPED =
  /\n(?<![.!?:;\n]\n)(?<! \| [^\n]*\n)(?![^\n]* \| )(?:(?=\p{Ll})|(?<=[^\n]{61}\n)(?=[\p{L}\p{N}"'“‘(]))/gu

/** Sentences in reading order; lines that were only wrapped are joined, `Dr.` ends none. */
export function sentencesOf(text: string): Sentence[] {
  const unwrapped = text.replace(WRAPPED, ' ')
  const starts = sentenceStarts(unwrapped)
  const found: Sentence[] = []
  let open = ''
  for (const [index, start] of starts.entries()) {
    const segment = unwrapped.slice(start, starts[index + 1])
    open += segment
    if (!segment.includes('\n') && ABBREVIATION.test(segment.slice(-12))) continue
    push(found, open)
    open = ''
  }
  push(found, open)
  return found
}

function push(found: Sentence[], raw: string): void {
  const text = raw.replace(/\s+/gu, ' ').trim()
  if (text !== '') found.push({ text, words: contentWords(text), index: found.length })
}

const LONGEST = 400

/** Whether it can stand for the text: a sentence with an end, neither heading nor table row nor blob. */
const isQuotable = ({ text, words }: Sentence): boolean =>
  // Korean says with endings what others need words for.
  words.length >= (/\p{Script=Hangul}/u.test(text) ? 2 : 3) &&
  text.length <= LONGEST &&
  /[.!?。！？…]["”’')\]]*$/u.test(text)

/** Beginnings that point back to a sentence before: without it they leave the reader asking what is meant. */
const POINTS_BACK =
  /^(?!this (?:\p{L}+ )?(?:report|paper|article|study|thesis|book|chapter|guide|document|note|page|letter)\b)(?:it|its|they|their|he|she|his|her|this|these|those|such|however|but|and|so|then|thus|therefore|hence|also|moreover|instead|otherwise|both)\b/iu

export const pointsBack = (text: string): boolean => POINTS_BACK.test(text)

/**
 * The sentences most like the text by their words: mean log frequency of content words, a little more for the first,
 * less for those that lean on another. In reading order, at most `limit`; empty where no line is a sentence.
 */
export function centralSentences(sentences: readonly Sentence[], limit: number): Sentence[] {
  const counts = new Map<string, number>()
  for (const { words } of sentences) for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
  const score = ({ text, words, index }: Sentence): number => {
    const sum = words.reduce((total, word) => total + Math.log1p(counts.get(word)!), 0)
    const place = (index < 3 ? 1.25 : 1) * (pointsBack(text) ? 0.8 : 1)
    return (sum / words.length) * Math.min(1, words.length / 8) * place
  }
  const seen = new Set<string>()
  return sentences
    .filter((sentence) => isQuotable(sentence) && !seen.has(sentence.text) && seen.add(sentence.text))
    .map((sentence) => ({ sentence, score: score(sentence) }))
    .sort((a, b) => b.score - a.score || a.sentence.index - b.sentence.index)
    .slice(0, limit)
    .map(({ sentence }) => sentence)
    .sort((a, b) => a.index - b.index)
}

/** A text of at most `limit` characters: whole sentences where that leaves half of it, else whole words and `…`. */
export function shortened(text: string, limit: number): string {
  if (text.length <= limit) return text
  const start = text.slice(0, limit)
  const end = Math.max(
    ...[...start.matchAll(/[.!?。！？…]["”’')\]]*(?=\s|$)/gu)].map((m) => m.index + m[0].length),
    0,
  )
  if (end >= limit / 2) return start.slice(0, end)
  const word = start.slice(0, limit - 1).replace(/\s+\S{0,60}$/u, '')
  return `${word.toWellFormed()}…`
}
