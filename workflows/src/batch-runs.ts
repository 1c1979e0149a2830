import { setMaxListeners } from 'node:events'
import { Turns, type Background } from '@medialog/application'
import { StreamDamaged } from '@medialog/application/ports'
import type { Uuid } from '@medialog/kernel'
import { workOff, type BatchWork } from './batch.ts'
import { runJob } from './batch-job.ts'
import type { BatchSteps } from './batch-steps.ts'
import { batchRef } from './refs.ts'
import type { Slots } from './slots.ts'
import type { Steps } from './steps.ts'
import { JobParked, JobStopped, whenAborted } from './stopping.ts'

export interface BatchRunsOptions {
  steps: Steps
  batchSteps: BatchSteps
  slots: Slots
  /** Jobs of one batch at a time. */
  atOnce: number
  background: Background
}

interface Run {
  cancelled: AbortController
  ended: Promise<void>
}

/** The batches that are worked off in this process. */
export class BatchRuns {
  readonly #options: BatchRunsOptions
  readonly #runs = new Map<Uuid, Run>()
  readonly #parking = new AbortController()
  readonly #suspects = new Turns<'all'>()

  constructor(options: BatchRunsOptions) {
    this.#options = options
  }

  /** False where it is worked off already, or nothing is begun any more. */
  start(batchId: Uuid): boolean {
    if (this.#runs.has(batchId) || this.#parking.signal.aborted) return false
    const cancelled = new AbortController()
    const ended = this.#run(batchId, AbortSignal.any([cancelled.signal, this.#parking.signal])).finally(() =>
      this.#runs.delete(batchId),
    )
    this.#runs.set(batchId, { cancelled, ended })
    return true
  }

  /** Ends what is under way of a batch whose stream says that it was cancelled. */
  async stop(batchId: Uuid, signal: AbortSignal): Promise<void> {
    this.start(batchId)
    const run = this.#runs.get(batchId)
    if (!run) return
    run.cancelled.abort(new JobStopped())
    await Promise.race([run.ended, whenAborted(signal)])
  }

  /** Leaves everything where it is, for the next process. */
  async park(): Promise<void> {
    this.#parking.abort(new JobParked())
    await Promise.all([...this.#runs.values()].map(({ ended }) => ended))
  }

  /** One after the other: of those that were under way when a process ended, one may be why. */
  async #alone<T>(work: () => Promise<T>): Promise<T> {
    const end = await this.#suspects.take('all')
    try {
      return await work()
    } finally {
      end()
    }
  }

  /** Retried until all of it is done: no other process would do it. */
  async #run(batchId: Uuid, signal: AbortSignal): Promise<void> {
    const { steps, batchSteps, slots, atOnce, background } = this.#options
    // Every job that waits listens.
    setMaxListeners(0, signal, this.#parking.signal)
    for (let attempt = 1; ; attempt++)
      try {
        const submitted = await batchSteps.openBatch(batchId)
        const batch = batchRef(submitted)
        const inTurn = <T>(work: () => Promise<T>, alone: boolean) => {
          const turn = () => slots.job(batch.accountId, signal, work)
          return alone ? this.#alone(turn) : turn()
        }
        const work: BatchWork = {
          runJob: (job, twin) => runJob({ steps, batchSteps, batch, signal, inTurn }, job, twin),
          claimEnds: (job) => batchSteps.claimEnds(job, signal).catch(unlessAborted(signal)),
          endBatch: () => batchSteps.endBatch(batch),
        }
        return await workOff(work, submitted.intent.jobs, atOnce)
      } catch (error) {
        // What a damaged stream holds up, recovery takes up once that is mended.
        if (this.#parking.signal.aborted || error instanceof StreamDamaged) return
        await background.pause(error, attempt, this.#parking.signal)
      }
  }
}

/** A job that was stopped is run once more, and ends. */
const unlessAborted =
  (signal: AbortSignal) =>
  (error: unknown): void => {
    if (!signal.aborted) throw error
  }
