import type { IngestJob, IngestOutcome } from '@medialog/application'
import { reasonOf } from '@medialog/application/core/errors'
import { EngineUnavailable } from '@medialog/application/ports'
import { ClaimLost } from '@medialog/domain'
import { jobRef, type JobRef } from './refs.ts'
import type { Finished, Steps, StepWork } from './steps.ts'
import { JobStopped } from './stopping.ts'

/**
 * Always ends the job: while an engine is unavailable it is retried until it is done. `isRecorded`: what is left of
 * it is bookkeeping, for which no request waits.
 */
export type UntilEnded = (job: JobRef, reason: string, isRecorded: boolean) => Promise<unknown>

/** What a job is carried with, and ended. */
export interface Carriage {
  /** See carry. */
  carry: (job: IngestJob, signal?: AbortSignal) => Promise<Finished>
  untilEnded: UntilEnded
}

/**
 * The ingest saga of an upload. Rejects with what went wrong. Undoing starts at the first step already: one that failed may
 * have been done.
 */
export async function ingest(
  { carry, untilEnded }: Carriage,
  job: IngestJob,
  signal?: AbortSignal,
): Promise<IngestOutcome> {
  let finished: Finished
  try {
    finished = await carry(job, signal)
  } catch (error) {
    await untilEnded(jobRef(job), reasonOf(error), false)
    throw error
  }
  if (finished.owed) await untilEnded(jobRef(job), 'recorded', true)
  return finished.outcome
}

/** Carries a job through, from its claim to its record. May be run again. @throws what its steps do, and the signal's reason */
export async function carry(steps: Steps, job: IngestJob, work: StepWork = {}): Promise<Finished> {
  const begun = await steps.begin(job)
  const record = await steps.understand(job, work)
  work.signal?.throwIfAborted()
  return steps.finish(job, begun, record)
}

/** The error for a client that waits for the upload: one that was given up may be sent again. */
export const refusalOf = (error: unknown): unknown =>
  error instanceof ClaimLost || error instanceof JobStopped
    ? new EngineUnavailable('ingest', 'The upload was given up; send it again.')
    : error
