import { dot } from '../enrich/vector-math.ts'
import type { Lexicon } from './asked.ts'
import type { AnsweringEmbedder } from './embedder-port.ts'

/** How close words are in meaning. */
export interface WordVectors {
  /** The cosine of the word and the closest one of the text; 0 for a text without words. */
  closest(word: string, text: string): number
}

/** Most words that are compared: enough for a question and the sentences that could answer it. */
const MOST = 400

/** Vectors of the words of these texts, each word by itself. */
export async function wordVectors(
  texts: readonly string[],
  { words, termsOf }: Lexicon,
  embedder: AnsweringEmbedder,
): Promise<WordVectors> {
  const telling = new Map<string, string[]>()
  const all = new Set<string>()
  for (const text of texts) {
    const own = [...new Set(Array.from(words(text), (word) => word.toLowerCase()))]
      .filter((word) => all.has(word) || termsOf(word).length > 0)
      .slice(0, MOST)
    telling.set(text, own)
    for (const word of own) if (all.size < MOST) all.add(word)
  }
  const listed = [...all]
  const vectors = await embedder.embed(listed)
  const vectorOf = new Map(listed.map((word, i) => [word, vectors[i]!]))
  return {
    closest(word, text) {
      const vector = vectorOf.get(word.toLowerCase())
      if (!vector) return 0
      return Math.max(
        0,
        ...(telling.get(text) ?? []).map((other) => {
          const known = vectorOf.get(other)
          return known ? dot(vector, known) : 0
        }),
      )
    },
  }
}
