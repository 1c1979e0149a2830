import type { RequestContext } from '../core/context.ts'
import type { IngestOutcome } from '../ports/index.ts'

/** What a replay is made from: ids, times and amounts, nothing that erasing would have to find. */
export interface IngestAnswer {
  [key: string]: string | number
  requestId: string
  mediaId: string
  ingestId: string
  collection: string
  startedAt: number
  completedAt: number
  previousBalance: string
  cost: string
  newBalance: string
  position: number
}

export function answerOf(context: Pick<RequestContext, 'requestId'>, outcome: IngestOutcome): IngestAnswer {
  return {
    requestId: context.requestId,
    ...outcome,
    previousBalance: outcome.previousBalance.toString(),
    cost: outcome.cost.toString(),
    newBalance: outcome.newBalance.toString(),
  }
}

/** The outcome that an answer was made of. */
export function outcomeOf(answer: IngestAnswer): IngestOutcome {
  const { requestId: _, ...outcome } = answer
  return {
    ...outcome,
    previousBalance: BigInt(answer.previousBalance),
    cost: BigInt(answer.cost),
    newBalance: BigInt(answer.newBalance),
  }
}
