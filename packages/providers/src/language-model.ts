import {
  NO_ANSWER,
  type AnswerMaker,
  type AnswerOptions,
  type AnswerPart,
  type FileAnalysis,
  type FileQuestion,
  type LanguageModel,
  type Question,
  type WorkOptions,
} from '@medialog/application/ports'
import { generateText, streamText, type LanguageModel as SdkModel } from 'ai'
import { analysisRequest, type AnalysisAnswer } from './analysis.ts'
import { answerRequest } from './answer-request.ts'
import { printable } from './bounded.ts'
import { Citations } from './citations.ts'
import { ProviderUnavailable, UnusableAnswer } from './failure.ts'
import type { Pieces, ProviderLine } from './line.ts'
import { estimatedTokens } from './prompt.ts'
import { structured } from './structured.ts'

/** No token has more characters than that on average: whoever writes on has lost count. */
const CHARACTERS_A_TOKEN = 16

export interface LanguageModelOptions {
  line: ProviderLine
  model: SdkModel
  /** Tokens of input that the model is given at most. */
  contextTokens: number
  /** Answers where the provider does not. Belongs to this one, which closes it. */
  offline: LanguageModel
  onFallback: (failure: ProviderUnavailable) => void
}

/**
 * Answers by a model of a provider. Where it gives none, the offline method does, which says so. One that breaks off
 * while it is read is an error: nothing that was read is taken back.
 */
export function createProviderLanguageModel(options: LanguageModelOptions): LanguageModel {
  const { line, offline } = options
  return {
    model: line.model,
    disclaimer:
      'Written by a language model from the passages that it was given; it may be mistaken. The sources show what it stands on.',
    // What is charged for is counted before anything is sent, and alike whoever answers.
    countTokens: offline.countTokens.bind(offline),
    answer: (question, asked = {}) => answer(question, options, asked),
    analyze: (question, work = {}) => analyze(question, options, work),
    close: () => offline.close(),
  }
}

async function* answer(
  question: Question,
  { line, model, contextTokens, offline, onFallback }: LanguageModelOptions,
  { whole = false, onSent = () => undefined, ...work }: AnswerOptions,
): AsyncGenerator<AnswerPart> {
  const { maxTokens, temperature, passages } = question
  const request = { ...answerRequest(question, contextTokens), maxOutputTokens: maxTokens, temperature }
  const tokens = estimatedTokens(request.instructions + request.prompt) + maxTokens
  const opened =
    <T>(open: (within: AbortSignal) => T) =>
    (within: AbortSignal): T => {
      onSent()
      return open(within)
    }
  const pieces = whole
    ? wholeText(
        line,
        tokens,
        opened((within) => generate(model, request, within)),
        work,
      )
    : line.stream(
        tokens,
        opened((within) => stream(model, request, within)),
        work,
      )
  const citations = new Citations(passages.length)
  let text = ''
  try {
    for await (const piece of pieces) {
      const shown = citations.push(printable(piece))
      text += shown
      if (shown !== '') yield { type: 'text', text: shown }
    }
  } catch (error) {
    if (!(error instanceof ProviderUnavailable) || text !== '') throw error
    onFallback(error)
    yield* offlineAnswer(question, offline, error, work)
    return
  }
  const rest = citations.end()
  if (rest !== '') yield { type: 'text', text: rest }
  text += rest
  const answered = !text.trim().startsWith(NO_ANSWER)
  const [outputTokens] = await offline.countTokens([text], { accountId: work.accountId })
  yield { type: 'end', cited: answered ? citations.cited : [], answered, outputTokens: outputTokens! }
}

async function* offlineAnswer(
  question: Question,
  offline: LanguageModel,
  failure: ProviderUnavailable,
  work: WorkOptions,
): AsyncGenerator<AnswerPart> {
  for await (const part of offline.answer(question, work))
    yield part.type === 'end' ? { ...part, madeBy: makerInstead(offline, failure) } : part
}

const makerInstead = ({ model, disclaimer }: AnswerMaker, { message }: Error): AnswerMaker => ({
  model,
  disclaimer: `${message} ${disclaimer}`,
})

async function* wholeText(
  line: ProviderLine,
  tokens: number,
  work: Parameters<typeof line.call<string>>[1],
  options: WorkOptions,
): AsyncGenerator<string> {
  yield await line.call(tokens, work, options)
}

interface TextRequest {
  instructions: string
  prompt: string
  maxOutputTokens: number
  temperature: number
}

async function generate(model: SdkModel, request: TextRequest, abortSignal: AbortSignal) {
  const { text, totalUsage } = await generateText({ ...request, model, maxRetries: 0, abortSignal })
  const tokens = totalUsage.totalTokens
  refuseUnusable(text, request, tokens)
  return { value: text, tokens }
}

function stream(model: SdkModel, request: TextRequest, abortSignal: AbortSignal): Pieces {
  const result = streamText({
    ...request,
    model,
    maxRetries: 0,
    abortSignal,
    // Errors come with the parts, and are not to be written to the console besides.
    onError: () => undefined,
  })
  return {
    async *pieces() {
      let length = 0
      for await (const part of result.fullStream) {
        if (part.type === 'error') throw part.error
        if (part.type !== 'text-delta' || part.text === '') continue
        length += part.text.length
        if (length > CHARACTERS_A_TOKEN * request.maxOutputTokens) throw tooLong()
        yield part.text
      }
    },
    tokens: async () => (await result.totalUsage).totalTokens,
  }
}

function refuseUnusable(text: string, { maxOutputTokens }: TextRequest, tokens: number | undefined): void {
  if (text.trim() === '') throw new UnusableAnswer('it is empty', tokens)
  if (text.length > CHARACTERS_A_TOKEN * maxOutputTokens) throw tooLong(tokens)
}

const tooLong = (tokens?: number): UnusableAnswer => new UnusableAnswer('it is too long', tokens)

async function analyze(
  question: FileQuestion,
  { line, model, contextTokens, offline, onFallback }: LanguageModelOptions,
  work: WorkOptions,
): Promise<FileAnalysis> {
  const request = analysisRequest(question, contextTokens)
  const tokens = estimatedTokens(request.instructions + request.text) + request.maxOutputTokens
  const { instructions, text, schema, maxOutputTokens } = request
  const { temperature } = question
  try {
    const written: AnalysisAnswer = await line.call(
      tokens,
      (within) =>
        structured(
          model,
          {
            instructions,
            messages: [{ role: 'user', content: text }],
            schema,
            maxOutputTokens,
            temperature,
          },
          within,
        ),
      work,
    )
    return {
      summary: written.summary,
      keyElements: written.key_elements,
      relevantDetails: written.relevant_details,
      mainResponse: written.main_response,
      insights: written.insights,
      additionalConsiderations: written.additional_considerations,
    }
  } catch (error) {
    if (!(error instanceof ProviderUnavailable)) throw error
    onFallback(error)
    const analysis = await offline.analyze(question, work)
    return {
      ...analysis,
      additionalConsiderations: `${error.message} ${analysis.additionalConsiderations}`,
      madeBy: makerInstead(offline, error),
    }
  }
}
