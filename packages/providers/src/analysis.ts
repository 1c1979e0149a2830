import type { FileQuestion } from '@medialog/application/ports'
import { z } from 'zod'
import { names, prose } from './bounded.ts'
import { excerpt, Material } from './prompt.ts'

const AnalysisAnswer = z.object({
  summary: prose(2_000),
  key_elements: names(12),
  relevant_details: prose(4_000),
  main_response: prose(8_000),
  insights: z
    .array(z.object({ observation: prose(1_000), analysis: prose(1_000), implication: prose(1_000) }))
    .transform((insights) => insights.slice(0, 10)),
  additional_considerations: prose(2_000),
})
export type AnalysisAnswer = z.output<typeof AnalysisAnswer>

/** What a model is told and asked for the analysis of one file. */
export function analysisRequest(question: FileQuestion, contextTokens: number) {
  const { query, instructions, filename, mediaType, extraction, enrichment, maxTokens } = question
  const material = new Material()
  return {
    schema: AnalysisAnswer,
    maxOutputTokens: maxTokens,
    instructions: [
      `You analyse one file, to be taken for: ${mediaType}. Answer the question from it alone, in the language of the question.`,
      material.rule,
      'summary: what the file is. key_elements: names and things that matter. main_response: the answer. ' +
        'relevant_details: what of the file bears on the question. insights: what was observed, what it means, what follows. ' +
        'additional_considerations: limits of the answer. What the file does not tell is left empty, never made up.',
      ...(instructions === null ? [] : [`How the asker wants to be answered:\n${instructions}`]),
    ].join('\n\n'),
    text: [
      material.wrap(filename, 'file name'),
      material.wrap(enrichment.description, 'what is known of the file'),
      ...(extraction.text === ''
        ? []
        : [material.wrap(excerpt(extraction.text, contextTokens), 'text of the file')]),
      `Question: ${query}`,
    ].join('\n\n'),
  }
}
