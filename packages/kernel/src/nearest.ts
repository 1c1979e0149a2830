/** Letters that may differ before a word is another one. */
const MOST_CHANGES = 3

/** What was probably meant by a word that is not known: the known one with the fewest letters changed, if few are. */
export function nearest(word: string, known: readonly string[]): string | null {
  let best: { name: string; changes: number } | null = null
  for (const name of known) {
    const changes = changesBetween(word.toLowerCase(), name.toLowerCase())
    if (changes < Math.min(MOST_CHANGES + 1, name.length / 2, best?.changes ?? Infinity))
      best = { name, changes }
  }
  return best?.name ?? null
}

/** Letters put in, left out or replaced: the distance of Levenshtein, row by row. */
function changesBetween(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at)
  for (let line = 0; line < one.length; line++) {
    const next = [line + 1]
    for (let at = 0; at < other.length; at++)
      next.push(Math.min(next[at]! + 1, row[at + 1]! + 1, row[at]! + (one[line] === other[at] ? 0 : 1)))
    row = next
  }
  return row.at(-1)!
}
