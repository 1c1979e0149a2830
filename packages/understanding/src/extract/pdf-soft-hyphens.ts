import type { PdfTextItem } from './pdf-document.ts'
import type { Drawn } from './pdf-page-picture.ts'

/** pdf.js's number of the operator that shows text (its OPS table). */
const SHOW_TEXT = 44
const SOFT_HYPHEN = '\u00ad'
/** pdf.js leaves such characters out of its text, and sets spaces of its own. */
const NOT_COUNTED = /[\s\p{Cf}]/u

interface Glyph {
  unicode?: unknown
}

/**
 * Puts the soft hyphens back at the ends of lines, which pdf.js leaves out of its text: they say that the word goes on
 * (ISO 32000-2, 14.8.2.2.3). Text and drawing are counted side by side, without spaces.
 */
export function restoreSoftHyphens(items: readonly PdfTextItem[], drawn: Drawn): void {
  const hyphens = softHyphensOf(drawn)
  if (hyphens.size === 0) return
  let count = 0
  for (const item of items) {
    let last = ''
    for (const character of decomposed(item.str))
      if (!NOT_COUNTED.test(character)) {
        count++
        last = character
      }
    if (item.hasEOL && last !== '' && hyphens.get(count) === last) item.str += SOFT_HYPHEN
  }
}

/** By how many characters are drawn before each, with the last of them. */
function softHyphensOf({ fnArray, argsArray }: Drawn): ReadonlyMap<number, string> {
  const found = new Map<number, string>()
  let count = 0
  let last = ''
  for (const [index, operator] of fnArray.entries()) {
    if (operator !== SHOW_TEXT) continue
    const [glyphs] = (argsArray[index] ?? []) as [(Glyph | number | null)[]?]
    for (const glyph of glyphs ?? []) {
      const unicode = typeof glyph === 'object' ? glyph?.unicode : null
      if (typeof unicode !== 'string') continue
      for (const character of decomposed(unicode)) {
        if (character === SOFT_HYPHEN) found.set(count, last)
        if (NOT_COUNTED.test(character)) continue
        count++
        last = character
      }
    }
  }
  return found
}

/** pdf.js writes ligatures out in its text, and not in what it draws: taken apart, both have the same characters. */
const decomposed = (text: string): string => text.normalize('NFKD')
