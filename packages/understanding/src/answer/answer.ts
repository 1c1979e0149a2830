import type { AnswerPart, Question } from '@medialog/application/ports'
import { countTokens, withinTokens } from '@medialog/embedder/tokenizer'
import { askedFor, type SelectOptions } from './asked.ts'
import { selectQuotes, type Quote } from './select.ts'
import { NO_ANSWER, quoted } from './wording.ts'

/** The quotes that answer a question, in pieces as they may be sent. CPU-bound: runs in a thread. */
export async function answerOf(question: Question, options: SelectOptions): Promise<AnswerPart[]> {
  const { query, context, passages, maxTokens } = question
  const asked = askedFor(query, context, options.lexicon)
  const quotes = await selectQuotes(asked, passages, options)
  const cited = [...new Set(quotes.map(({ passage }) => passage))]
  const parts: AnswerPart[] = []
  let left = maxTokens
  for (const piece of piecesOf(quotes, cited)) {
    const text = withinTokens(piece, left)
    if (text === '') break
    left -= countTokens(text)
    parts.push({ type: 'text', text })
  }
  return [...parts, { type: 'end', cited, answered: quotes.length > 0, outputTokens: maxTokens - left }]
}

function* piecesOf(quotes: readonly Quote[], cited: readonly number[]): Generator<string> {
  if (quotes.length === 0) yield NO_ANSWER
  else yield 'The material says:'
  for (const { text, passage } of quotes) yield `\n\n${quoted(text)} [${cited.indexOf(passage) + 1}]`
}
