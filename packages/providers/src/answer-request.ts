import { NO_ANSWER, type GroundingPassage, type Question } from '@medialog/application/ports'
import { estimatedTokens, excerpt, Material } from './prompt.ts'

/** What a model is told and asked for an answer. */
export function answerRequest(
  { query, context, instructions, passages }: Question,
  contextTokens: number,
): { instructions: string; prompt: string } {
  const material = new Material()
  const given = [
    ...withinTokens(passages, contextTokens).map(([place, { text }]) =>
      material.wrap(text, `passage="${place + 1}"`),
    ),
    ...(context === null ? [] : [material.wrap(excerpt(context, contextTokens), 'conversation')]),
  ]
  return {
    instructions: [
      'You answer a question from passages of files that were found for it.',
      material.rule,
      'Answer from the material alone, in the language of the question, as briefly as it allows.',
      ...(context === null
        ? []
        : ['Use the conversation only to understand the question. It is no evidence for a statement.']),
      'Behind each statement put the number of the passage that it stands on in square brackets, like [2].',
      `Where the material holds no answer, write exactly: ${NO_ANSWER}`,
      ...(instructions === null ? [] : [`How the asker wants to be answered:\n${instructions}`]),
    ].join('\n\n'),
    prompt: `${given.join('\n\n')}\n\nQuestion: ${query}`,
  }
}

/** Those that fit with their places, the closest first where closeness is known, in their order. */
function withinTokens(
  passages: readonly GroundingPassage[],
  tokens: number,
): [place: number, passage: GroundingPassage][] {
  let left = tokens
  const closest = [...passages.entries()].sort(([, a], [, b]) => (b.relevance ?? 0) - (a.relevance ?? 0))
  const fitting = closest.filter(([, { text }]) => (left -= estimatedTokens(text)) >= 0)
  return fitting.sort(([a], [b]) => a - b)
}
