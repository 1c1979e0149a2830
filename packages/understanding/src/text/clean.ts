/** Control characters other than tab and line feed, and the marks that only steer display, soft hyphens among them. */
// oxlint-disable-next-line no-control-regex
const UNSEEN = /[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\ufeff\ufffe\uffff]/g

/** Text as it is stored: NFC, no lone surrogates, no control characters, line ends `\n`, blanks not piled up. */
export const clean = (text: string): string =>
  text
    .toWellFormed()
    .normalize('NFC')
    .replace(/\r\n?|[\u2028\u2029\x85]/g, '\n')
    .replace(UNSEEN, '')
    .replace(/[ \t\u00a0]+/g, ' ')
    .replace(/ ?\n ?/g, '\n')
    .trim()

/** The same on one line, cut at `limit` characters: for titles, names and tags. Null when nothing is left. */
export function line(text: unknown, limit = 500): string | null {
  if (typeof text !== 'string' && typeof text !== 'number') return null
  const cleaned = clean(String(text)).replace(/\s+/g, ' ')
  return cleaned === '' ? null : cleaned.slice(0, limit).toWellFormed()
}

const words = new Intl.Segmenter('en', { granularity: 'word' })

/** Words as Unicode's word boundaries (UAX 29) tell them, in any script. */
export function countWords(text: string): number {
  let count = 0
  for (const segment of words.segment(text)) if (segment.isWordLike) count++
  return count
}
