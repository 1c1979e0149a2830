import { pointsBack } from './sentences.ts'
import { centroid, dot } from './vector-math.ts'

const SENTENCES = 3
const WORDS = 70
/** Weight of closeness to the whole against newness (Carbonell and Goldstein, 1998). */
const LAMBDA = 0.7
/** The first sentence mostly says what the text is about; one that leans on another says it only with that one. */
const FIRST = 0.1
const LEANING = 0.15

/**
 * Indices, in reading order, of the sentences that together say what the text says: the one closest to the centroid
 * first, then by maximal marginal relevance, λ = 0.7, up to three sentences and 70 words.
 */
export function summarySentences(texts: readonly string[], vectors: readonly Float32Array[]): number[] {
  const middle = centroid(vectors)
  if (!middle) return texts.length > 0 ? [0] : []
  const chosen: number[] = []
  const score = (index: number): number => {
    const vector = vectors[index]!
    const repeated = Math.max(0, ...chosen.map((other) => dot(vector, vectors[other]!)))
    const leans = pointsBack(texts[index]!) && !chosen.includes(index - 1)
    const place = (index === 0 ? FIRST : 0) - (leans ? LEANING : 0)
    return LAMBDA * dot(vector, middle) - (1 - LAMBDA) * repeated + place
  }
  let words = 0
  while (chosen.length < Math.min(SENTENCES, texts.length)) {
    const left = [...texts.keys()].filter((index) => !chosen.includes(index))
    const next = left.reduce((best, index) => (score(index) > score(best) ? index : best))
    words += texts[next]!.split(/\s+/u).length
    if (chosen.length > 0 && words > WORDS) break
    chosen.push(next)
  }
  return chosen.sort((a, b) => a - b)
}
