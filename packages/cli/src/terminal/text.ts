import stringWidth from 'string-width'

/**
 * Text of a server or a file (anything else as JSON), made safe for a terminal: escape sequences and other control characters go, line breaks
 * and tabs become spaces, and so do the marks that turn the direction of writing.
 */
export function clean(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value ?? '') ?? '').replace(/^""$/, '')
  return (
    text
      // oxlint-disable-next-line eslint/no-control-regex -- control characters are what this is about
      .replaceAll(/\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-Z\\^_])/g, '')
      .replaceAll(/\s+/g, ' ')
      .replaceAll(/[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, '')
      .trim()
  )
}

/** Columns that a text takes: Hangul and emoji take two, escape sequences none. */
export const widthOf = (text: string): number => stringWidth(text)

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

/** The text in at most `width` columns, with an ellipsis where something was cut. It must hold no escape sequences. */
export function truncate(text: string, width: number): string {
  if (widthOf(text) <= width) return text
  let kept = ''
  let columns = 0
  for (const { segment } of graphemes.segment(text)) {
    columns += widthOf(segment)
    if (columns > width - 1) break
    kept += segment
  }
  return width < 1 ? '' : `${kept.trimEnd()}…`
}

/** As `truncate`, but what is cut is in the middle: the end of a path says more than its middle. */
export function truncateMiddle(text: string, width: number): string {
  if (widthOf(text) <= width) return text
  const head = truncate(text, Math.ceil(width / 3))
  const room = width - widthOf(head)
  let tail = ''
  for (const { segment } of [...graphemes.segment(text)].reverse()) {
    if (widthOf(segment + tail) > room) break
    tail = segment + tail
  }
  return head + tail
}

/** Lines of at most `width` columns, broken between words, or inside one that is longer than a line. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ').flatMap((word) => pieces(word, width))) {
    const longer = line === '' ? word : `${line} ${word}`
    if (widthOf(longer) <= width) {
      line = longer
      continue
    }
    if (line !== '') lines.push(line)
    line = word
  }
  return [...lines, line]
}

function pieces(word: string, width: number): string[] {
  if (widthOf(word) <= width) return [word]
  const parts = ['']
  for (const { segment } of graphemes.segment(word)) {
    if (widthOf(parts.at(-1)! + segment) > width && parts.at(-1) !== '') parts.push('')
    parts[parts.length - 1] += segment
  }
  return parts
}

export const padEnd = (text: string, width: number): string =>
  text + ' '.repeat(Math.max(0, width - widthOf(text)))
export const padStart = (text: string, width: number): string =>
  ' '.repeat(Math.max(0, width - widthOf(text))) + text
