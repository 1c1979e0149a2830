/** At most so many characters of a text, an ellipsis at the end where some are left out. */
export const clipped = (text: string, most: number): string =>
  text.length <= most
    ? text
    : `${text
        .slice(0, most - 1)
        .toWellFormed()
        .trimEnd()}…`

/** So much of a passage, from a little before the first of the words on. */
export function around(text: string, words: readonly string[], most: number): string {
  if (text.length <= most) return text
  const lower = text.toLowerCase()
  const places = words.map((word) => lower.indexOf(word.toLowerCase())).filter((place) => place >= 0)
  const first = Math.max(0, Math.min(...places, text.length) - most / 4)
  if (places.length === 0 || first === 0) return clipped(text, most)
  const start = Math.min(text.indexOf(' ', first) + 1 || first, text.length - most + 1)
  return `…${clipped(text.slice(start).toWellFormed(), most - 1)}`
}

/** Facts one after the other; those that are not known are left out. */
export const facts = (...all: readonly (string | undefined | null | false)[]): string =>
  all.filter(Boolean).join(' · ')

/** The line that names the next page, if any. */
export const more = (next: string | undefined): string[] =>
  next === undefined ? [] : [`There is more: call again with cursor ${next}.`]

/** `end`, or the place before it where it would part a character of two code units. */
export const wholeAt = (text: string, end: number): number =>
  end > 0 && end < text.length && /[\ud800-\udbff]/.test(text[end - 1]!) ? end - 1 : end
