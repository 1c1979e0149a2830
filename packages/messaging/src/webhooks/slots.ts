/** Requests under way over all receivers: so many at once, and those who wait have turns. */
export class Slots {
  #free: number
  readonly #waiting = new Set<() => void>()

  constructor(most: number) {
    this.#free = most
  }

  /** False: there is none now; `again` is called once there may be. */
  take(again: () => void): boolean {
    if (this.#free === 0) {
      this.#waiting.add(again)
      return false
    }
    this.#free--
    return true
  }

  give(): void {
    this.#free++
    for (const next of this.#waiting) {
      // One that was waiting may have nothing to send by now.
      if (this.#free === 0) return
      this.#waiting.delete(next)
      next()
    }
  }

  /** It does not wait any more. */
  forget(again: () => void): void {
    this.#waiting.delete(again)
  }
}
