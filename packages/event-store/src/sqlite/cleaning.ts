const MOST_PATIENCE_MS = 100

/**
 * Empties the write-ahead log behind truncations, one checkpoint for all that wait. A reader's open snapshot can only
 * delay it: it is tried again until it succeeds, without blocking the thread.
 */
export class Cleaning {
  #checkpoint: () => boolean
  #done: (tickets: number[], failure: unknown) => void
  #waiting: number[] = []
  #timer: NodeJS.Timeout | undefined
  #patience = 1

  constructor(checkpoint: () => boolean, done: (tickets: number[], failure: unknown) => void) {
    this.#checkpoint = checkpoint
    this.#done = done
  }

  add(tickets: readonly number[]): void {
    this.#waiting.push(...tickets)
    if (this.#timer === undefined) this.#attempt()
  }

  /** One last attempt; the calls that still wait are rejected. */
  stop(): void {
    if (this.#waiting.length === 0) return
    this.#attempt()
    clearTimeout(this.#timer)
    if (this.#waiting.length > 0) this.#answer(new Error('a reader held a snapshot until the log was closed'))
  }

  #attempt(): void {
    this.#timer = undefined
    try {
      if (this.#checkpoint()) return this.#answer(null)
    } catch (error) {
      return this.#answer(error)
    }
    this.#timer = setTimeout(() => this.#attempt(), this.#patience)
    this.#patience = Math.min(2 * this.#patience, MOST_PATIENCE_MS)
  }

  #answer(failure: unknown): void {
    this.#done(this.#waiting.splice(0), failure)
    this.#patience = 1
  }
}
