import { EngineUnavailable, type Embedder, type WorkOptions } from '@medialog/application/ports'
import type { Analysis } from './analyse.ts'
import type { Phrase } from './phrases.ts'
import { summarySentences } from './summary.ts'
import { nearestSubjects, type ScoredSubject } from './topics.ts'
import { centroid, clamp, dot } from './vector-math.ts'

/** The heaviest phrases stand for the text beside its sentences. */
const TELLING = 10

/** What the embedder adds; all empty where it is away or has nothing to go by. */
export interface Meaning {
  summary: number[]
  phrases: Phrase[]
  subjects: ScoredSubject[]
  coherence: number | null
}

export async function meaningOf(
  embedder: Embedder,
  subjects: () => Promise<Float32Array[]>,
  { english, words, central, heaviest, phrases }: Analysis,
  { text, title }: { text: string; title: string | null },
  kind: 'text' | 'names',
  options: WorkOptions = {},
): Promise<Meaning> {
  const without: Meaning = { summary: heaviest, phrases, subjects: [], coherence: null }
  if (!english || text === '') return without
  const sentences = central.length > 0 ? central : [text.slice(0, 1_000)]
  try {
    const titles = title === null ? [] : [title]
    const texts = [...sentences, ...titles, ...phrases.map((phrase) => phrase.text)]
    const vectors = await embedder.embed(texts, options)
    const sentenceVectors = vectors.slice(0, sentences.length)
    const phraseVectors = vectors.slice(sentences.length + titles.length)
    const sentenceMiddle = centroid(sentenceVectors)
    // The title says what the text is about as well as any of its sentences.
    const middle = centroid(vectors.slice(0, sentences.length + titles.length))
    if (!sentenceMiddle || !middle) return without
    const middles = [middle, centroid(phraseVectors.slice(0, TELLING)) ?? middle]
    return {
      summary: central.length > 0 ? summarySentences(central, sentenceVectors) : [],
      phrases: byCloseness(phrases, phraseVectors, middle),
      subjects: words < 2 ? [] : nearestSubjects(middles, await subjects(), kind),
      coherence: coherence(sentenceVectors, sentenceMiddle, embedder.cosineFloor),
    }
  } catch (failure) {
    if (failure instanceof EngineUnavailable) return without
    throw failure
  }
}

const byCloseness = (
  phrases: readonly Phrase[],
  vectors: readonly Float32Array[],
  middle: Float32Array,
): Phrase[] =>
  phrases
    .map((phrase, i) => ({
      ...phrase,
      weight: phrase.weight * (0.4 + Math.max(0, dot(vectors[i]!, middle))),
    }))
    .sort((a, b) => b.weight - a.weight)

const coherence = (vectors: readonly Float32Array[], middle: Float32Array, floor: number): number =>
  clamp(
    (vectors.reduce((sum, vector) => sum + dot(vector, middle), 0) / vectors.length - floor) / (1 - floor),
  )
