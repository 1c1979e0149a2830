import { DateTime } from 'luxon'

/** A `+` that a query string turned into a space, before the hours of a zone. */
const LOST_PLUS = / (?=\d{2}(?::?\d{2})?$)/

/** The hours and minutes of a zone (RFC 3339, 5.6). */
const OFFSET = /T.*[+-](\d{2})(?::?(\d{2}))?$/

/**
 * Milliseconds since the epoch of any ISO 8601 date or time (calendar, week and ordinal dates, extended and basic
 * form; no zone means UTC), or why it is none.
 */
export function parseInstant(
  text: string,
): { milliseconds: number; problem: null } | { milliseconds: null; problem: string } {
  const written = text.includes('T') ? text.replace(LOST_PLUS, '+') : text
  const [, hours = 0, minutes = 0] = OFFSET.exec(written) ?? []
  if (Number(hours) > 23 || Number(minutes) > 59)
    return { milliseconds: null, problem: 'the offset of a zone must be from -23:59 to +23:59' }
  const moment = DateTime.fromISO(written, { zone: 'utc' })
  if (!moment.isValid)
    return { milliseconds: null, problem: moment.invalidExplanation ?? 'not a date or time' }
  // Others have no four digits in answers.
  if (moment.year < 1 || moment.year > 9999)
    return { milliseconds: null, problem: 'the year must be from 1 to 9999' }
  return { milliseconds: moment.toMillis(), problem: null }
}
