import { setTimeout as sleep } from 'node:timers/promises'
import {
  EngineUnavailable,
  StreamDamaged,
  outcomeOf,
  recordedAnswer,
  reasonOf,
  type EngineTls,
  type IngestJob,
  type IngestOutcome,
  type Orchestrator,
} from '@medialog/application'
import type { Uuid } from '@medialog/kernel'
import {
  ApplicationFailure,
  WorkflowExecutionAlreadyStartedError,
  WorkflowFailedError,
  WorkflowNotFoundError,
  type WorkflowHandle,
  type WorkflowIdReusePolicy,
} from '@temporalio/client'
import { abandonBatch } from '../abandon-batch.ts'
import { refusalOf } from '../ingest.ts'
import type { RecoveryPorts } from '../ports.ts'
import { readBatch } from '../read-batch.ts'
import { NO_OTHERS, recover, type OtherProcesses } from '../recovery.ts'
import { jobRef } from '../refs.ts'
import type { RunnerOptions } from '../runner.ts'
import { Slots } from '../slots.ts'
import { makeSteps } from '../steps.ts'
import { whenAborted } from '../stopping.ts'
import { makeActivities } from './activities.ts'
import { refusalOfCall } from './failed-call.ts'
import { errorOf } from './failures.ts'
import { batchWorkflowId, ingestWorkflowId } from './names.ts'
import { serverOptions } from './server-options.ts'
import { TemporalServer } from './server.ts'
import { Sweeps } from './sweeps.ts'
import { Workers } from './workers.ts'
import type * as workflows from './workflows.ts'

export interface TemporalOptions extends RunnerOptions {
  /** `host:port` of the server's front end. */
  address: string
  /** Null or not given: without TLS. */
  tls?: EngineTls | null
  /** Sent with every call; needs TLS. */
  apiKey?: string | null
  namespace?: string
  /** Processes that share work share its name; services that share a namespace each have one of their own. */
  taskQueue?: string
  /** Whether this process does the work too, or leaves it to workers of other processes. */
  works?: boolean
  /**
   * Where other processes share the log: how long a request of theirs may be under way, in milliseconds, before it counts
   * as dead. Null: no worker.
   */
  longestRequestMs?: number | null
  /** How long a stop lets steps that are under way finish. */
  graceMs?: number
  /** Receives what an operator should know: failed steps, and warnings of the client library. */
  onTrouble: (what: string, details: unknown) => void
}

/** How long the server may take to answer where somebody asks how it is. */
const HEALTH_MS = 1_000
/** How long an upload whose outcome is not known waits for an unavailable server. */
const AWAY_MS = 15_000
/** How often it looks whether the server is there. */
const LOOK_AGAIN_MS = 5_000
/** What other processes left is looked for no more often, and at least that often. */
const SWEEP_MS = { least: 250, most: 60_000 }

/** gRPC's status codes of what passes: cancelled, unknown, deadline, exhausted, aborted, internal, unavailable. */
const PASSING: ReadonlySet<number> = new Set([1, 2, 4, 8, 10, 13, 14])

/** Whether a call that failed may get through later. */
function mayPass(error: unknown): boolean {
  const refusal = refusalOfCall(error)
  return refusal !== null && PASSING.has(refusal.code)
}

/**
 * Runs the ingest saga and batches as workflows of a Temporal server, with workers in this process unless it leaves the
 * work to others. Opens without the server: uploads are refused, batches wait for it.
 */
export function openTemporalOrchestrator(
  ports: RecoveryPorts,
  {
    address,
    tls,
    apiKey,
    namespace = 'default',
    taskQueue = 'medialog',
    mostJobs = 256,
    mostBatchJobs = 4,
    works = true,
    longestRequestMs = null,
    graceMs = 0,
    onTrouble,
  }: TemporalOptions,
): Orchestrator {
  const { background } = ports
  const steps = makeSteps(ports, { isShared: true })
  const uploads = new Slots(mostJobs, 0)
  const to = serverOptions({ address, tls, apiKey })
  const server = new TemporalServer({ to, namespace, taskQueue })
  const { workflow } = server.client
  const activities = makeActivities(ports, {
    onFault: (error, activity) => onTrouble(`${activity} failed`, { err: error }),
  })
  const workers = new Workers({
    server: to,
    namespace,
    taskQueue,
    activities: activities.byName,
    filesAtOnce: mostBatchJobs,
    graceMs,
    onWarning: onTrouble,
    background,
  })
  const sweeps = new Sweeps({
    sweep,
    everyMs: Math.min(Math.max((longestRequestMs ?? 0) / 4, SWEEP_MS.least), SWEEP_MS.most),
    onError: sweepFailed,
  })
  let stopping = false

  async function carry(job: IngestJob): Promise<IngestOutcome> {
    try {
      return await outcomeFrom(await beginUpload(job))
    } catch (error) {
      if (error instanceof WorkflowFailedError && error.cause instanceof ApplicationFailure)
        throw refusalOf(errorOf(error.cause))
      return endedByLog(job, error)
    }
  }

  async function beginUpload(job: IngestJob): Promise<WorkflowHandle<typeof workflows.upload>> {
    const { accountId, mediaId, jobId } = job
    const workflowId = ingestWorkflowId(jobId)
    try {
      return await server.start<typeof workflows.upload>(
        'upload',
        {
          workflowId,
          workflowIdConflictPolicy: 'FAIL',
          workflowIdReusePolicy: 'REJECT_DUPLICATE',
          taskQueue,
          args: [job],
        },
        { account: accountId, media: mediaId },
      )
    } catch (error) {
      if ((await server.silence(HEALTH_MS)) !== null) throw error
      // It is there, and may have begun it anyway.
      return workflow.getHandle(workflowId)
    }
  }

  /** @throws WorkflowFailedError; anything else when the server stayed away */
  async function outcomeFrom(handle: WorkflowHandle<typeof workflows.upload>): Promise<IngestOutcome> {
    let lastSeen = Date.now()
    async function look(cause?: unknown): Promise<void> {
      const missing = (await server.silence()) ?? (works ? null : await server.unattended())
      if (missing === null) lastSeen = Date.now()
      else if (stopping || Date.now() - lastSeen > AWAY_MS) throw cause ?? new Error(missing)
    }
    for (;;)
      try {
        return await server.untilAnswered(() => handle.result(), { everyMs: LOOK_AGAIN_MS, look })
      } catch (error) {
        if (stopping || !mayPass(error)) throw error
        await look(error)
      }
  }

  /** Ends an upload by the log, whatever its workflow is at: that then finds its claim lost. Null: nothing is left of it. */
  async function ended(job: IngestJob, reason: string): Promise<IngestOutcome | null> {
    const end = await background.untilDone(() => steps.end(jobRef(job), reason))
    const answer = end === 'recorded' ? await recordedAnswer(ports, jobRef(job)) : null
    return answer && outcomeOf(answer)
  }

  async function endedOnAbort(job: IngestJob, signal: AbortSignal): Promise<IngestOutcome> {
    await whenAborted(signal)
    const outcome = await ended(job, reasonOf(signal.reason))
    if (outcome) return outcome
    throw signal.reason
  }

  /**
   * It is not known when the workflow goes on, and a client waits: the log has the outcome of the upload, and nothing
   * becomes of it after that. A process that stops leaves that to the next one's recovery.
   */
  async function endedByLog(job: IngestJob, cause: unknown): Promise<IngestOutcome> {
    onTrouble('an upload could not be carried through', { err: cause })
    const outcome = stopping ? null : await ended(job, 'temporal unavailable')
    if (outcome) return outcome
    throw new EngineUnavailable('temporal', 'Uploads cannot be worked on right now; send it again.', {
      cause,
    })
  }

  /** Begins the batch's workflow, unless there is one that the policy spares: then it answers false. */
  async function begin(batchId: Uuid, workflowIdReusePolicy: WorkflowIdReusePolicy): Promise<boolean> {
    const { intent } = await readBatch(ports, batchId)
    try {
      await server.start<typeof workflows.batch>(
        'batch',
        {
          workflowId: batchWorkflowId(batchId),
          workflowIdConflictPolicy: 'FAIL',
          workflowIdReusePolicy,
          taskQueue,
          args: [batchId, mostBatchJobs],
        },
        { account: intent.accountId, batch: batchId },
      )
      return true
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error
      const before = await server.standing(batchWorkflowId(batchId))
      return before === 'ended' ? begin(batchId, 'ALLOW_DUPLICATE') : false
    }
  }

  async function cancel(batchId: Uuid): Promise<void> {
    await begin(batchId, 'REJECT_DUPLICATE')
    try {
      await server.inTime(() => workflow.getHandle(batchWorkflowId(batchId)).cancel())
    } catch (error) {
      // It has ended.
      if (!(error instanceof WorkflowNotFoundError)) throw error
    }
  }

  /** For as long as it takes: no other process would. */
  const startBatch = (batchId: Uuid, policy: WorkflowIdReusePolicy = 'REJECT_DUPLICATE'): void =>
    void background.untilDone(() => begin(batchId, policy))

  /** One of a damaged stream waits until that is mended. */
  function sweepFailed(error: unknown): undefined {
    if (!(error instanceof StreamDamaged))
      onTrouble('looking for what other processes left failed', { err: error })
  }

  /** Ends what processes that died left behind, and nothing that another one may be at. */
  async function sweep(): Promise<void> {
    const oldest = Date.now() - (longestRequestMs ?? 0)
    const others: OtherProcesses = {
      mayBeAt: (since) => since > oldest,
      carry: (jobId) => server.carries(jobId, oldest),
    }
    const report = await recover(ports, steps, {
      resume: (batchId) => begin(batchId, 'ALLOW_DUPLICATE'),
      others,
      // What fails is for the next sweep.
      attempt: async (work) => work().catch(sweepFailed),
    })
    if (Object.values(report).some((count) => count > 0))
      onTrouble('what another process left unfinished was taken up', report)
  }

  return {
    async ingest(job, signal) {
      if (stopping) throw new EngineUnavailable('ingest', 'The service is stopping.')
      const outcome = uploads.upload(() =>
        signal ? Promise.race([carry(job), endedOnAbort(job, signal)]) : carry(job),
      )
      if (!outcome) throw new EngineUnavailable('ingest', 'Too many uploads at once; try again shortly.')
      return outcome
    },

    startBatch: (batchId) => startBatch(batchId),

    async stopBatch(batchId, signal) {
      const ended = background
        .untilDone(() => cancel(batchId))
        .then(() => workflow.getHandle(batchWorkflowId(batchId)).result())
        .catch(() => undefined)
      await Promise.race([ended, whenAborted(signal)])
    },

    abandonBatch: (batchId, stagedIds) => abandonBatch(ports, batchId, stagedIds, startBatch),

    batchJobsAtOnce: mostBatchJobs,

    async recover() {
      // What others left is looked for by those that work, for as long as they do.
      if (longestRequestMs !== null || !works) {
        if (works) workers.start()
        if (works) sweeps.start()
        return { settled: 0, refunded: 0, resumed: 0, abandoned: 0 }
      }
      const left: Uuid[] = []
      const report = await recover(ports, steps, {
        others: {
          ...NO_OTHERS,
          async carry(jobId) {
            left.push(jobId)
            return false
          },
        },
        // By the log these batches have not ended, whatever workflow of theirs has closed.
        resume(batchId) {
          startBatch(batchId, 'ALLOW_DUPLICATE')
          return true
        },
      })
      // The server would try a workflow of an earlier release without end.
      void background.untilDone(() => Promise.all(left.map((jobId) => server.carries(jobId))))
      workers.start()
      return report
    },

    async drain(signal) {
      while (uploads.running > 0 && !signal.aborted) await sleep(20)
      stopping = true
      background.stop()
      await Promise.all([sweeps.stop(), workers.stop()])
      await server.close()
    },

    async check() {
      const silent = await server.silence(HEALTH_MS)
      if (silent !== null) throw new EngineUnavailable('temporal', silent)
    },

    async trouble() {
      const silent = await server.silence(HEALTH_MS)
      return silent ?? (works ? workers.trouble : server.unattended(HEALTH_MS))
    },

    load: () => ({ running: uploads.running + activities.running(), waiting: background.waiting }),
  }
}
