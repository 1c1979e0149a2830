import type { GroundingPassage } from '@medialog/application/ports'
import { centralSentences, sentencesOf } from '../enrich/sentences.ts'
import { summarySentences } from '../enrich/summary.ts'
import type { Asked, SelectOptions } from './asked.ts'
import { candidatesOf, type Candidate } from './candidates.ts'
import { closestPassages } from './closest-passages.ts'
import { rank } from './rank.ts'
import { termsReader } from './terms.ts'

/** A sentence that speaks to the question. */
export interface Quote {
  text: string
  /** Place among the passages. */
  passage: number
  /** Words of the question that it holds. */
  matched: string[]
}

/** In UTF-16 code units: more of a question than the embedder reads. */
const MEANT = 2_000
const QUOTES = 3
/** An answer is given where score + 0.3 × (how well the question's worst supported word is supported) reaches this. */
const WEAKEST = 0.3
const ENOUGH = 0.6
/** Further quotes reach this share of the best one's score. */
const RELATIVE = 0.72

/** The sentences of the passages that answer best, best first; none where the passages hold no answer. */
export async function selectQuotes(
  asked: Asked,
  passages: readonly GroundingPassage[],
  options: SelectOptions,
): Promise<Quote[]> {
  const { embedder, lexicon } = options
  const termsOf = termsReader(lexicon)
  const text = asked.text.slice(0, MEANT).toWellFormed()
  const [meaning] = await embedder.embed([text], { priority: 'query' })
  const question = { asked, meaning: meaning!, termsOf, embedder, lexicon }
  const places = await closestPassages(question, passages)
  const candidates = candidatesOf(passages, places)
  if (asked.overview) return overview(candidates, options)
  const ranked = await rank(question, candidates, passages)
  const first = ranked[0]
  if (!first || first.score + WEAKEST * first.weakest < ENOUGH) return []
  return ranked
    .slice(0, QUOTES)
    .filter(({ score }) => score >= RELATIVE * first.score)
    .map(({ candidate, matched }) => ({ text: candidate.text, passage: candidate.passage, matched }))
}

/** What the material is about: the sentences that together stand for it; the first lines where none is a sentence. */
async function overview(candidates: readonly Candidate[], { embedder }: SelectOptions): Promise<Quote[]> {
  const byText = new Map(candidates.map((candidate) => [candidate.text, candidate]))
  const sentences = sentencesOf(candidates.map(({ text }) => text).join('\n'))
  const central = centralSentences(sentences, 16).flatMap(({ text }) => byText.get(text) ?? [])
  const texts = central.map(({ text }) => text)
  const vectors = await embedder.embed(texts)
  return summarySentences(texts, vectors).map((i) => ({
    text: texts[i]!,
    passage: central[i]!.passage,
    matched: [],
  }))
}
