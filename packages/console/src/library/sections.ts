export interface Section {
  /** Null for what stands before the first title, and for a text without titles. */
  title: string | null
  /** 1 is the highest. */
  level: number
  text: string
}

interface Title {
  title: string
  level: number
}

/**
 * Splits a text into sections. Each title is a line of the text, in the order of `titles`. Titles that were cut are
 * found by their beginning; one that is not found begins no section.
 */
export function sectionsOf(text: string, titles: readonly Title[]): Section[] {
  const starts: (Title & { at: number; end: number })[] = []
  let from = 0
  for (const { title, level } of titles) {
    const at = lineThatBegins(text, title, from)
    if (at === null) continue
    const newline = text.indexOf('\n', at)
    from = newline < 0 ? text.length : newline
    starts.push({ title: text.slice(at, from), level, at, end: from })
  }
  const before = text.slice(0, starts[0]?.at).trim()
  const sections = starts.map(({ title, level, end }, place) => ({
    title,
    level,
    text: text.slice(end, starts[place + 1]?.at).trim(),
  }))
  return before === '' ? sections : [{ title: null, level: 1, text: before }, ...sections]
}

function lineThatBegins(text: string, title: string, from: number): number | null {
  if (title === '') return null
  for (let at = text.indexOf(title, from); at >= 0; at = text.indexOf(title, at + 1))
    if (at === 0 || text[at - 1] === '\n') return at
  return null
}
