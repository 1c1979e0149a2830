import type { HeardSegment } from './window.ts'

/** Seconds that a segment has at most, and a pause that parts sentences whatever they end with. */
const LONGEST = 30
const PAUSE = 2

/** The end of a sentence, in the scripts that have one. */
const ENDS = /[.!?…。！？؟।]["'”’»)\]]*$/u

/** Joins what a sentence was cut into, as long as it is not longer than half a minute. */
export function inSentences(segments: readonly HeardSegment[]): HeardSegment[] {
  const joined: HeardSegment[] = []
  for (const next of segments) {
    const last = joined.at(-1)
    const goesOn =
      last && !ENDS.test(last.text) && next.start - last.end < PAUSE && next.end - last.start <= LONGEST
    if (goesOn) joined[joined.length - 1] = together(last, next)
    else joined.push(next)
  }
  return joined
}

function together(one: HeardSegment, other: HeardSegment): HeardSegment {
  const [length, otherLength] = [one.text.length, other.text.length]
  const confidence = (one.confidence * length + other.confidence * otherLength) / (length + otherLength)
  return {
    start: one.start,
    end: other.end,
    text: `${one.text} ${other.text}`,
    confidence: Math.round(confidence * 1000) / 1000,
  }
}
