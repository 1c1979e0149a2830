import { PASSAGE_TOKENS, PASSAGE_UNITS, units, type Span, type Unit } from './passage-units.ts'

/** Fewer tokens make no passage of their own where they can share one: the next section's, at the end the last one's. */
const SMALL_TOKENS = 50
/** A last passage that took in a small end: a heading that nothing follows always fits. */
const LONGEST_TOKENS = 240
const LONGEST_UNITS = 2000
/** Whole sentences repeated at the start of the next passage, at most this many tokens. */
const OVERLAP_TOKENS = 30
/** So much longer than the others a passage of the same sections may be: sentences have lengths of their own. */
const UNEVEN_TOKENS = 15

/**
 * Packs sentences into passages: a section begins a new one, a long section falls into as few as will do, of about
 * the same length, the last sentences again at the start of the next. A heading stands before text, never alone.
 * `sectionStarts` in UTF-16 code units. Every character that is no space is in some passage.
 */
export function passages(text: string, sectionStarts: readonly number[]): Span[] {
  const found: Span[] = []
  for (const group of groups(units(text, sectionStarts)))
    for (const packed of withoutSmallEnd(evenlyPacked(group)))
      found.push({ start: packed[0]!.start, end: packed.at(-1)!.end })
  return found
}

/** Sections, small ones with the next and a small last one with the one before. */
function groups(all: Iterable<Unit>): Unit[][] {
  const found: Unit[][] = []
  let open: Unit[] = []
  for (const unit of all) {
    if (unit.opens && sizeOf(open) >= SMALL_TOKENS && !open.at(-1)!.heading) {
      found.push(open)
      open = []
    }
    open.push(unit)
  }
  if (open.length === 0) return found
  const small = sizeOf(open) < SMALL_TOKENS || open.every(({ heading }) => heading)
  if (small && found.length > 0) found.at(-1)!.push(...open)
  else found.push(open)
  return found
}

const sizeOf = (some: readonly Unit[]): number => some.reduce((sum, { tokens }) => sum + tokens, 0)

function evenlyPacked(group: readonly Unit[]): Unit[][] {
  const total = sizeOf(group)
  const count = Math.max(1, Math.ceil(total / PASSAGE_TOKENS))
  const limit = Math.min(PASSAGE_TOKENS, Math.ceil(total / count) + UNEVEN_TOKENS)
  const found: Unit[][] = []
  let open: Unit[] = []
  let size = 0
  for (const unit of group) {
    if (open.length > 0 && (size + unit.tokens > limit || unit.end - open[0]!.start > PASSAGE_UNITS)) {
      const text = open.slice(0, open.findLastIndex(({ heading }) => !heading) + 1)
      if (text.length > 0) {
        found.push(text)
        open = text.length < open.length ? open.slice(text.length) : overlap(text, unit)
        size = sizeOf(open)
      }
    }
    open.push(unit)
    size += unit.tokens
  }
  found.push(open)
  return found
}

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

function withoutSmallEnd(packed: Unit[][]): Unit[][] {
  const last = packed.at(-1)!
  const before = packed.at(-2)
  if (!before) return packed
  const rest = last.filter((unit) => unit.start >= before.at(-1)!.end)
  const size = sizeOf(before) + sizeOf(rest)
  if (
    sizeOf(rest) >= SMALL_TOKENS ||
    size > LONGEST_TOKENS ||
    last.at(-1)!.end - before[0]!.start > LONGEST_UNITS
  )
    return packed
  return [...packed.slice(0, -2), [...before, ...rest]]
}
