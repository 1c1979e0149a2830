import { setTimeout as sleep } from 'node:timers/promises'
import { EngineUnavailable, reasonOf, type IngestJob, type Orchestrator } from '@medialog/application'
import { ClaimLost } from '@medialog/domain'
import { endJob } from './end-job.ts'
import { ingest } from './ingest.ts'
import type { RecoveryPorts } from './ports.ts'
import { recover } from './recovery.ts'
import { jobRef, makeSteps } from './steps.ts'

export interface RunnerOptions {
  /** Sagas under way at once; one more is refused with EngineUnavailable before anything was done. */
  mostJobs?: number
}

/** Runs the ingest saga in this process; what a crash leaves is taken up from the log by `recover`. */
export function createInProcessOrchestrator(
  ports: RecoveryPorts,
  { mostJobs = 256 }: RunnerOptions = {},
): Orchestrator {
  const steps = makeSteps(ports)
  const { background } = ports
  const stopping = new AbortController()
  let running = 0

  const guarantees = {
    giveUp: (job: IngestJob, error: unknown) =>
      background.untilDone(() => endJob(ports, steps, jobRef(job), reasonOf(error))),
    finish: (work: () => Promise<unknown>) => background.untilDone(work),
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
      background.stop()
    },

    load: () => ({ running, waiting: background.waiting }),
  }
}
