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
    const [next] = this.#waiting
    if (!next) return
    this.#waiting.delete(next)
    next()
  }

  /** It does not wait any more. */
  forget(again: () => void): void {
    this.#waiting.delete(again)
  }
}
