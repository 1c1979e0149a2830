import { periodically } from '@medialog/application/core/periodically'

export interface SweepsOptions {
  sweep: () => Promise<void>
  /** From the end of one to the beginning of the next, in milliseconds. */
  everyMs: number
  /** Receives the errors of those that failed: the next one still comes. */
  onError: (error: unknown) => void
}

/** Recovery again and again, for as long as other processes of the log may die. */
export class Sweeps {
  readonly #options: SweepsOptions
  readonly #stopping = new AbortController()
  #running: Promise<void> | null = null

  constructor(options: SweepsOptions) {
    this.#options = options
  }

  start(): void {
    this.#running ??= this.#run()
  }

  /** One that is under way is finished first. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#running
  }

  #run(): Promise<void> {
    const { sweep, everyMs, onError } = this.#options
    return periodically(everyMs, this.#stopping.signal, () => sweep().catch(onError))
  }
}
