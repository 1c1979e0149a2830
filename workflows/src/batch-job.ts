import { setTimeout as sleep } from 'node:timers/promises'
import { EngineUnavailable } from '@medialog/application/ports'
import { ClaimLost, DuplicateMedia, IngestInProgress, type BatchJob, type JobOutcome } from '@medialog/domain'
import type { JobEnd } from './batch.ts'
import type { BatchSteps } from './batch-steps.ts'
import { carry } from './ingest.ts'
import { failureOf } from './job-failure.ts'
import type { BatchRef, JobRef } from './refs.ts'
import { progressReporter } from './progress.ts'
import type { Steps } from './steps.ts'
import { JobParked, JobStopped, TriedTooOften } from './stopping.ts'

/** What a batch's jobs are worked on with. */
export interface JobWork {
  steps: Steps
  batchSteps: BatchSteps
  batch: BatchRef
  /** Aborts with JobStopped when the batch was cancelled, with JobParked when the process stops. */
  signal: AbortSignal
  /**
   * Does a job's work when it is the account's turn; `alone`: beside no other that may end the process.
   * @throws the signal's reason, when it aborts before
   */
  inTurn<T>(work: () => Promise<T>, alone: boolean): Promise<T>
  /** Receives what a job fails with. */
  onFailure?: (error: unknown) => void
}

/** Retries while an engine is unavailable, then the file is given up; in between 0.25 s, 0.5 s, 1 s, … */
const MOST_TRIES = 5
const FIRST_RETRY_MS = 250
/** A file that ended the process so often is given up. */
const MOST_CLAIMS = 3

/**
 * Runs a job to completion from wherever it stopped: its outcome is recorded in the batch's stream, then what was
 * not delivered is refunded, then its staged file goes. `twin`: see BatchSteps.openJob. Answers how it ended.
 * @throws JobParked, and what the log throws: to be run again
 */
export async function runJob(work: JobWork, job: BatchJob, twin: BatchJob | null): Promise<JobEnd> {
  const end = await endOf(work, job, twin)
  return end === 'waiting' ? end : work.batchSteps.closeJob(work.batch, job, end)
}

/** How the job ends, by what its item's stream says: recorded, there already, or released and nothing left of it; null: it has. */
async function endOf(
  work: JobWork,
  job: BatchJob,
  twin: BatchJob | null,
): Promise<JobOutcome | 'waiting' | null> {
  const { batchSteps, batch, signal } = work
  const { mediaId } = job
  for (;;) {
    const standing = await batchSteps.openJob(batch, job, twin)
    if (standing.status === 'ended') return null
    if (standing.status === 'skipped') return { status: 'skipped', mediaId }
    if (standing.status === 'recorded') return { status: 'succeeded', mediaId, tookMs: null }
    const { ingestId, claims } = standing
    try {
      signal.throwIfAborted()
      if (standing.cancelled) throw new JobStopped()
      if (claims >= MOST_CLAIMS) throw new TriedTooOften()
      const tookMs = await work.inTurn(() => ingestPatiently(work, job, standing), claims > 0)
      return { status: 'succeeded', mediaId, tookMs }
    } catch (error) {
      if (parked(signal)) {
        // The process does not end for the file: where that cannot be said, the next one takes it for one that did.
        await work.steps.end(refOf(work, job, ingestId), 'the service stopped').catch(() => undefined)
        throw signal.reason
      }
      if (error instanceof IngestInProgress) return 'waiting'
      if (error instanceof DuplicateMedia) return { status: 'skipped', mediaId }
      if (!(error instanceof ClaimLost)) return giveUp(work, job, ingestId, error)
    }
  }
}

/**
 * The ingest saga of a job, which decides its outcome. Its claim is kept while an engine is unavailable for a moment. Answers
 * how many milliseconds the try took that got through.
 */
async function ingestPatiently(
  { steps, batchSteps, batch, signal, onFailure }: JobWork,
  job: BatchJob,
  at: { ingestId: string; claims: number },
): Promise<number> {
  for (let tries = 1; ; tries++) {
    const started = performance.now()
    try {
      const ingest = await batchSteps.beginJob(batch, job, at)
      await using progress = progressReporter(
        (percent) => batchSteps.reportProgress(batch, job, percent),
        onFailure,
      )
      await carry(steps, ingest, { signal, onProgress: progress.onProgress })
      return Math.round(performance.now() - started)
    } catch (error) {
      if (!(error instanceof EngineUnavailable) || tries >= MOST_TRIES || signal.aborted) throw error
      await sleep(FIRST_RETRY_MS * 2 ** (tries - 1), undefined, { signal })
    }
  }
}

function refOf({ batch }: JobWork, { jobId, mediaId }: BatchJob, ingestId: string): JobRef {
  const { accountId, batchId, origin } = batch
  return { accountId, mediaId, jobId, ingestId, batchId, requestStream: null, origin }
}

async function giveUp(work: JobWork, job: BatchJob, ingestId: string, error: unknown): Promise<JobOutcome> {
  const reason: unknown = work.signal.aborted ? work.signal.reason : error
  work.onFailure?.(reason)
  const failure = failureOf(reason)
  const end = await work.steps.end(refOf(work, job, ingestId), failure.code)
  return end === 'recorded'
    ? { status: 'succeeded', mediaId: job.mediaId, tookMs: null }
    : { status: 'failed', ...failure }
}

const parked = (signal: AbortSignal): boolean => signal.reason instanceof JobParked
