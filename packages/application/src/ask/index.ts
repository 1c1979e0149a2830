import type { RequestContext } from '../core/context.ts'
import { analyzeFile, type AnalyzeFile, type AnalyzedFile, type AnalyzePorts } from './analyze.ts'
import { ask, type Answered, type AskPorts } from './ask.ts'
import type { AskQuestion } from './ground.ts'
import type { AnswerListener } from './made-answer.ts'

/** Each @throws InsufficientFunds, AccountSuspended, IdempotencyKeyReused, RequestInProgress, EngineUnavailable */
export interface AskUseCases {
  /**
   * Answers a query from an item's passages, or from those of the library that match best. The listener hears the
   * answer while it is made. @throws InvalidInput, MediaItemNotFound, CollectionNotFound, ReplayGone
   */
  ask(context: RequestContext, command: AskQuestion, listener?: AnswerListener): Promise<Answered>
  /**
   * Answers a question about one staged file and keeps no part of it; always releases the staging.
   * @throws UnsupportedFileType, UnreadableFile
   */
  analyzeFile(context: RequestContext, command: AnalyzeFile): Promise<AnalyzedFile>
}

export const asking = (ports: AskPorts & AnalyzePorts): AskUseCases => ({
  ask: (context, command, listener) => ask(ports, context, command, listener),
  analyzeFile: (context, command) => analyzeFile(ports, context, command),
})
