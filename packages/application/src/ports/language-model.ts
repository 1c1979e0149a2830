import type { MediaType } from '@medialog/kernel'
import type { Enrichment, Extraction, WorkOptions } from './understanding.ts'

/** What an answer says where the material holds none, from every model. */
export const NO_ANSWER = 'The material holds no answer to this question.'

/** What made an answer, as shown to its reader. */
export interface AnswerMaker {
  /** Names method or model, and its version. */
  readonly model: string
  /** A sentence for readers on how its answers are made. */
  readonly disclaimer: string
}

/** A passage that an answer may rest on. */
export interface GroundingPassage {
  text: string
  /** How close retrieval found it to the question, from 0 to 1; null where nothing was retrieved: all of it is there. */
  relevance: number | null
}

export interface Question {
  query: string
  /** How to answer: the caller's system prompt. */
  instructions: string | null
  /** Prior conversation or extra information: the caller's own. */
  context: string | null
  /** Of one document in reading order, or of several, closest first. */
  passages: readonly GroundingPassage[]
  /** 0 to 1. */
  temperature: number
  /** The answer has at most so many tokens of the model's own. */
  maxTokens: number
}

/** A piece of an answer while it is made; `end` comes once, last. */
export type AnswerPart =
  | { type: 'text'; text: string }
  | {
      type: 'end'
      /** Places among the question's passages, in the order in which the text names them: `[1]` is the first. */
      cited: number[]
      /** False: the material holds no answer, and the text reports that. */
      answered: boolean
      /** As the model counts them. */
      outputTokens: number
      /** Where another made it than the one that was asked. */
      madeBy?: AnswerMaker
    }

/** A question about one file that is read for it and not kept. */
export interface FileQuestion extends Omit<Question, 'context'> {
  filename: string
  /** What the file is to be taken for. */
  mediaType: MediaType
  extraction: Extraction
  enrichment: Enrichment
}

/** What a file says to a question, in parts; complete and of these types whatever a model made of it. */
export interface FileAnalysis {
  summary: string
  keyElements: string[]
  relevantDetails: string
  mainResponse: string
  insights: { observation: string; analysis: string; implication: string }[]
  additionalConsiderations: string
  /** Where another made it than the one that was asked. */
  madeBy?: AnswerMaker
}

export interface AnswerOptions extends WorkOptions {
  /** No client reads along, so an answer that breaks off may be started again. */
  whole?: boolean
  /** Called when what the question holds is sent to somebody who takes money for it: from then on it costs. */
  onSent?: () => void
}

/**
 * Answers questions from passages. The one in the box quotes; a hosted one may write. Whatever is sent to it counts
 * against the caller's tokens, so it is given nothing that was not asked for.
 */
export interface LanguageModel extends AnswerMaker {
  /**
   * Tokens of each text as the model counts them. Once they are more than `most` together no more are counted: the last
   * count is then the one with which they were.
   * @throws EngineUnavailable
   */
  countTokens(texts: readonly string[], options?: WorkOptions & { most?: number }): Promise<number[]>
  /**
   * The answer as it is made. Ends early, with the signal's reason, when it is aborted.
   * @throws EngineUnavailable when the provider is unavailable and there is no fallback, or broke off
   */
  answer(question: Question, options?: AnswerOptions): AsyncIterable<AnswerPart>
  /** @throws EngineUnavailable */
  analyze(question: FileQuestion, options?: WorkOptions): Promise<FileAnalysis>
  close(): Promise<void>
}

const POINTS_BACK = /\b(?:it|its|he|him|his|she|her|hers|they|them|their|this|that|these|those|there)\b/i
/** In UTF-16 code units. */
const REMEMBERED = 500

/** The end of the conversation that a question ("how deep was it?") points back to; empty where it does not. */
export const pointedTo = (query: string, context: string | null): string =>
  context !== null && POINTS_BACK.test(query) ? context.slice(-REMEMBERED).toWellFormed() : ''
