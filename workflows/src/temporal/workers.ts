import type { Background } from '@medialog/application'
import type { Worker } from '@temporalio/worker'
import type { WorkersToOpen } from './open-workers.ts'

export interface WorkersOptions extends WorkersToOpen {
  background: Background
}

/** The workers of this process: they are started again after the server was unavailable, until they are stopped. */
export class Workers {
  readonly #options: WorkersOptions
  readonly #stopping = new AbortController()
  #running: Promise<void> | null = null
  #trouble: string | null = 'its workers are starting'

  constructor(options: WorkersOptions) {
    this.#options = options
  }

  /** Why no work is done; null: it is. */
  get trouble(): string | null {
    return this.#trouble
  }

  start(): void {
    this.#running ??= this.#run()
  }

  /** Takes no more steps. Those that are under way after `graceMs` are stopped, and left to the next worker. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#running
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping
    for (let attempt = 1; !signal.aborted; attempt++)
      try {
        await this.#serve()
      } catch (error) {
        // They worked until now: the first try again comes soon.
        if (this.#trouble === null) attempt = 1
        this.#trouble = `its workers do not run: ${(error as Error).message}`
        await this.#options.background.pause(error, attempt, signal)
      }
  }

  async #serve(): Promise<void> {
    // Large, and native: a process that leaves the work to others never loads it.
    const { openWorkers } = await import('./open-workers.ts')
    const opened = await openWorkers(this.#options)
    try {
      await this.#work(opened.workers)
    } finally {
      await opened.close()
    }
  }

  /** Until one of them fails, or all are stopped. */
  async #work(workers: readonly Worker[]): Promise<void> {
    const { signal } = this.#stopping
    const shutDown = (): void => {
      for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown()
    }
    signal.addEventListener('abort', shutDown)
    try {
      const runs = workers.map((worker) => worker.run().finally(shutDown))
      this.#trouble = null
      if (signal.aborted) shutDown()
      const ends = await Promise.allSettled(runs)
      for (const end of ends) if (end.status === 'rejected') throw end.reason
    } finally {
      signal.removeEventListener('abort', shutDown)
    }
  }
}
