import { centroid, dot } from './vector-math.ts'

const SENTENCES = 3
const WORDS = 70
/** Weight of closeness to the whole against newness (Carbonell and Goldstein, 1998). */
const LAMBDA = 0.7

/**
 * Indices, in reading order, of the sentences that together say what the text says: the one closest to the centroid
 * first, then by maximal marginal relevance, λ = 0.7, up to three sentences and 70 words.
 */
export function summarySentences(texts: readonly string[], vectors: readonly Float32Array[]): number[] {
  const middle = centroid(vectors)
  if (!middle) return texts.length > 0 ? [0] : []
  const chosen: number[] = []
  let words = 0
  while (chosen.length < Math.min(SENTENCES, texts.length)) {
    const next = best(vectors, middle, chosen)
    words += texts[next]!.split(/\s+/u).length
    if (chosen.length > 0 && words > WORDS) break
    chosen.push(next)
  }
  return chosen.sort((a, b) => a - b)
}

function best(vectors: readonly Float32Array[], middle: Float32Array, chosen: readonly number[]): number {
  let found = -1
  let highest = -Infinity
  for (const [index, vector] of vectors.entries()) {
    if (chosen.includes(index)) continue
    const repeated = Math.max(0, ...chosen.map((other) => dot(vector, vectors[other]!)))
    const score = LAMBDA * dot(vector, middle) - (1 - LAMBDA) * repeated
    if (score > highest) [found, highest] = [index, score]
  }
  return found
}
