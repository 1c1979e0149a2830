import type { GroundingPassage } from '@medialog/application/ports'
import { clamp, dot } from '../enrich/vector-math.ts'
import { fit, type Asked, type AskedWord, type SelectOptions } from './asked.ts'
import type { Candidate } from './candidates.ts'
import { best, holds, share, weigh, type TermsOf } from './terms.ts'
import { wordVectors, type WordVectors } from './word-vectors.ts'

/** A question, with what it takes to compare texts with it. */
export interface AskedQuestion extends SelectOptions {
  asked: Asked
  meaning: Float32Array
  termsOf: TermsOf
}

export interface Ranked {
  candidate: Candidate
  score: number
  /** Words of the question that it holds. */
  matched: string[]
  /** How well the question's worst supported word is supported, 0 to 1. */
  weakest: number
}

/** Sentences measured by meaning, and of those the ones measured word by word. */
const SENTENCES = 32
const FINALISTS = 12

/**
 * A sentence's score is 0.6 × the part of the question's words that it supports (rarer ones count more) + 0.4 × closeness
 * of meaning, and a little for naming the kind of thing that is asked for. These numbers and the thresholds of select.ts
 * were chosen on one half of test/benchmarks/questions and checked on the other: see docs/ai.md.
 */
export const WORDS = 0.6
export const MEANING = 0.4
const KIND = 0.08
const WRONG_KIND = 0.25
const NO_SENTENCE = 0.2
const HEADING = 0.6

/** How far a word of the question is supported by standing in the sentence before, or elsewhere in the passage. */
const NEARBY = { before: 0.5, passage: 0.3 }
/** By another word of the sentence, from which cosine up to which. */
const ALIKE = { from: 0.4, to: 0.85, most: 0.9 }
/** The same for the worst supported word, which decides whether there is an answer at all. */
const WEAK = { before: 0.8, passage: 0.65, from: 0.3, to: 0.7 }

/** The candidates that speak most to the question, best first. */
export async function rank(
  question: AskedQuestion,
  candidates: readonly Candidate[],
  passages: readonly Pick<GroundingPassage, 'text'>[],
): Promise<Ranked[]> {
  const { asked, embedder, lexicon } = question
  const around = surroundings(question, candidates, passages)
  const weights = weigh(
    asked,
    around.map(({ own }) => own),
  )
  const byWords = (i: number): number =>
    share(
      weights,
      asked.words.map((word) => held(around[i]!, word, NEARBY)),
    )
  const hopeful = best(
    candidates.keys(),
    (i) => byWords(i) + KIND * fit(asked.expects, candidates[i]!.text),
    SENTENCES,
  )
  const closeness = await closenessOf(question, candidates, hopeful)
  const rest = (i: number): number => MEANING * closeness.get(i)! + form(asked, candidates[i]!.text)
  const finalists = best(hopeful, (i) => WORDS * byWords(i) + rest(i), FINALISTS)
  const texts = finalists.flatMap((i) => [candidates[i]!.text, candidates[i]!.before])
  const vectors = await wordVectors([asked.text, ...texts], lexicon, embedder)
  return finalists
    .map((i): Ranked => {
      const candidate = candidates[i]!
      const support = asked.words.map((word) => supportOf(word, candidate, around[i]!, vectors))
      const degrees = support.map(({ degree }) => degree)
      const own = support.filter((_, w) => !asked.words[w]!.carried)
      return {
        candidate,
        score: WORDS * share(weights, degrees) + rest(i),
        matched: asked.words.filter((word) => holds(around[i]!.own, word)).map(({ word }) => word),
        weakest: Math.min(1, ...own.map(({ weak }) => weak)),
      }
    })
    .sort((a, b) => b.score - a.score)
}

/** Terms of a sentence, of the one before it, and of the passage in which it stands. */
interface Surroundings {
  own: ReadonlySet<string>
  before: ReadonlySet<string>
  passage: ReadonlySet<string>
}

function surroundings(
  { termsOf }: AskedQuestion,
  candidates: readonly Candidate[],
  passages: readonly Pick<GroundingPassage, 'text'>[],
): Surroundings[] {
  const whole = new Map<number, ReadonlySet<string>>()
  return candidates.map(({ text, before, passage }) => {
    if (!whole.has(passage)) whole.set(passage, termsOf(passages[passage]!.text))
    return { own: termsOf(text), before: termsOf(before), passage: whole.get(passage)! }
  })
}

/** 1 for a word of the sentence itself, less for one that stands nearby. */
function held(
  { own, before, passage }: Surroundings,
  word: AskedWord,
  nearby: { before: number; passage: number },
): number {
  if (holds(own, word)) return 1
  if (holds(before, word)) return nearby.before
  return holds(passage, word) ? nearby.passage : 0
}

/** Closeness in meaning to the question, 0 to 1, of the candidates at these places. */
async function closenessOf(
  { meaning, embedder }: AskedQuestion,
  candidates: readonly Candidate[],
  places: readonly number[],
): Promise<Map<number, number>> {
  const texts = places.map((i) => candidates[i]!.text)
  const vectors = await embedder.embed(texts)
  const floor = embedder.cosineFloor
  return new Map(places.map((i, n) => [i, clamp((dot(meaning, vectors[n]!) - floor) / (1 - floor))]))
}

/** What the sentence's form adds or takes: the kind of thing it names; headings and questions answer nothing. */
function form(asked: Asked, text: string): number {
  const kind = fit(asked.expects, text)
  const added = (kind > 0 ? KIND : WRONG_KIND) * kind
  if (/[.!:;。！…][\])"”’']*$/u.test(text)) return added
  return added - (isHeading(text) || QUESTION.test(text) ? HEADING : NO_SENTENCE)
}

const QUESTION = /[?？][\])"”’']*$/u

/** A few words without figures or separators: a row of a table has those. */
const isHeading = (text: string): boolean => !/[\p{N}|,:=\t]/u.test(text) && text.split(' ').length <= 12

const ramp = (value: number, { from, to }: { from: number; to: number }): number =>
  clamp((value - from) / (to - from))

function supportOf(
  word: AskedWord,
  { text, before }: Candidate,
  around: Surroundings,
  vectors: WordVectors,
): { degree: number; weak: number } {
  const cosine = vectors.closest(word.word, text)
  const cosineBefore = vectors.closest(word.word, before)
  return {
    degree: Math.max(held(around, word, NEARBY), ALIKE.most * ramp(cosine, ALIKE)),
    weak: Math.max(held(around, word, WEAK), ramp(cosine, WEAK), WEAK.before * ramp(cosineBefore, WEAK)),
  }
}
