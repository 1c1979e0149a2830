import { setTimeout as sleep } from 'node:timers/promises'
import { EngineUnavailable, OUTCOME_PATIENCE_MS, type Orchestrator } from '@medialog/application'
import { abandonBatch } from './abandon-batch.ts'
import { BatchRuns } from './batch-runs.ts'
import { makeBatchSteps } from './batch-steps.ts'
import { carry, ingest, refusalOf, type Carriage } from './ingest.ts'
import type { RecoveryPorts } from './ports.ts'
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

  const carriage: Carriage = {
    carry: (job, signal) => carry(steps, job, { signal }),
    untilEnded: (job, reason, isRecorded) =>
      background.untilDone(() => steps.end(job, reason), isRecorded ? 0 : OUTCOME_PATIENCE_MS),
  }

  return {
    async ingest(job, signal) {
      if (stopping.signal.aborted) throw new EngineUnavailable('ingest', 'The service is stopping.')
      const outcome = slots.upload(() => ingest(carriage, job, signal))
      if (!outcome) throw new EngineUnavailable('ingest', 'Too many uploads at once; try again shortly.')
      try {
        return await outcome
      } catch (error) {
        throw refusalOf(error)
      }
    },

    startBatch: (batchId) => batches.start(batchId),
    stopBatch: (batchId, signal) => batches.stop(batchId, signal),

    abandonBatch: (batchId, stagedIds) => abandonBatch(ports, batchId, stagedIds, (id) => batches.start(id)),

    batchJobsAtOnce: mostBatchJobs,

    recover: () => recover(ports, steps, { resume: (batchId) => batches.start(batchId) }),

    async drain(signal) {
      let parked = false
      void batches.park().then(() => (parked = true))
      while ((slots.running > 0 || !parked) && !signal.aborted) await sleep(20)
      stopping.abort()
      background.stop()
    },

    check: async () => undefined,
    trouble: async () => null,

    load: () => ({ running: slots.running, waiting: background.waiting }),
  }
}
