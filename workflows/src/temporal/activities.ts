import type { IngestJob, SubmittedBatch } from '@medialog/application'
import type { BatchJob } from '@medialog/domain'
import type { Uuid } from '@medialog/kernel'
import { Context } from '@temporalio/activity'
import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common'
import type { JobEnd } from '../batch.ts'
import { runJob } from '../batch-job.ts'
import { makeBatchSteps } from '../batch-steps.ts'
import { carry } from '../ingest.ts'
import type { IngestPorts } from '../ports.ts'
import type { BatchRef, JobRef } from '../refs.ts'
import { makeSteps, type Finished, type Steps } from '../steps.ts'
import { JobParked, JobStopped } from '../stopping.ts'
import { failureOfKnown, StepFailed } from './failures.ts'
import { HEARTBEAT_TIMEOUT_MS } from './names.ts'

/** What workflows have done, by the names that Temporal shows. Each may be run again, after a crash at any line of it. */
export interface Activities {
  /** Of an upload. */
  carry: (job: IngestJob) => Promise<Finished>
  end: (job: JobRef, reason: string) => Promise<void>
  openBatch: (batchId: Uuid) => Promise<SubmittedBatch>
  /** `isStopped`: it only ends. */
  runJob: (batch: BatchRef, job: BatchJob, twin: BatchJob | null, isStopped: boolean) => Promise<JobEnd>
  claimEnds: (job: BatchJob) => Promise<void>
  endBatch: (batch: BatchRef) => Promise<void>
}

export interface ActivityOptions {
  /** Receives errors that the saga does not know. */
  onFault: (error: unknown, activity: string) => void
}

export interface MadeActivities {
  byName: Activities
  /** Jobs of batches that are at work. */
  running: () => number
}

export function makeActivities(ports: IngestPorts, { onFault }: ActivityOptions): MadeActivities {
  const steps = makeRepeatableSteps(ports)
  const batchSteps = makeBatchSteps(ports, { isShared: true })
  let running = 0

  /** Beats while the work runs, so that a lost worker is noticed soon, and work hears that it is no longer wanted. */
  async function beating<T>(activity: string, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const context = Context.current()
    const signal = context.cancellationSignal
    const isCancelled = (): boolean => context.cancellationDetails?.cancelRequested === true
    const stop = new AbortController()
    const onAbort = (): void => stop.abort(isCancelled() ? new JobStopped() : new JobParked())
    signal.addEventListener('abort', onAbort)
    const beats = setInterval(() => context.heartbeat(), HEARTBEAT_TIMEOUT_MS / 5)
    try {
      return await work(stop.signal)
    } catch (error) {
      if (signal.aborted && isCancelled()) throw signal.reason
      // The worker stops, or counts as lost: another one takes it up.
      if (signal.aborted) throw workerStopped()
      const known = failureOfKnown(error)
      if (known) throw known
      onFault(error, activity)
      throw failureOfKnown(new StepFailed())!
    } finally {
      clearInterval(beats)
      signal.removeEventListener('abort', onAbort)
    }
  }

  const byName: Activities = {
    carry: (job) => beating('carry', (signal) => carry(steps, job, { signal })),
    end: (job, reason) => beating('end', async () => void (await steps.end(job, reason))),
    openBatch: (batchId) => beating('openBatch', () => batchSteps.openBatch(batchId)),
    runJob: (batch, job, twin, isStopped) =>
      beating('runJob', async (stopping) => {
        const signal = isStopped ? AbortSignal.abort(new JobStopped()) : stopping
        const onFailure = (error: unknown): void => {
          if (!failureOfKnown(error)) onFault(error, 'runJob')
        }
        // The queue that it came from is what it waited in.
        const inTurn = <T>(work: () => Promise<T>): Promise<T> => work()
        running++
        try {
          return await runJob({ steps, batchSteps, batch, signal, inTurn, onFailure }, job, twin)
        } finally {
          running--
        }
      }),
    claimEnds: (job) => beating('claimEnds', (signal) => batchSteps.claimEnds(job, signal)),
    endBatch: (batch) => beating('endBatch', () => batchSteps.endBatch(batch)),
  }
  return { byName, running: () => running }
}

/** The steps, made for attempts that may overlap: one that counts as lost may still be at it. */
function makeRepeatableSteps(ports: IngestPorts): Steps {
  const steps = makeSteps(ports, { isShared: true })
  const reading = new Map<string, Promise<unknown>>()
  return {
    ...steps,
    /** Nothing is claimed any more for an upload whose file went with the process that took it. */
    async begin(job) {
      await ports.staging.reopen(job.staged.id)
      return steps.begin(job)
    },
    /**
     * Reads the file where this machine has it: the job may come from another. What an attempt that counts as lost is still
     * making is awaited and taken, rather than made twice.
     */
    async understand(job, work) {
      const before = reading.get(job.ingestId)
      const after = Promise.resolve(before)
        .catch(() => undefined)
        .then(() => ports.staging.reopen(job.staged.id))
        .then(({ path }) => steps.understand({ ...job, staged: { ...job.staged, path } }, work))
      reading.set(job.ingestId, after)
      try {
        return await after
      } finally {
        if (reading.get(job.ingestId) === after) reading.delete(job.ingestId)
      }
    },
  }
}

const workerStopped = (): ApplicationFailure =>
  ApplicationFailure.create({
    message: 'The worker stopped.',
    type: 'WorkerStopped',
    category: ApplicationFailureCategory.BENIGN,
  })
