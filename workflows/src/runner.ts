import { setTimeout as sleep } from 'node:timers/promises'
import { EngineUnavailable, UnreadableFile, type Orchestrator } from '@medialog/application'
import { ClaimLost } from '@medialog/domain'
import { DomainError } from '@medialog/kernel'
import { BatchRuns } from './batch-runs.ts'
import { makeBatchSteps } from './batch-steps.ts'
import { endJob } from './end-job.ts'
import { ingest, type Guarantees } from './ingest.ts'
import type { RecoveryPorts } from './ports.ts'
import { recover } from './recovery.ts'
import { Slots } from './slots.ts'
import { jobRef, makeSteps } from './steps.ts'

export interface RunnerOptions {
  /** Sagas under way at once; one more upload is refused with EngineUnavailable before anything was done. */
  mostJobs?: number
  /** Those among them that are jobs of batches, which wait for their turn. */
  mostBatchJobs?: number
  /** Hears of work that could not be done at once and is tried again. */
  onRetry?: (error: unknown, attempt: number) => void
}

const FIRST_RETRY_MS = 250
const LONGEST_RETRY_MS = 15_000

/** What the log keeps of a failure: a word of ours, never a message that might quote the file. */
function reasonOf(error: unknown): string {
  if (error instanceof UnreadableFile) return error.reason
  if (error instanceof DomainError) return error.code
  return error instanceof EngineUnavailable ? `${error.engine} unavailable` : 'processing error'
}

const retryAfterMs = (attempt: number): number => Math.min(FIRST_RETRY_MS * 2 ** attempt, LONGEST_RETRY_MS)

/**
 * Runs the ingest saga and batches in this process; what a crash leaves is taken up from the log by `recover`.
 */
export function createInProcessOrchestrator(
  ports: RecoveryPorts,
  { mostJobs = 256, mostBatchJobs = 4, onRetry = () => undefined }: RunnerOptions = {},
): Orchestrator {
  const steps = makeSteps(ports)
  const batchSteps = makeBatchSteps(ports)
  const background = new Set<Promise<void>>()
  const stopping = new AbortController()
  const slots = new Slots(mostJobs, mostBatchJobs)
  const batches = new BatchRuns({ steps, batchSteps, slots, atOnce: mostBatchJobs, retryAfterMs, onRetry })

  /** Tries once; where an engine is away, goes on trying in the background until it is done or the process ends. */
  async function persistently<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work()
    } catch (error) {
      onRetry(error, 1)
      const retries = retryUntilDone(work).finally(() => background.delete(retries))
      background.add(retries)
      return undefined
    }
  }

  async function retryUntilDone(work: () => Promise<unknown>): Promise<void> {
    for (let attempt = 2; !stopping.signal.aborted; attempt++) {
      await sleep(retryAfterMs(attempt), undefined, { ref: false })
      try {
        await work()
        return
      } catch (error) {
        onRetry(error, attempt)
      }
    }
  }

  const guarantees: Guarantees = {
    giveUp: async (job, error) =>
      void (await persistently(() => endJob(ports, steps, jobRef(job), reasonOf(error)))),
    finish: async (work) => void (await persistently(work)),
  }

  return {
    async ingest(job) {
      if (stopping.signal.aborted) throw new EngineUnavailable('ingest', 'The service is stopping.')
      const outcome = slots.upload(() => ingest(steps, guarantees, job))
      if (!outcome) throw new EngineUnavailable('ingest', 'Too many uploads at once; try again shortly.')
      try {
        return await outcome
      } catch (error) {
        if (error instanceof ClaimLost)
          throw new EngineUnavailable('ingest', 'The upload was given up; send it again.')
        throw error
      }
    },

    startBatch: (batchId) => batches.start(batchId),
    stopBatch: (batchId, signal) => batches.stop(batchId, signal),

    async abandonBatch(batchId, stagedIds) {
      const end = await persistently(async () => {
        const end = await batchSteps.abandon(batchId, stagedIds, 'the batch could not be created')
        if (end === 'created') batches.start(batchId)
        return end
      })
      return end ?? 'abandoned'
    },

    batchJobsAtOnce: mostBatchJobs,

    async recover() {
      const { report, batchIds } = await recover(ports, steps, batchSteps, mostBatchJobs)
      for (const batchId of batchIds) batches.start(batchId)
      return report
    },

    async drain(signal) {
      let parked = false
      void batches.park().then(() => (parked = true))
      while ((slots.running > 0 || !parked) && !signal.aborted) await sleep(20)
      stopping.abort()
    },

    load: () => ({ running: slots.running, waiting: background.size }),
  }
}
