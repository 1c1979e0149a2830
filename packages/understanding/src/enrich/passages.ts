import { countTokens, tokenize, type Tokens } from '@medialog/embedder/tokenizer'

/** The embedder reads 254 tokens; the lexical side and the eye prefer less. */
export const PASSAGE_TOKENS = 200
/** Scripts that the vocabulary does not know give few tokens for much text: their passages end by length. */
const PASSAGE_UNITS = 1600
/** A new section begins a new passage, unless the one before it is shorter than this: headings alone say little. */
const SECTION_TOKENS = 50
/** Whole sentences repeated at the start of the next passage, at most this many tokens. */
const OVERLAP_TOKENS = 30

export interface Span {
  /** In UTF-16 code units: `[start, end)`. */
  start: number
  end: number
}

interface Unit extends Span {
  tokens: number
  /** A sentence of its own, not a part of one that was too long. */
  whole: boolean
  /** A section begins here. */
  opens: boolean
}

const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' })

/** Where sentences and lines begin, in order, with whether a section does; never inside a word. */
function boundaries(text: string, sectionStarts: readonly number[], tokens: Tokens): Map<number, boolean> {
  const sections = new Set(sectionStarts)
  const found = new Set(sectionStarts.filter((start) => start >= 0 && start < text.length))
  for (const segment of segmenter.segment(text)) found.add(segment.index)
  const result = new Map<number, boolean>()
  let token = 0
  for (const at of [...found].sort((a, b) => a - b)) {
    while (token < tokens.ids.length && tokens.ends[token]! <= at) token++
    let begin = Math.min(at, tokens.starts[token] ?? at)
    for (let piece = token; !(tokens.begins[piece] ?? 1);) begin = tokens.starts[--piece]!
    result.set(begin, sections.has(at) || result.get(begin) === true)
  }
  return result
}

/** Sentences and hard-cut parts of long ones, without the spaces around them. */
function* units(text: string, sectionStarts: readonly number[]): Generator<Unit> {
  const tokens = tokenize(text)
  const starts = [...boundaries(text, sectionStarts, tokens)]
  let token = 0
  let opens = false
  for (const [index, [begin, opensSection]] of starts.entries()) {
    opens ||= opensSection
    const span = trimmed(text, begin, starts[index + 1]?.[0] ?? text.length)
    if (!span) continue
    const first = token
    while (token < tokens.ids.length && tokens.starts[token]! < span.end) token++
    const count = token - first
    if (count <= PASSAGE_TOKENS && span.end - span.start <= PASSAGE_UNITS)
      yield { ...span, tokens: count, whole: true, opens }
    else
      for (const part of hardCut(text, span, tokens, first, token)) {
        yield { ...part, whole: false, opens }
        opens = false
      }
    opens = false
  }
}

function trimmed(text: string, start: number, end: number): Span | null {
  while (start < end && isSpace(text, start)) start++
  while (end > start && isSpace(text, end - 1)) end--
  return start < end ? { start, end } : null
}

const isSpace = (text: string, at: number): boolean => text.charCodeAt(at) <= 32 || /\s/.test(text.charAt(at))

/** Parts of a long sentence, each within both limits, cut between words where there are any. */
function* hardCut(
  text: string,
  span: Span,
  tokens: Tokens,
  first: number,
  last: number,
): Generator<Span & { tokens: number }> {
  const place = (token: number): number => (token < last ? tokens.starts[token]! : span.end)
  let start = span.start
  let from = first
  for (let word = first; word < last;) {
    let next = word + 1
    while (next < last && !tokens.begins[next]) next++
    if (word > from && (next - from > PASSAGE_TOKENS || place(next) - start > PASSAGE_UNITS)) {
      yield* byLength(text, start, place(word), word - from)
      start = place(word)
      from = word
    }
    word = next
  }
  yield* byLength(text, start, span.end, last - from)
}

/** One part as it is, or slices of it where a single word (a script without spaces, a blob) is longer than a passage. */
function* byLength(
  text: string,
  start: number,
  end: number,
  tokens: number,
): Generator<Span & { tokens: number }> {
  const long = end - start > PASSAGE_UNITS
  for (let at = start; at < end;) {
    let to = Math.min(end, at + PASSAGE_UNITS)
    if (to < end && text.codePointAt(to - 1)! > 0xffff) to--
    const span = trimmed(text, at, to)
    if (span) yield { ...span, tokens: long ? countTokens(text.slice(span.start, span.end)) : tokens }
    at = to
  }
}

/**
 * Packs sentences into passages: as many as fit, a new one where a section begins, the last sentences again at the
 * start of the next. `sectionStarts` in UTF-16 code units. Every character that is no space is in some passage.
 */
export function passages(text: string, sectionStarts: readonly number[]): Span[] {
  const found: Span[] = []
  let open: Unit[] = []
  let size = 0
  const close = (): void => {
    if (open.length > 0) found.push({ start: open[0]!.start, end: open.at(-1)!.end })
  }
  for (const unit of units(text, sectionStarts)) {
    if (unit.opens && size >= SECTION_TOKENS) {
      close()
      open = []
    } else if (open.length > 0 && !fits(open, size, unit)) {
      close()
      open = overlap(open, unit)
    }
    open.push(unit)
    size = open.reduce((sum, { tokens }) => sum + tokens, 0)
  }
  close()
  return found
}

const fits = (open: readonly Unit[], size: number, unit: Unit): boolean =>
  size + unit.tokens <= PASSAGE_TOKENS && unit.end - open[0]!.start <= PASSAGE_UNITS

/** The last whole sentences of a passage that the next one, beginning with `unit`, has room for. */
function overlap(closed: readonly Unit[], unit: Unit): Unit[] {
  let from = closed.length
  let size = 0
  while (from > 1) {
    const sentence = closed[from - 1]!
    size += sentence.tokens
    if (!sentence.whole || size > OVERLAP_TOKENS || size + unit.tokens > PASSAGE_TOKENS) break
    if (unit.end - sentence.start > PASSAGE_UNITS) break
    from--
  }
  return closed.slice(from)
}
