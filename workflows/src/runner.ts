import { setTimeout as sleep } from 'node:timers/promises'
import { EngineUnavailable, UnreadableFile, type IngestJob, type Orchestrator } from '@medialog/application'
import { ClaimLost } from '@medialog/domain'
import { DomainError } from '@medialog/kernel'
import { endJob } from './end-job.ts'
import { ingest } from './ingest.ts'
import type { RecoveryPorts } from './ports.ts'
import { recover } from './recovery.ts'
import { jobRef, makeSteps } from './steps.ts'

export interface RunnerOptions {
  /** Sagas under way at once; one more is refused with EngineUnavailable before anything was done. */
  mostJobs?: number
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

/** Runs the ingest saga in this process; what a crash leaves is taken up from the log by `recover`. */
export function createInProcessOrchestrator(
  ports: RecoveryPorts,
  { mostJobs = 256, onRetry = () => undefined }: RunnerOptions = {},
): Orchestrator {
  const steps = makeSteps(ports)
  const background = new Set<Promise<void>>()
  const stopping = new AbortController()
  let running = 0

  /** Tries once; where an engine is away, goes on trying in the background until it is done or the process ends. */
  async function persistently(work: () => Promise<unknown>): Promise<void> {
    try {
      await work()
    } catch (error) {
      onRetry(error, 1)
      const retries = retryUntilDone(work).finally(() => background.delete(retries))
      background.add(retries)
    }
  }

  async function retryUntilDone(work: () => Promise<unknown>): Promise<void> {
    for (let attempt = 2; !stopping.signal.aborted; attempt++) {
      await sleep(Math.min(FIRST_RETRY_MS * 2 ** attempt, LONGEST_RETRY_MS), undefined, { ref: false })
      try {
        await work()
        return
      } catch (error) {
        onRetry(error, attempt)
      }
    }
  }

  const guarantees = {
    giveUp: (job: IngestJob, error: unknown) =>
      persistently(() => endJob(ports, steps, jobRef(job), reasonOf(error))),
    finish: persistently,
  }

  return {
    async ingest(job) {
      if (stopping.signal.aborted) throw new EngineUnavailable('ingest', 'The service is stopping.')
      if (running >= mostJobs)
        throw new EngineUnavailable('ingest', 'Too many uploads at once; try again shortly.')
      running++
      try {
        return await ingest(steps, guarantees, job)
      } catch (error) {
        if (error instanceof ClaimLost)
          throw new EngineUnavailable('ingest', 'The upload was given up; send it again.')
        throw error
      } finally {
        running--
      }
    },

    recover: () => recover(ports, steps),

    async drain(signal) {
      while (running > 0 && !signal.aborted) await sleep(20)
      stopping.abort()
    },

    load: () => ({ running, waiting: background.size }),
  }
}
