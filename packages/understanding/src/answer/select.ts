import { setImmediate as pause } from 'node:timers/promises'
import type { Embedder, GroundingPassage } from '@medialog/application/ports'
import { centralSentences, sentencesOf } from '../enrich/sentences.ts'
import { summarySentences } from '../enrich/summary.ts'
import { clamp, dot } from '../enrich/vector-math.ts'
import { fit, type Asked, type AskedWord, type Lexicon } from './asked.ts'
import { candidatesOf, type Candidate } from './candidates.ts'
import { wordVectors, type WordVectors } from './word-vectors.ts'

/** A sentence that speaks to the question. */
export interface Quote {
  text: string
  /** Place among the passages. */
  passage: number
  /** Words of the question that it holds. */
  matched: string[]
}

export interface SelectOptions {
  embedder: Embedder
  lexicon: Lexicon
  signal?: AbortSignal | undefined
}

/** In UTF-16 code units: more of a question than the embedder reads. */
const MEANT = 2_000
/** Read sentence by sentence. */
const PASSAGES = 24
/** Measured by meaning where nobody retrieved them. */
const EMBEDDED_PASSAGES = 64
/** Sentences measured by meaning, and of those the ones measured word by word. */
const SENTENCES = 32
const FINALISTS = 12
const QUOTES = 3

/**
 * Weights and thresholds, chosen on one half of test/benchmarks/questions and checked on the other: see docs/ai.md.
 * A sentence's score is 0.6 × the part of the question's words that it holds (rarer ones count more) + 0.4 × closeness
 * of meaning, and a little for naming the kind of thing that is asked for.
 */
const WORDS = 0.6
const MEANING = 0.4
const KIND = 0.08
const WRONG_KIND = 0.25
const NO_SENTENCE = 0.2
/** A word of the question that the sentence holds in another form: cosine of the words, at least and at most. */
const LIKE = { from: 0.4, to: 0.85, weight: 0.9 }
const IN_SENTENCE_BEFORE = 0.5
const CARRIED = 0.3
const MOST_IDF = 3
/** An answer is given where score + 0.3 × (how well the question's worst supported word is supported) reaches this. */
const WEAKEST = 0.3
const ENOUGH = 0.57
const SUPPORT = { from: 0.3, to: 0.7, before: 0.8 }
/** Further quotes reach this share of the best one's score. */
const RELATIVE = 0.72

const ramp = (value: number, { from, to }: { from: number; to: number }): number =>
  clamp((value - from) / (to - from))

/** The sentences of the passages that answer best, best first; none where the passages hold no answer. */
export async function selectQuotes(
  asked: Asked,
  passages: readonly GroundingPassage[],
  options: SelectOptions,
): Promise<Quote[]> {
  const termsOf = termsReader(options.lexicon)
  const question = await questionVector(asked, options)
  const places = await closestPassages(asked, passages, question, termsOf, options)
  const candidates = candidatesOf(passages, places)
  if (asked.overview) return overview(candidates, options)
  const ranked = await rank(asked, candidates, question, termsOf, options)
  const best = ranked[0]
  if (!best || best.score + WEAKEST * best.weakest < ENOUGH) return []
  return ranked
    .slice(0, QUOTES)
    .filter(({ score }) => score >= RELATIVE * best.score)
    .map(({ text, passage, matched }) => ({ text, passage, matched }))
}

type Terms = (text: string) => Set<string>

/** Remembers the words it has seen: texts repeat theirs. */
function termsReader({ words, termsOf }: Lexicon): Terms {
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

const questionVector = async (asked: Asked, { embedder, signal }: SelectOptions): Promise<Float32Array> =>
  (
    await embedder.embed([asked.text.slice(0, MEANT).toWellFormed()], {
      priority: 'query',
      ...(signal && { signal }),
    })
  )[0]!

const holds = (terms: ReadonlySet<string>, word: AskedWord): boolean =>
  word.terms.some((term) => terms.has(term))

/** How much each word of the question tells, by how few of the texts hold it. */
function weigh(asked: Asked, texts: readonly ReadonlySet<string>[]): number[] {
  return asked.words.map((word) => {
    const frequency = texts.filter((terms) => holds(terms, word)).length
    const idf = Math.log(1 + (texts.length - frequency + 0.5) / (frequency + 0.5))
    return Math.min(MOST_IDF, idf) * (word.carried ? CARRIED : 1)
  })
}

const share = (weights: readonly number[], degrees: readonly number[]): number => {
  const all = weights.reduce((sum, weight) => sum + weight, 0)
  return all > 0 ? weights.reduce((sum, weight, i) => sum + weight * degrees[i]!, 0) / all : 0
}

/** Places of the passages worth reading, in their order. */
async function closestPassages(
  asked: Asked,
  passages: readonly GroundingPassage[],
  question: Float32Array,
  termsOf: Terms,
  { embedder, signal }: SelectOptions,
): Promise<number[]> {
  const all = passages.map((_, place) => place)
  if (passages.length <= PASSAGES) return all
  const texts: Set<string>[] = []
  for (const { text } of passages) {
    texts.push(termsOf(text))
    // A book takes a fifth of a second: other requests have their turn in between.
    if (texts.length % 16 === 0) await pause()
    signal?.throwIfAborted()
  }
  const weights = weigh(asked, texts)
  const words = texts.map((terms) =>
    share(
      weights,
      asked.words.map((word) => Number(holds(terms, word))),
    ),
  )
  const byWords = all.toSorted((a, b) => words[b]! - words[a]! || a - b)
  const unknown = byWords.filter((place) => passages[place]!.relevance === null).slice(0, EMBEDDED_PASSAGES)
  const vectors = await embedder.embed(
    unknown.map((place) => passages[place]!.text),
    signal && { signal },
  )
  const meaning = new Map(unknown.map((place, i) => [place, dot(question, vectors[i]!)]))
  const score = (place: number): number =>
    WORDS * words[place]! + MEANING * (passages[place]!.relevance ?? meaning.get(place) ?? 0)
  return all
    .toSorted((a, b) => score(b) - score(a) || a - b)
    .slice(0, PASSAGES)
    .sort((a, b) => a - b)
}

interface Ranked extends Candidate {
  score: number
  matched: string[]
  /** How well the question's worst supported word is supported, 0 to 1. */
  weakest: number
}

async function rank(
  asked: Asked,
  candidates: readonly Candidate[],
  question: Float32Array,
  termsOf: Terms,
  { embedder, lexicon, signal }: SelectOptions,
): Promise<Ranked[]> {
  const own = candidates.map(({ text }) => termsOf(text))
  const before = candidates.map((candidate) => termsOf(candidate.before))
  const weights = weigh(asked, own)
  const byWords = (i: number): number =>
    share(
      weights,
      asked.words.map((word) =>
        holds(own[i]!, word) ? 1 : holds(before[i]!, word) ? IN_SENTENCE_BEFORE : 0,
      ),
    )
  const chosen = best(
    candidates.keys(),
    (i) => byWords(i) + KIND * fit(asked.expects, candidates[i]!.text),
    SENTENCES,
  )
  const vectors = await embedder.embed(
    chosen.map((i) => candidates[i]!.text),
    signal && { signal },
  )
  const meaning = new Map(
    chosen.map((i, n) => [
      i,
      clamp((dot(question, vectors[n]!) - embedder.cosineFloor) / (1 - embedder.cosineFloor)),
    ]),
  )
  const rest = (i: number): number => MEANING * meaning.get(i)! + form(asked, candidates[i]!.text)
  const finalists = best(chosen, (i) => WORDS * byWords(i) + rest(i), FINALISTS)
  const texts = finalists.flatMap((i) => [candidates[i]!.text, candidates[i]!.before])
  const alike = await wordVectors([asked.text, ...texts], lexicon, embedder, signal)
  return finalists
    .map((i) => {
      const candidate = candidates[i]!
      const support = supportOf(asked, candidate, own[i]!, before[i]!, alike)
      return {
        ...candidate,
        score:
          WORDS *
            share(
              weights,
              support.map(({ degree }) => degree),
            ) +
          rest(i),
        matched: asked.words.filter((word) => holds(own[i]!, word)).map(({ word }) => word),
        weakest: Math.min(1, ...support.filter((_, w) => !asked.words[w]!.carried).map(({ weak }) => weak)),
      }
    })
    .sort((a, b) => b.score - a.score)
}

/** What the sentence's form adds or takes: the kind of thing it names; headings and questions answer nothing. */
function form(asked: Asked, text: string): number {
  const kind = fit(asked.expects, text)
  const isSentence = /[.!:;。！…][\])"”’']*$/u.test(text)
  return (kind > 0 ? KIND : WRONG_KIND) * kind - (isSentence ? 0 : NO_SENTENCE)
}

function supportOf(
  asked: Asked,
  candidate: Candidate,
  own: ReadonlySet<string>,
  before: ReadonlySet<string>,
  alike: WordVectors,
): { degree: number; weak: number }[] {
  return asked.words.map((word) => {
    const held = holds(own, word)
    const heldBefore = holds(before, word)
    const cosine = alike.closest(word.word, candidate.text)
    const cosineBefore = Math.max(cosine, alike.closest(word.word, candidate.before))
    return {
      degree: Math.max(held ? 1 : ramp(cosine, LIKE) * LIKE.weight, heldBefore ? IN_SENTENCE_BEFORE : 0),
      weak: Math.max(
        held ? 1 : ramp(cosine, SUPPORT),
        SUPPORT.before * (heldBefore ? 1 : ramp(cosineBefore, SUPPORT)),
      ),
    }
  })
}

function best(places: Iterable<number>, score: (place: number) => number, most: number): number[] {
  const scored = Array.from(places, (place) => ({ place, score: score(place) }))
  return scored
    .sort((a, b) => b.score - a.score || a.place - b.place)
    .slice(0, most)
    .map(({ place }) => place)
}

/** What the material is about: the sentences that together stand for it; the first lines where none is a sentence. */
async function overview(
  candidates: readonly Candidate[],
  { embedder, signal }: SelectOptions,
): Promise<Quote[]> {
  const byText = new Map(candidates.map((candidate) => [candidate.text, candidate]))
  const sentences = sentencesOf(candidates.map(({ text }) => text).join('\n'))
  const central = centralSentences(sentences, 16).filter(({ text }) => byText.has(text))
  const vectors = await embedder.embed(
    central.map(({ text }) => text),
    signal && { signal },
  )
  return summarySentences(
    central.map(({ text }) => text),
    vectors,
  ).map((i) => ({
    text: central[i]!.text,
    passage: byText.get(central[i]!.text)!.passage,
    matched: [],
  }))
}
