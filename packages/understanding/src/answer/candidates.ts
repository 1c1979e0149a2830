import type { GroundingPassage } from '@medialog/application/ports'
import { sentencesOf } from '../enrich/sentences.ts'

/** A sentence that may be quoted. */
export interface Candidate {
  /** As it stands there, runs of spaces evened out. */
  text: string
  /** The sentence before it; empty at the beginning of a passage. */
  before: string
  /** Place among the passages. */
  passage: number
}

/** In UTF-16 code units: what is longer is no sentence to quote and is cut, between words where there are any. */
const LONGEST = 400
/** A line that was wrapped, and not ended, in the middle of a sentence: as wide as a page, and no row of a table. */
const WRAPPED = /(?<=(?:^|\n)[^\n|\t]{60,140})(?<![.!?:;\n])\n(?=[\p{L}\p{N}"“(])/gu
/** Nothing else separates sentences in some scripts and sources. */
const CONTROL = /[\p{Cc}\u2028\u2029]+/gu

/** The sentences of the passages at `places`, each once: passages overlap, and the head of an item repeats its text. */
export function candidatesOf(
  passages: readonly Pick<GroundingPassage, 'text'>[],
  places: readonly number[],
): Candidate[] {
  const found = new Map<string, Candidate>()
  for (const passage of places) {
    let before = ''
    for (const sentence of sentencesOf(passages[passage]!.text.replace(WRAPPED, ' ')))
      for (const text of pieces(sentence.text.replace(CONTROL, ' ').trim())) {
        const known = found.get(text)
        if (known) {
          known.passage = passage
          known.before ||= before
        } else if (/[\p{L}\p{N}]/u.test(text)) found.set(text, { text, before, passage })
        before = text
      }
  }
  return [...found.values()]
}

function* pieces(text: string): Generator<string> {
  for (let at = 0; at < text.length;) {
    let end = Math.min(text.length, at + LONGEST)
    if (end < text.length) {
      // Looked for in this piece alone: one word without an end would be searched to its beginning for each.
      const space = text.slice(at, end).lastIndexOf(' ')
      if (space > LONGEST / 2) end = at + space
      else if (text.codePointAt(end - 1)! > 0xffff) end--
    }
    yield text.slice(at, end).trim()
    at = end
  }
}
