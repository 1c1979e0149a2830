import { EngineUnavailable } from '@medialog/application/ports'
import { ClaimLost, DuplicateMedia, IngestInProgress, type BatchJob, type JobOutcome } from '@medialog/domain'
import { ingest, type Guarantees } from './ingest.ts'
import { failureOf } from './job-failure.ts'
import type { BatchSteps } from './batch-steps.ts'
import type { BatchRef, JobRef } from './refs.ts'
import type { Steps } from './steps.ts'
import { JobParked, JobStopped, TriedTooOften } from './stopping.ts'

/** What a batch's jobs are worked on with; how time passes and whose turn it is, whoever runs it says. */
export interface BatchWork {
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
  /** Rejects when the signal aborts. */
  pause(milliseconds: number): Promise<void>
  /** Milliseconds since whenever. */
  now(): number
}

/** Tries while an engine is away, then the file is given up; in between 0.25 s, 0.5 s, 1 s, … */
const MOST_TRIES = 5
const FIRST_RETRY_MS = 250
/** A file that ended the process so often is given up. */
const MOST_CLAIMS = 3

/**
 * Carries a job to its end, whatever of it was done before: how it ended is said in the batch's stream, then what was
 * not delivered is refunded, then its staged file goes. `twin` is an earlier file of the batch with the same content, the
 * one that brought it in if any has. Answers how it ended.
 * @throws JobParked, and what the log throws: to be run again
 */
export async function runJob(
  work: BatchWork,
  job: BatchJob,
  twin: BatchJob | null,
): Promise<JobOutcome['status']> {
  const { batchSteps, batch } = work
  const ended = await batchSteps.job(batch, job)
  const outcome = ended.outcome ?? (await finish(work, job, await endOf(work, job, twin)))
  if (outcome !== 'succeeded' && !job.duplicate) await batchSteps.refund(batch, job, outcome)
  await batchSteps.releaseFile(job)
  return outcome
}

async function finish(
  { batchSteps, batch }: BatchWork,
  job: BatchJob,
  outcome: JobOutcome,
): Promise<JobOutcome['status']> {
  if (outcome.status === 'succeeded') await batchSteps.shown(job)
  return batchSteps.finish(batch, job, outcome)
}

/** How the job ends, by what its item's stream says: recorded, there already, or released and nothing left of it. */
async function endOf(work: BatchWork, job: BatchJob, twin: BatchJob | null): Promise<JobOutcome> {
  const { batchSteps, batch } = work
  const { mediaId } = job
  const skipped: JobOutcome = { status: 'skipped', mediaId }
  if (await isStored(work, twin)) return skipped
  for (;;) {
    const { ingestId, recorded, claims } = await batchSteps.attempt(batch, job)
    if (recorded) return { status: 'succeeded', mediaId, tookMs: null }
    try {
      await refuseCancelled(work, job)
      if (claims >= MOST_CLAIMS) throw new TriedTooOften()
      const tookMs = await work.inTurn(() => ingestPatiently(work, job, ingestId, claims), claims > 0)
      return { status: 'succeeded', mediaId, tookMs }
    } catch (error) {
      if (parked(work.signal)) {
        // The process does not end for the file: where that cannot be said, the next one takes it for one that did.
        await work.steps.release(refOf(work, job, ingestId), 'the service stopped').catch(() => undefined)
        throw work.signal.reason
      }
      if (error instanceof IngestInProgress) await claimEnds(work, job)
      else if (error instanceof DuplicateMedia) return skipped
      else if (!(error instanceof ClaimLost)) return giveUp(work, job, ingestId, error)
    }
  }
}

/** An earlier file of the same batch brought the content in. */
async function isStored({ batchSteps, batch }: BatchWork, twin: BatchJob | null): Promise<boolean> {
  return twin !== null && (await batchSteps.job(batch, twin)).outcome !== 'failed'
}

async function refuseCancelled({ batchSteps, batch, signal }: BatchWork, job: BatchJob): Promise<void> {
  signal.throwIfAborted()
  if ((await batchSteps.job(batch, job)).cancelled) throw new JobStopped()
}

/**
 * The saga of single uploads. Its claim is kept while an engine is away for a moment. Answers how many milliseconds the
 * try took that got through.
 */
async function ingestPatiently(
  work: BatchWork,
  job: BatchJob,
  ingestId: string,
  claims: number,
): Promise<number> {
  const { steps, batchSteps, batch, signal } = work
  if (claims > 0) await batchSteps.claimAgain(batch, job, ingestId, claims)
  for (let tries = 1; ; tries++) {
    const started = work.now()
    try {
      await batchSteps.requireQuota(batch)
      const prepared = await batchSteps.prepare(batch, job, ingestId)
      await ingest(steps, UNGUARDED, prepared, signal)
      return Math.round(work.now() - started)
    } catch (error) {
      if (!(error instanceof EngineUnavailable) || tries >= MOST_TRIES || signal.aborted) throw error
      await work.pause(FIRST_RETRY_MS * 2 ** (tries - 1))
    }
  }
}

/** How the job ends is this file's to decide; the batch is run again until all of it is done. */
const UNGUARDED: Guarantees = { giveUp: async () => {}, finish: async (work) => void (await work()) }

async function claimEnds({ batchSteps, signal }: BatchWork, job: BatchJob): Promise<void> {
  try {
    await batchSteps.claimEnds(job, signal)
  } catch (error) {
    // Who stops the job sees to its end.
    if (!signal.aborted) throw error
  }
}

function refOf({ batch }: BatchWork, { jobId, mediaId }: BatchJob, ingestId: string): JobRef {
  const { accountId, batchId, origin } = batch
  return { accountId, mediaId, jobId, ingestId, batchId, requestStream: null, origin }
}

async function giveUp(work: BatchWork, job: BatchJob, ingestId: string, error: unknown): Promise<JobOutcome> {
  const { steps, signal } = work
  const { mediaId } = job
  const ref = refOf(work, job, ingestId)
  const failure = failureOf(signal.aborted ? signal.reason : error)
  if ((await steps.release(ref, failure.code)) === 'recorded')
    return { status: 'succeeded', mediaId, tookMs: null }
  await steps.discard(ref)
  return { status: 'failed', ...failure }
}

const parked = (signal: AbortSignal): boolean => signal.reason instanceof JobParked
