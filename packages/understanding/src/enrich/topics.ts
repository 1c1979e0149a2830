import type { Embedder } from '@medialog/application/ports'
import { TAXONOMY, type Subject } from './taxonomy.ts'
import { dot } from './vector-math.ts'

export interface ScoredSubject {
  subject: Subject
  /** Mean cosine of the text's centroids to the subject's seed words. */
  score: number
}

/** Below it a text has no subject worth naming. A few words come near many subjects: they must say it better. */
const LEAST = { text: 0.2, names: 0.27 }
/** A second and third must come near the first. */
const SHARE_OF_FIRST = 0.75

/**
 * At most three subjects, the nearest first, by the mean cosine to the text's centroids (its sentences', its phrases').
 * `kind`: whether it is a text, or only a few words, such as a medium's tags.
 */
export function nearestSubjects(
  text: readonly Float32Array[],
  subjects: readonly Float32Array[],
  kind: keyof typeof LEAST,
): ScoredSubject[] {
  const scored = TAXONOMY.map((subject, index) => ({
    subject,
    score: text.reduce((sum, middle) => sum + dot(middle, subjects[index]!), 0) / text.length,
  }))
  scored.sort((a, b) => b.score - a.score)
  const first = scored[0]!.score
  return scored.slice(0, 3).filter(({ score }) => score >= LEAST[kind] && score >= SHARE_OF_FIRST * first)
}

/** The taxonomy's vectors, embedded at first use (27 short texts, about 60 ms) and kept. */
export function subjectVectors(embedder: Embedder): () => Promise<Float32Array[]> {
  let known: Promise<Float32Array[]> | null = null
  return () => {
    known ??= embedder.embed(TAXONOMY.map(({ seeds }) => seeds)).catch((failure: unknown) => {
      known = null
      throw failure
    })
    return known
  }
}
