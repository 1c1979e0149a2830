const wordsOf = (text: string): string[] =>
  text
    .toLowerCase()
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .match(/[\p{L}\p{N}]+/gu) ?? []

/**
 * Words that were left out, put in or taken for others, and words that were said: their quotient is the word error rate. Accents,
 * capitals and punctuation do not count.
 */
export function wordErrors(said: string, written: string): { errors: number; words: number } {
  const [wanted, found] = [wordsOf(said), wordsOf(written)]
  // The edit distance by Wagner and Fischer, row by row.
  let row = found.map((_, at) => at + 1)
  for (const [at, word] of wanted.entries()) {
    let diagonal = at
    let left = at + 1
    row = row.map((above, column) => {
      const best = Math.min(above + 1, left + 1, diagonal + Number(word !== found[column]))
      diagonal = above
      left = best
      return best
    })
  }
  return { errors: row.at(-1) ?? wanted.length, words: wanted.length }
}
