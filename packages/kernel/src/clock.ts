/** A port, so that tests set the time. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number
  /** Why the time is not to be relied on, for people, or null. A clock without it is always relied on. */
  trouble?(): string | null
}

export const systemClock: Clock = { now: () => Date.now() }

const SECOND = 1_000
/** The last second that was written, as its text up to the milliseconds: most times of a moment are of one second. */
let second = NaN
let upToMilliseconds = ''

/** ISO 8601 UTC with milliseconds and `Z`. @throws RangeError for what is no time */
export function isoTime(milliseconds: number): string {
  const whole = Math.trunc(milliseconds)
  const rest = ((whole % SECOND) + SECOND) % SECOND
  if (whole - rest !== second) {
    upToMilliseconds = new Date(whole - rest).toISOString().slice(0, -'000Z'.length)
    second = whole - rest
  }
  return `${upToMilliseconds}${String(rest).padStart(3, '0')}Z`
}

/** Of seconds into a recording or film, as players show it: `0:02`, `12:41`, `1:02:05`. Within a second it is the one that began. */
export function timecode(seconds: number): string {
  const whole = Math.floor(seconds)
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60]
  const two = (part: number): string => String(part).padStart(2, '0')
  return hours > 0 ? `${hours}:${two(minutes)}:${two(whole % 60)}` : `${minutes}:${two(whole % 60)}`
}
