/** Letters that may differ before a word is another one. */
const MOST_CHANGES = 3

/**
 * What was probably meant by a word that is not known: the known one with the fewest letters changed, if few are, or else
 * the longest whose words are all in it, or that has all of its words.
 */
export function nearest(word: string, known: readonly string[]): string | null {
  let best: { name: string; changes: number } | null = null
  for (const name of known) {
    const changes = changesBetween(word.toLowerCase(), name.toLowerCase())
    if (changes < Math.min(MOST_CHANGES + 1, name.length / 2, best?.changes ?? Infinity))
      best = { name, changes }
  }
  if (best) return best.name
  const within = (one: string, other: string): boolean => `_${other}_`.includes(`_${one}_`)
  const meant = word.toLowerCase()
  const related = known.filter(
    (name) => within(name.toLowerCase(), meant) || within(meant, name.toLowerCase()),
  )
  return related.toSorted((a, b) => b.length - a.length)[0] ?? null
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
