import type { AnalyzedFile, AnalyzeFile, Answered, AskQuestion, FileAnalysis } from '@medialog/application'
import {
  API_VERSION,
  type AnswerBilling,
  type AnswerEvents,
  type AnswerSource,
  type FileAnalysis as FileAnalysisView,
} from '@medialog/contract/http'
import { isoTime, requestId as requestIds, toUsdNumber, typedMediaId } from '@medialog/kernel'
import type { z } from 'zod'
import { idOf } from './media.ts'

export const sourcesOf = ({ sources }: Answered): z.input<typeof AnswerSource>[] =>
  sources.map(({ mediaId, mediaType, filename, collection, title, chunk, text, time, revision }) => ({
    media_id: typedMediaId(mediaType, mediaId),
    filename,
    collection,
    title,
    chunk,
    text,
    ...(time && { time }),
    revision,
  }))

export function billingOf({ cost, price, usage }: Answered): z.input<typeof AnswerBilling> {
  const { inputTokens, outputTokens, milliseconds } = usage
  return {
    total_cost: toUsdNumber(cost),
    base_fee: toUsdNumber(price.base),
    token_charges: toUsdNumber(price.tokens),
    usage: {
      context_tokens: inputTokens,
      response_tokens: outputTokens,
      total_tokens: inputTokens + outputTokens,
      processing_time_ms: milliseconds,
    },
    pricing_tier: price.tier,
  }
}

/** An answer's metadata: the question, and the model. */
export function answerContext(
  { query, temperature, maxTokens }: AskQuestion,
  { item, disclaimer, requestId, model }: Answered,
): z.input<typeof AnswerEvents.done> {
  return {
    request: { query, temperature, max_tokens: maxTokens, disclaimer },
    ...(item && {
      media_context: {
        media_id: idOf(item),
        media_type: item.mediaType,
        collection: item.collection,
        created_at: isoTime(item.createdAt),
      },
    }),
    metadata: { request_id: requestIds.format(requestId), model, api_version: API_VERSION },
  }
}

export function fileAnalysis(
  { staged, filename, query, systemPrompt, responseFormat }: AnalyzeFile,
  file: AnalyzedFile,
): z.input<typeof FileAnalysisView> {
  const { analysis, format, mediaType, processedAt, milliseconds, model, requestId, cost, balance } = file
  const at = isoTime(processedAt)
  const parts = partsOf(analysis)
  const asJson = responseFormat === 'json'
  return {
    media_info: { filename, format, media_type: mediaType, processed_at: at, size: staged.size },
    processing_info: {
      api_version: API_VERSION,
      context_id: `ctx_${requestId}`,
      model,
      processing_time_ms: milliseconds,
      status: 'success',
      cost: toUsdNumber(cost),
      balance: toUsdNumber(balance),
    },
    query_info: { query, response_format: responseFormat, system_prompt: systemPrompt },
    ...(asJson && parts),
    response: { content: asJson ? parts : textOf(analysis), format: responseFormat, generated_at: at },
  }
}

const partsOf = (analysis: FileAnalysis) => ({
  analysis: {
    summary: analysis.summary,
    key_elements: analysis.keyElements,
    relevant_details: analysis.relevantDetails,
  },
  answer: {
    main_response: analysis.mainResponse,
    insights: analysis.insights.map(({ observation, analysis, implication }) => ({
      observation,
      analysis,
      implication,
    })),
    additional_considerations: analysis.additionalConsiderations,
  },
})

/** The same as plain text, part by part; what is empty is left out. */
function textOf(analysis: FileAnalysis): string {
  const { summary, keyElements, relevantDetails, mainResponse, insights, additionalConsiderations } = analysis
  const list = (lines: readonly string[]): string => lines.map((line) => `- ${line}`).join('\n')
  const parts: [title: string, text: string][] = [
    ['Summary', summary],
    ['Key elements', list(keyElements)],
    ['Relevant details', relevantDetails],
    ['Answer', mainResponse],
    [
      'Insights',
      list(
        insights.map(({ observation, analysis, implication }) => `${observation} ${analysis} ${implication}`),
      ),
    ],
    ['Additional considerations', additionalConsiderations],
  ]
  return parts
    .filter(([, text]) => text !== '')
    .map(([title, text]) => `${title}\n${text}`)
    .join('\n\n')
}
