import type { IngestJob, IngestOutcome } from '@medialog/application'
import type { Uuid } from '@medialog/kernel'
import {
  CancellationScope,
  isCancellation,
  ParentClosePolicy,
  proxyActivities,
  startChild,
  workflowInfo,
  type ActivityOptions,
} from '@temporalio/workflow'
import { workOff, type BatchWork } from '../batch.ts'
import { ingest, type Carriage } from '../ingest.ts'
import { batchRef, type JobRef } from '../refs.ts'
import { JobStopped } from '../stopping.ts'
import type { Activities } from './activities.ts'
import { DECIDED_ON, errorOf, failureOfKnown } from './failures.ts'
import { endIngestWorkflowId, filesQueueOf, HEARTBEAT_TIMEOUT_MS } from './names.ts'
import { untilAborted } from './until-aborted.ts'

/**
 * The sagas as Temporal runs them: the same functions as in one process, over activities. A module whose every exported
 * function is a workflow.
 */

/** Of what somebody waits for: what cannot be done now is said at once. */
const AT_ONCE: ActivityOptions = {
  startToCloseTimeout: '1 minute',
  heartbeatTimeout: HEARTBEAT_TIMEOUT_MS,
  // What is left to be tried again is an activity whose worker was lost.
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
/** A file that ended its worker so often is given up. */
const MOST_READINGS = 3

/** Files are read accounts in turn, where the server knows of fairness: what waits for one keeps no other's waiting. */
const inTurn = (accountId: Uuid): ActivityOptions => ({
  startToCloseTimeout: LONGEST_READ,
  priority: { fairnessKey: accountId },
})

/** What this release does in workers, as the options say. Throws what it threw. */
async function remotely<T>(
  options: ActivityOptions,
  call: (activities: Activities) => Promise<T>,
): Promise<T> {
  try {
    return await call(proxyActivities<Activities>(options))
  } catch (error) {
    throw isCancellation(error) ? error : errorOf(error)
  }
}

/** One upload. Being cancelled gives it up: released and refunded, unless it was recorded already. */
export async function upload(job: IngestJob): Promise<IngestOutcome> {
  const retry = { ...AT_ONCE.retry, maximumAttempts: MOST_READINGS }
  const carriage: Carriage = {
    carry: (job, signal) =>
      untilAborted(signal!, () =>
        remotely({ ...AT_ONCE, ...inTurn(job.accountId), retry }, (to) => to.carry(job)),
      ),
    /** Once now; while an engine is unavailable, until it is done, while the uploader is answered. */
    async untilEnded(ref, reason, isRecorded) {
      try {
        if (!isRecorded) return await remotely(AT_ONCE, (to) => to.end(ref, reason))
      } catch (error) {
        if (!failureOfKnown(error)) throw error
      }
      return startChild(endUpload, {
        args: [ref, reason],
        workflowId: endIngestWorkflowId(job.jobId),
        parentClosePolicy: ParentClosePolicy.ABANDON,
      })
    },
  }
  return toItsEnd((signal) => ingest(carriage, job, signal))
}

/** What an upload could not end itself, because an engine was unavailable. */
export async function endUpload(job: JobRef, reason: string): Promise<void> {
  await toItsEnd(() => remotely(UNTIL_DONE, (to) => to.end(job, reason)))
}

/** A created batch, from its state in the log to completion. Cancelling it stops its jobs, which then end. */
export async function batch(batchId: Uuid, jobsAtOnce: number): Promise<void> {
  await toItsEnd(async (signal) => {
    const submitted = await remotely(UNTIL_DONE, (to) => to.openBatch(batchId))
    const batch = batchRef(submitted)
    // Jobs have a queue of their own, which is what they wait in.
    const taskQueue = filesQueueOf(workflowInfo().taskQueue)
    const patiently = { ...UNTIL_DONE, ...inTurn(batch.accountId) }
    /** Undefined once it is cancelled. */
    const whileWanted = async <T>(work: () => Promise<T>): Promise<T | undefined> => {
      try {
        if (!signal.aborted) return await untilAborted(signal, work)
      } catch (error) {
        if (error !== signal.reason) throw error
      }
      return undefined
    }
    const work: BatchWork = {
      runJob: async (job, twin) =>
        (await whileWanted(() =>
          remotely({ ...patiently, taskQueue }, (to) => to.runJob(batch, job, twin, false)),
        )) ?? remotely(UNTIL_DONE, (to) => to.runJob(batch, job, twin, true)),
      claimEnds: (job) => whileWanted(() => remotely(patiently, (to) => to.claimEnds(job))),
      endBatch: () => remotely(UNTIL_DONE, (to) => to.endBatch(batch)),
    }
    await workOff(work, submitted.intent.jobs, jobsAtOnce)
  })
}

/**
 * Runs the saga to completion even when the workflow is cancelled: cancellation aborts what takes long, and compensation
 * still runs. Fails with what the saga knows; anything else is a fault of the code, and waits for it to be mended.
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
