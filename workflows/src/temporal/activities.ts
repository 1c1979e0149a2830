import { Context } from '@temporalio/activity'
import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common'
import { makeBatchSteps } from '../batch-steps.ts'
import type { IngestPorts } from '../ports.ts'
import { makeSteps, type Steps } from '../steps.ts'
import { failureOfKnown, StepFailed } from './failures.ts'
import { activityName, HEARTBEAT_TIMEOUT_MS, LONG_STEPS, type StepGroup } from './names.ts'

type Step = (...args: never[]) => Promise<unknown>
type Activity = (...args: unknown[]) => Promise<unknown>

export interface ActivityOptions {
  /** Hears of errors that the saga knows nothing of. */
  onFault: (error: unknown, activity: string) => void
}

export interface Activities {
  /** The steps of the sagas, by their names as activities. */
  byName: Record<string, Activity>
  /** Files of batches that are being read. */
  reading: () => number
}

export function makeActivities(ports: IngestPorts, options: ActivityOptions): Activities {
  let reading = 0
  const steps = makeRepeatableSteps(ports)
  const counted: Steps = {
    ...steps,
    async understandAndStore(job, signal) {
      if (!job.batchId) return steps.understandAndStore(job, signal)
      reading++
      return steps.understandAndStore(job, signal).finally(() => reading--)
    },
  }
  return {
    byName: {
      ...activitiesOf('ingest', counted, options),
      ...activitiesOf('batch', makeBatchSteps(ports, { isShared: true }), options),
    },
    reading: () => reading,
  }
}

/** The steps, made for attempts that may overlap: one that counts as lost may still be at it. */
function makeRepeatableSteps(ports: IngestPorts): Steps {
  const steps = makeSteps(ports, { isShared: true })
  const reading = new Map<string, Promise<unknown>>()
  return {
    ...steps,
    /** Nothing is claimed any more for an upload whose file went with the process that took it. */
    async claim(job) {
      await ports.staging.reopen(job.staged.id)
      return steps.claim(job)
    },
    /**
     * Reads the file where this machine has it: the job may come from another. What an attempt that counts as lost is still
     * making is awaited and taken, rather than made twice.
     */
    async understandAndStore(job, signal) {
      const before = reading.get(job.ingestId)
      const after = Promise.resolve(before)
        .catch(() => undefined)
        .then(() => ports.staging.reopen(job.staged.id))
        .then(({ path }) => steps.understandAndStore({ ...job, staged: { ...job.staged, path } }, signal))
      reading.set(job.ingestId, after)
      try {
        return await after
      } finally {
        if (reading.get(job.ingestId) === after) reading.delete(job.ingestId)
      }
    },
  }
}

const activitiesOf = (group: StepGroup, steps: object, options: ActivityOptions): Record<string, Activity> =>
  Object.fromEntries(
    Object.entries(steps).map(([step, run]) => {
      const name = activityName(group, step)
      return [name, activityOf(name, run as Step, options)]
    }),
  )

/** Beats while the step runs, so that a lost worker is noticed soon and a step hears when it is no longer wanted. */
function activityOf(name: string, step: Step, { onFault }: ActivityOptions): Activity {
  const isLong = LONG_STEPS.has(name)
  return async (...args) => {
    const context = Context.current()
    const signal = context.cancellationSignal
    const beating = setInterval(() => context.heartbeat(), HEARTBEAT_TIMEOUT_MS / 5)
    try {
      return await step(...((isLong ? [...args, signal] : args) as never[]))
    } catch (error) {
      if (signal.aborted && context.cancellationDetails?.cancelRequested) throw signal.reason
      // The worker stops, or counts as lost: another one takes the step up.
      if (signal.aborted) throw workerStopped()
      const known = failureOfKnown(error)
      if (known) throw known
      onFault(error, name)
      throw failureOfKnown(new StepFailed())!
    } finally {
      clearInterval(beating)
    }
  }
}

const workerStopped = (): ApplicationFailure =>
  ApplicationFailure.create({
    message: 'The worker stopped.',
    type: 'WorkerStopped',
    category: ApplicationFailureCategory.BENIGN,
  })
