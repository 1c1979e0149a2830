import { countTokens, tokenizer, type Words } from '@medialog/embedder/tokenizer'
import { sentenceStarts } from './sentences.ts'

/** The embedder reads 254 tokens; the lexical side and the eye prefer less. */
export const PASSAGE_TOKENS = 200
/** Scripts that the vocabulary does not know give few tokens for much text: their passages end by length. */
export const PASSAGE_UNITS = 1600
/** Headings of more than this, one or several without text between them, are text themselves. */
const HEADING_TOKENS = 40
const HEADING_UNITS = 400

export interface Span {
  /** In UTF-16 code units: `[start, end)`. */
  start: number
  end: number
}

/** What passages are packed from: a sentence, a line or a part of one that was too long. */
export interface Unit extends Span {
  tokens: number
  /** A sentence of its own, not a part of one that was too long. */
  whole: boolean
  /** A section begins here. */
  opens: boolean
  /** It is a heading: never the end of a passage where text follows. */
  heading: boolean
}

/** Where sentences and lines begin, in order, with whether a section does; never inside a word. */
function boundaries(text: string, sectionStarts: readonly number[], words: Words): Map<number, boolean> {
  const sections = new Set(sectionStarts)
  const found = new Set(sectionStarts.filter((start) => start >= 0 && start < text.length))
  for (const start of sentenceStarts(text)) found.add(start)
  const result = new Map<number, boolean>()
  let word = 0
  for (const at of [...found].sort((a, b) => a - b)) {
    while (word < words.ends.length && words.ends[word]! <= at) word++
    const begin = Math.min(at, words.starts[word] ?? at)
    result.set(begin, sections.has(at) || result.get(begin) === true)
  }
  return result
}

/**
 * Sentences and even parts of long ones, without the spaces around them. What follows a heading is short enough to
 * stand in one passage with it.
 */
export function* units(text: string, sectionStarts: readonly number[]): Generator<Unit> {
  const words = tokenizer().words(text)
  const starts = [...boundaries(text, sectionStarts, words)]
  let word = 0
  let opens = false
  let headingEnd = 0
  /** Headings that wait for text: where they begin, how long they are. */
  let lead = { start: 0, tokens: 0, waiting: false }
  for (const [index, [begin, opensSection]] of starts.entries()) {
    opens ||= opensSection
    const span = trimmed(text, begin, starts[index + 1]?.[0] ?? text.length)
    if (!span) continue
    if (opens) headingEnd = lineEnd(text, span.start)
    const first = word
    let count = 0
    while (word < words.starts.length && words.starts[word]! < span.end) count += words.tokens[word++]!
    if (!lead.waiting) lead = { start: span.start, tokens: 0, waiting: false }
    const leading = lead.tokens + count
    if (span.end <= headingEnd && leading <= HEADING_TOKENS && span.end - lead.start <= HEADING_UNITS) {
      lead = { start: lead.start, tokens: leading, waiting: true }
      yield { ...span, tokens: count, whole: true, opens, heading: true }
    } else {
      const room = {
        tokens: PASSAGE_TOKENS - lead.tokens,
        units: PASSAGE_UNITS - (span.start - lead.start),
      }
      const whole = count <= room.tokens && span.end - span.start <= room.units
      for (const part of whole
        ? [{ ...span, tokens: count }]
        : evenParts(text, { ...span, tokens: count }, words, first, word, room)) {
        yield { ...part, whole, opens, heading: false }
        opens = false
      }
      lead.waiting = false
    }
    opens = false
  }
}

function lineEnd(text: string, start: number): number {
  const end = text.indexOf('\n', start)
  return end < 0 ? text.length : end
}

function trimmed(text: string, start: number, end: number): Span | null {
  while (start < end && isSpace(text, start)) start++
  while (end > start && isSpace(text, end - 1)) end--
  return start < end ? { start, end } : null
}

const isSpace = (text: string, at: number): boolean => text.charCodeAt(at) <= 32 || /\s/.test(text.charAt(at))

/** How much may stand together. */
interface Room {
  tokens: number
  units: number
}

type Part = Span & { tokens: number }

/** Parts of a long sentence, each within both limits and about as long as the others, cut between words. */
function* evenParts(
  text: string,
  sentence: Part,
  words: Words,
  first: number,
  last: number,
  room: Room,
): Generator<Part> {
  const parts = Math.ceil(sentence.tokens / room.tokens)
  const most = Math.min(room.tokens, Math.ceil(sentence.tokens / parts))
  const place = (word: number): number => (word < last ? words.starts[word]! : sentence.end)
  let start = sentence.start
  let tokens = 0
  for (let word = first; word < last; word++) {
    const more = words.tokens[word]!
    if (place(word) > start && (tokens + more > most || place(word + 1) - start > room.units)) {
      yield* byLength(text, start, place(word), tokens, room.units)
      start = place(word)
      tokens = 0
    }
    tokens += more
  }
  yield* byLength(text, start, sentence.end, tokens, room.units)
}

/** One part as it is, or slices of it where a single word (a script without spaces, a blob) is longer than a passage. */
function* byLength(text: string, start: number, end: number, tokens: number, units: number): Generator<Part> {
  const long = end - start > units
  for (let at = start; at < end;) {
    let to = Math.min(end, at + units)
    if (to < end && text.codePointAt(to - 1)! > 0xffff) to--
    const span = trimmed(text, at, to)
    if (span) yield { ...span, tokens: long ? countTokens(text.slice(span.start, span.end)) : tokens }
    at = to
  }
}
