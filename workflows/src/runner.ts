import { setTimeout as sleep } from 'node:timers/promises'
import { EngineUnavailable, OUTCOME_PATIENCE_MS, reasonOf, type Orchestrator } from '@medialog/application'
import { BatchRuns } from './batch-runs.ts'
import { abandonBatch, makeBatchSteps } from './batch-steps.ts'
import { endJob } from './end-job.ts'
import { ingest, refusalOf, type Guarantees } from './ingest.ts'
import type { RecoveryPorts } from './ports.ts'
import { jobRef } from './refs.ts'
import { recover } from './recovery.ts'
import { Slots } from './slots.ts'
import { makeSteps } from './steps.ts'

export interface RunnerOptions {
  /** Sagas under way at once; one more upload is refused with EngineUnavailable before anything was done. */
  mostJobs?: number
  /** Those among them that are jobs of batches, which wait for their turn. */
  mostBatchJobs?: number
}

/**
 * Runs the ingest saga and batches in this process; what a crash leaves is taken up from the log by `recover`.
 */
export function createInProcessOrchestrator(
  ports: RecoveryPorts,
  { mostJobs = 256, mostBatchJobs = 4 }: RunnerOptions = {},
): Orchestrator {
  const steps = makeSteps(ports)
  const batchSteps = makeBatchSteps(ports)
  const { background } = ports
  const stopping = new AbortController()
  const slots = new Slots(mostJobs, mostBatchJobs)
  const batches = new BatchRuns({ steps, batchSteps, slots, atOnce: mostBatchJobs, background })

  const guarantees: Guarantees = {
    giveUp: async (job, error) =>
      void (await background.untilDone(
        () => endJob(steps, jobRef(job), reasonOf(error)),
        OUTCOME_PATIENCE_MS,
      )),
    finish: async (work) => void (await background.untilDone(work)),
  }

  return {
    async ingest(job, signal) {
      if (stopping.signal.aborted) throw new EngineUnavailable('ingest', 'The service is stopping.')
      const outcome = slots.upload(() => ingest(steps, guarantees, job, signal))
      if (!outcome) throw new EngineUnavailable('ingest', 'Too many uploads at once; try again shortly.')
      try {
        return await outcome
      } catch (error) {
        throw refusalOf(error)
      }
    },

    startBatch: (batchId) => batches.start(batchId),
    stopBatch: (batchId, signal) => batches.stop(batchId, signal),

    abandonBatch: (batchId, stagedIds) =>
      abandonBatch({ background, batchSteps, start: (id) => batches.start(id) }, batchId, stagedIds),

    batchJobsAtOnce: mostBatchJobs,

    recover: () => recover(ports, steps, batchSteps, { resume: (batchId) => batches.start(batchId) }),

    async drain(signal) {
      let parked = false
      void batches.park().then(() => (parked = true))
      while ((slots.running > 0 || !parked) && !signal.aborted) await sleep(20)
      stopping.abort()
      background.stop()
    },

    trouble: async () => null,

    load: () => ({ running: slots.running, waiting: background.waiting }),
  }
}
