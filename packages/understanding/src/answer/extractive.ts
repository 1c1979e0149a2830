import type { AnswerPart, Embedder, LanguageModel, Question } from '@medialog/application/ports'
import { countTokens, tokenize } from '@medialog/embedder/tokenizer'
import { analysisOf } from './analysis.ts'
import { askedFor, type Lexicon } from './asked.ts'
import { selectQuotes, type Quote } from './select.ts'
import { DISCLAIMER, NO_ANSWER, quoted } from './wording.ts'

const MODEL = 'medialog-extractive-1'
export interface ExtractiveOptions {
  /** Belongs to the caller, who closes it. */
  embedder: Embedder
  lexicon: Lexicon
}

/**
 * Extractive question answering without a network: it selects and quotes. Deterministic: `temperature` and
 * `instructions` change nothing; `context` is material to quote from, and what a question like "how deep was it?"
 * points back to. Tokens are word pieces of the embedding model in the box.
 */
export function createExtractiveModel({ embedder, lexicon: unbounded }: ExtractiveOptions): LanguageModel {
  const lexicon = bounded(unbounded)
  return {
    model: MODEL,
    disclaimer: DISCLAIMER,
    countTokens: (text, most) =>
      most === undefined ? countTokens(text) : tokenize(text, most + 1).ids.length,
    answer: (question, { signal } = {}) => answer(question, { embedder, lexicon, signal }),
    analyze: (question, { signal } = {}) => analysisOf(question, { embedder, lexicon, signal }),
    close: async () => {},
  }
}

/** What is longer is no word, and takes a stemmer more time than there is. */
const LONGEST_WORD = 64

const bounded = ({ words, termsOf }: Lexicon): Lexicon => ({
  *words(text) {
    for (const word of words(text)) yield word.slice(0, LONGEST_WORD)
  },
  termsOf,
})

async function* answer(
  question: Question,
  options: ExtractiveOptions & { signal: AbortSignal | undefined },
): AsyncGenerator<AnswerPart> {
  const { query, context, passages, maxTokens } = question
  const asked = askedFor(query, context, options.lexicon)
  const material = context === null ? passages : [...passages, { text: context, relevance: 1 }]
  const quotes = await selectQuotes(asked, material, options)
  // Whatever stands behind the caller's own passages is the context, which is no source of ours.
  const cited = [...new Set(quotes.map(({ passage }) => passage))].filter((place) => place < passages.length)
  let left = maxTokens
  for (const piece of piecesOf(quotes, cited)) {
    options.signal?.throwIfAborted()
    const text = withinTokens(piece, left)
    if (text === '') break
    left -= countTokens(text)
    yield { type: 'text', text }
  }
  yield { type: 'end', cited, answered: quotes.length > 0, outputTokens: maxTokens - left }
}

function* piecesOf(quotes: readonly Quote[], cited: readonly number[]): Generator<string> {
  if (quotes.length === 0) yield NO_ANSWER
  else yield 'The material says:'
  for (const { text, passage } of quotes) {
    const number = cited.indexOf(passage) + 1
    yield `\n\n${quoted(text)} ${number > 0 ? `[${number}]` : '(from the context given)'}`
  }
}

/** As much of the text as has at most `most` tokens, whole words only. */
function withinTokens(text: string, most: number): string {
  const { ids, starts, begins } = tokenize(text, most + 1)
  if (ids.length <= most) return text
  let last = most
  while (last > 0 && !begins[last]) last--
  return text.slice(0, starts[last] ?? 0).trimEnd()
}
