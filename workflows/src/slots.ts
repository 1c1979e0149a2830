/**
 * How many sagas run at once in this process. Uploads that somebody waits for are refused when it is too much; jobs of
 * batches wait for their turn, in the order in which they came, and are fewer, so that uploads get through.
 */
export class Slots {
  readonly #most: number
  readonly #mostJobs: number
  #running = 0
  #jobs = 0
  readonly #waiting = new Set<() => void>()

  constructor(most: number, mostJobs: number) {
    this.#most = most
    this.#mostJobs = mostJobs
  }

  get running(): number {
    return this.#running
  }

  /** Runs an upload's work; null at once where there is no room for it. */
  upload<T>(work: () => Promise<T>): Promise<T> | null {
    if (this.#running >= this.#most) return null
    return this.#run(work)
  }

  /** Runs a job's work once it is its turn. @throws the signal's reason, when it aborts before */
  async job<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    await this.#turn(signal)
    try {
      return await this.#run(work)
    } finally {
      this.#jobs--
      this.#next()
    }
  }

  async #run<T>(work: () => Promise<T>): Promise<T> {
    this.#running++
    try {
      return await work()
    } finally {
      this.#running--
      this.#next()
    }
  }

  get #hasRoom(): boolean {
    return this.#jobs < this.#mostJobs && this.#running < this.#most
  }

  #turn(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    if (this.#hasRoom && this.#waiting.size === 0) {
      this.#jobs++
      return Promise.resolve()
    }
    return new Promise((resolve, reject) => {
      const start = (): void => {
        signal.removeEventListener('abort', leave)
        this.#jobs++
        resolve()
      }
      const leave = (): void => {
        this.#waiting.delete(start)
        reject(signal.reason as Error)
      }
      signal.addEventListener('abort', leave, { once: true })
      this.#waiting.add(start)
    })
  }

  #next(): void {
    const [first] = this.#waiting
    if (!first || !this.#hasRoom) return
    this.#waiting.delete(first)
    first()
  }
}
