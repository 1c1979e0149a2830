/** A clock that was set back by more than this had been ahead; less is the usual difference between processes. */
export const CLOCK_FAR_MS = 24 * 3_600_000
/** A leap is taken for real time after so many postings, and after `CLOCK_FAR_MS` of its own time. */
const MOST_TENTATIVE = 255

/** Postings whose time leapt by more than a day from the posting before them: real time, or a clock that was set wrong. */
export interface Leap {
  /** Of the posting before them, and of the first of them. Milliseconds since the epoch, 0 before the first posting. */
  before: number
  at: number
  postings: number
}

/** The time of an account's last posting. */
export interface LedgerTime {
  at: number
  leap: Leap | null
}

export const BEFORE_POSTINGS: LedgerTime = { at: 0, leap: null }

/**
 * The time at which the next posting counts, whose event says `at`. The log's order decides: a posting never counts
 * before the posting in front of it. Where time goes back by more than a day soon after a leap, the leap was a clock that
 * was ahead: `corrected` is the time at which the postings of that leap count from then on.
 */
export function nextTime(
  { at: last, leap }: LedgerTime,
  at: number,
): { time: LedgerTime; corrected: number | null } {
  if (leap && at < leap.at - CLOCK_FAR_MS) {
    const corrected = Math.max(leap.before, at)
    return { time: { at: corrected, leap: null }, corrected }
  }
  const now = Math.max(last, at)
  if (now - last > CLOCK_FAR_MS)
    return { time: { at: now, leap: { before: last, at: now, postings: 1 } }, corrected: null }
  const isTentative = leap !== null && now - leap.at <= CLOCK_FAR_MS && leap.postings < MOST_TENTATIVE
  const going = isTentative ? { ...leap, postings: leap.postings + 1 } : null
  return { time: { at: now, leap: going }, corrected: null }
}
