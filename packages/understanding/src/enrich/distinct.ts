/** The first `limit` phrases that are not part of one before them, nor hold one. */
export function distinct(phrases: readonly string[], limit: number): string[] {
  const chosen: string[] = []
  for (const phrase of phrases) {
    if (chosen.length === limit) break
    if (!chosen.some((other) => ` ${other} `.includes(` ${phrase} `) || ` ${phrase} `.includes(` ${other} `)))
      chosen.push(phrase)
  }
  return chosen
}
