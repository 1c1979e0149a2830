import { FairTurns, type Uuid } from '@medialog/kernel'

/**
 * How many sagas run at once in this process. Uploads that somebody waits for are refused when it is too much; jobs of
 * batches wait for their turn and are fewer, so that uploads get through.
 */
export class Slots {
  readonly #most: number
  readonly #jobs: FairTurns
  #uploads = 0

  constructor(most: number, mostJobs: number, now?: () => number) {
    this.#most = most
    const places = (): number => Math.min(mostJobs, most - this.#uploads)
    this.#jobs = new FairTurns({ places, ...(now && { now }) })
  }

  get running(): number {
    return this.#uploads + this.#jobs.taken
  }

  /** Runs an upload's work; null at once where there is no room for it. */
  upload<T>(work: () => Promise<T>): Promise<T> | null {
    return this.running >= this.#most ? null : this.#upload(work)
  }

  /** Runs a job's work once it is the account's turn. @throws the signal's reason, when it aborts before */
  async job<T>(accountId: Uuid, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const end = await this.#jobs.take(accountId, { signal })
    try {
      return await work()
    } finally {
      end()
    }
  }

  async #upload<T>(work: () => Promise<T>): Promise<T> {
    this.#uploads++
    try {
      return await work()
    } finally {
      this.#uploads--
      this.#jobs.look()
    }
  }
}
