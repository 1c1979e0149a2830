import type { IngestJob, IngestOutcome } from '@medialog/application'
import { answerOf } from '@medialog/application/ingest-answer'
import { EngineUnavailable } from '@medialog/application/ports'
import { ClaimLost } from '@medialog/domain'
import { sum } from '@medialog/kernel'
import { jobRef } from './refs.ts'
import type { Steps } from './steps.ts'
import { JobStopped } from './stopping.ts'

/** What is done about a job whatever else happens: tried until it is done, in the background where an engine is away. */
export interface Guarantees {
  /** Ends the job by what its item's stream says: nothing is left of it, or it is there and charged. */
  giveUp: (job: IngestJob, error: unknown) => Promise<void>
  /** The item is there: what remains is bookkeeping. */
  finish: (work: () => Promise<unknown>) => Promise<void>
}

/**
 * The ingest saga: claim → charge → understand → store → record → settle, or release and refund.
 * Rejects with what went wrong. Undoing starts at the first step already: one that failed may have been done.
 */
export async function ingest(
  steps: Steps,
  { giveUp, finish }: Guarantees,
  job: IngestJob,
  signal?: AbortSignal,
): Promise<IngestOutcome> {
  let outcome: IngestOutcome
  try {
    const { at: startedAt } = await steps.claim(job)
    const { newBalance } = await steps.charge(job)
    const record = await steps.understandAndStore(job, signal)
    signal?.throwIfAborted()
    const { collection, position } = await steps.record(job, record)
    const cost = sum(job.price.map((line) => line.amount))
    const { mediaId, ingestId } = job
    const completedAt = record.at
    const previousBalance = newBalance + cost
    outcome = {
      mediaId,
      ingestId,
      collection,
      startedAt,
      completedAt,
      previousBalance,
      cost,
      newBalance,
      position,
    }
  } catch (error) {
    await giveUp(job, error)
    throw error
  }
  await finish(async () => {
    const ref = jobRef(job)
    if (ref.requestStream) await steps.complete(ref, answerOf(job, outcome))
    const position = await steps.settle(ref)
    outcome.position = Math.max(outcome.position, position)
  })
  return outcome
}

/** What somebody who waits for the upload is told: one that was given up for them may be sent again. */
export const refusalOf = (error: unknown): unknown =>
  error instanceof ClaimLost || error instanceof JobStopped
    ? new EngineUnavailable('ingest', 'The upload was given up; send it again.')
    : error
