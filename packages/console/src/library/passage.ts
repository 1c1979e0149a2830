/** The place of a passage in a text. A passage repeats the titles above it, and its words may be wrapped otherwise. */
export function passageIn(text: string, passage: string): [start: number, end: number] | null {
  const paragraphs = passage
    .split(/\n{2,}/)
    .map((paragraph) => paragraph.trim())
    .filter((paragraph) => paragraph !== '')
  // A passage ends in what is its own.
  for (let first = 0; first < paragraphs.length; first++) {
    const found = find(text, paragraphs.slice(first).join('\n\n'))
    if (found) return found
  }
  // One whose end was cut elsewhere is found by its longest paragraph.
  const longest = paragraphs.toSorted((a, b) => b.length - a.length)[0]
  return longest === undefined ? null : find(text, longest)
}

function find(text: string, words: string): [number, number] | null {
  const at = text.indexOf(words)
  if (at >= 0) return [at, at + words.length]
  const spaced = words
    .split(/\s+/)
    .map((word) => RegExp.escape(word))
    .join(String.raw`\s+`)
  const match = new RegExp(spaced, 'u').exec(text)
  return match ? [match.index, match.index + match[0].length] : null
}
