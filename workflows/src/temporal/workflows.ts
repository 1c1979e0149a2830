import type { IngestJob, IngestOutcome } from '@medialog/application'
import { reasonOf } from '@medialog/application/errors'
import type { Uuid } from '@medialog/kernel'
import {
  CancellationScope,
  ParentClosePolicy,
  sleep,
  startChild,
  workflowInfo,
  type ActivityOptions,
} from '@temporalio/workflow'
import type { BatchWork } from '../batch-job.ts'
import { workOff } from '../batch.ts'
import { endJob } from '../end-job.ts'
import { ingest } from '../ingest.ts'
import { batchRef, jobRef, type JobRef } from '../refs.ts'
import type { Steps } from '../steps.ts'
import { JobStopped } from '../stopping.ts'
import { DECIDED_ON, failureOfKnown } from './failures.ts'
import { activityName, endIngestWorkflowId, filesQueueOf, HEARTBEAT_TIMEOUT_MS, LONG_STEPS } from './names.ts'
import { remoteSteps, untilAborted } from './remote-steps.ts'

/**
 * The sagas as Temporal runs them: the same functions as in one process, over steps that are activities. A module whose
 * every exported function is a workflow.
 */

/** Of an upload that somebody waits for: what cannot be done now is said at once. */
const AT_ONCE: ActivityOptions = {
  startToCloseTimeout: '1 minute',
  heartbeatTimeout: HEARTBEAT_TIMEOUT_MS,
  // What is left to be tried again is a step whose worker was lost.
  retry: {
    initialInterval: '250 milliseconds',
    maximumInterval: '15 seconds',
    nonRetryableErrorTypes: DECIDED_ON,
  },
}

/** Of what is owed: tried until it is done. What meets a damaged stream fails, and sweeps take it up again. */
const UNTIL_DONE: ActivityOptions = {
  ...AT_ONCE,
  retry: { ...AT_ONCE.retry, nonRetryableErrorTypes: ['StreamDamaged'] },
}

const LONGEST_READ = '2 hours'

/** Steps whose failures the saga of a batch's job decides on; all others are owed. */
const DECIDED = new Set([
  'ingest.claim',
  'ingest.charge',
  'ingest.understandAndStore',
  'ingest.record',
  'batch.prepare',
  'batch.requireQuota',
])

const READING = 'ingest.understandAndStore'
/** A file that ended its worker so often is given up. */
const MOST_READINGS = 3

function long(name: string, options: ActivityOptions): ActivityOptions {
  if (!LONG_STEPS.has(name)) return options
  const retry = name === READING ? { ...options.retry, maximumAttempts: MOST_READINGS } : options.retry
  return { ...options, startToCloseTimeout: LONGEST_READ, retry }
}

/** Files are read accounts in turn, where the server knows of fairness: what waits for one keeps no other's waiting. */
const inTurn = (argument: unknown): Pick<ActivityOptions, 'priority'> => ({
  priority: { fairnessKey: (argument as IngestJob).accountId },
})

const uploadSteps = (): Steps =>
  remoteSteps('ingest', (step, argument) => {
    const name = activityName('ingest', step)
    return { ...long(name, AT_ONCE), ...(name === READING && inTurn(argument)) }
  })

/** Files of batches are read in a queue of their own. */
function jobStepOptions(name: string, argument: unknown): ActivityOptions {
  const options = long(name, DECIDED.has(name) ? AT_ONCE : UNTIL_DONE)
  if (name !== READING) return options
  return { ...options, ...inTurn(argument), taskQueue: filesQueueOf(workflowInfo().taskQueue) }
}

/** One upload. Being cancelled gives it up: released and refunded, unless it was recorded already. */
export async function ingestUpload(job: IngestJob): Promise<IngestOutcome> {
  const steps = uploadSteps()
  /** Once now; where an engine is away, until it is done, while the uploader is answered. */
  const orLater = async (reason: string, work: () => Promise<unknown>): Promise<void> => {
    try {
      await work()
    } catch (error) {
      if (!failureOfKnown(error)) throw error
      await startChild(endIngest, {
        args: [jobRef(job), reason],
        workflowId: endIngestWorkflowId(job.jobId),
        parentClosePolicy: ParentClosePolicy.ABANDON,
      })
    }
  }
  return toItsEnd((signal) =>
    ingest(
      steps,
      {
        giveUp: (_, error) => orLater(reasonOf(error), () => endJob(steps, jobRef(job), reasonOf(error))),
        finish: (work) => orLater('recorded', work),
      },
      job,
      signal,
    ),
  )
}

/** What an upload could not end itself, because an engine was away. */
export async function endIngest(job: JobRef, reason: string): Promise<void> {
  const steps = remoteSteps('ingest', (step) => long(activityName('ingest', step), UNTIL_DONE))
  await toItsEnd(() => endJob(steps, job, reason))
}

/** A created batch, from what the log says of it to its end. Being cancelled stops its jobs, which then end. */
export async function workOffBatch(batchId: Uuid, jobsAtOnce: number): Promise<void> {
  const steps = remoteSteps('ingest', (step, argument) =>
    jobStepOptions(activityName('ingest', step), argument),
  )
  const batchSteps = remoteSteps('batch', (step, argument) =>
    jobStepOptions(activityName('batch', step), argument),
  )
  await toItsEnd(async (signal) => {
    const submitted = await batchSteps.open(batchId)
    const work: BatchWork = {
      steps,
      batchSteps,
      batch: batchRef(submitted),
      signal,
      // The queue of files is what they wait in.
      inTurn: (job) => job(),
      pause: (milliseconds) => untilAborted(signal, () => sleep(milliseconds)),
      now: () => Date.now(),
    }
    await workOff(work, submitted.intent.jobs, jobsAtOnce)
  })
}

/**
 * Carries work through whatever is asked of the workflow: being cancelled stops what takes long, and what was begun is
 * ended all the same. Fails with what the saga knows; anything else is a fault of the code, and waits for it to be mended.
 */
async function toItsEnd<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const stop = new AbortController()
  CancellationScope.current().cancelRequested.catch(() => stop.abort(new JobStopped()))
  try {
    return await CancellationScope.nonCancellable(() => work(stop.signal))
  } catch (error) {
    throw failureOfKnown(error) ?? error
  }
}
