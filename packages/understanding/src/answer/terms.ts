import type { Asked, AskedWord, Lexicon } from './asked.ts'

/** The terms of a text. */
export type TermsOf = (text: string) => Set<string>

/** Remembers the words it has seen: texts repeat theirs. */
export function termsReader({ words, termsOf }: Lexicon): TermsOf {
  const known = new Map<string, string[]>()
  return (text) => {
    const terms = new Set<string>()
    for (const word of words(text)) {
      let own = known.get(word)
      if (!own) known.set(word, (own = termsOf(word)))
      for (const term of own) terms.add(term)
    }
    return terms
  }
}

export const holds = (terms: ReadonlySet<string>, { terms: wanted }: Pick<AskedWord, 'terms'>): boolean =>
  wanted.some((term) => terms.has(term))

const MOST_IDF = 3
/** What a word that was taken over from the conversation counts. */
const CARRIED = 0.3

/** How much each word of the question tells, by how few of the texts hold it. */
export function weigh({ words }: Asked, texts: readonly ReadonlySet<string>[]): number[] {
  return words.map((word) => {
    const frequency = texts.filter((terms) => holds(terms, word)).length
    const idf = Math.log(1 + (texts.length - frequency + 0.5) / (frequency + 0.5))
    return Math.min(MOST_IDF, idf) * (word.carried ? CARRIED : 1)
  })
}

/** The mean of the degrees by weight; 0 where nothing weighs. */
export function share(weights: readonly number[], degrees: readonly number[]): number {
  const all = weights.reduce((sum, weight) => sum + weight, 0)
  return all > 0 ? weights.reduce((sum, weight, i) => sum + weight * degrees[i]!, 0) / all : 0
}

/** The highest scores, highest first; ties in their order. */
export function best(places: Iterable<number>, score: (place: number) => number, most: number): number[] {
  const scored = Array.from(places, (place) => ({ place, score: score(place) }))
  return scored
    .sort((a, b) => b.score - a.score || a.place - b.place)
    .slice(0, most)
    .map(({ place }) => place)
}
