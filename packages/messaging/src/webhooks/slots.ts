import type { Uuid } from '@medialog/kernel'

type Again = () => void

/** Requests under way over all receivers: so many at once, of one account no more than a part, and those who wait have turns. */
export class Slots {
  #free: number
  readonly #mostOfOne: number
  readonly #taken = new Map<Uuid, number>()
  readonly #waiting = new Map<Again, Uuid>()

  constructor(most: number, mostOfOne: number) {
    this.#free = most
    this.#mostOfOne = mostOfOne
  }

  /** False: there is none for the account now; `again` is called once there may be. */
  take(accountId: Uuid, again: Again): boolean {
    if (this.#free === 0 || this.#hasAll(accountId)) {
      this.#waiting.set(again, accountId)
      return false
    }
    this.#free--
    this.#count(accountId, 1)
    return true
  }

  give(accountId: Uuid): void {
    this.#free++
    this.#count(accountId, -1)
    for (const [next, waiting] of this.#waiting) {
      // One that was waiting may have nothing to send by now.
      if (this.#free === 0) return
      if (this.#hasAll(waiting)) continue
      this.#waiting.delete(next)
      next()
    }
  }

  /** It does not wait any more. */
  forget(again: Again): void {
    this.#waiting.delete(again)
  }

  #hasAll(accountId: Uuid): boolean {
    return (this.#taken.get(accountId) ?? 0) >= this.#mostOfOne
  }

  #count(accountId: Uuid, change: 1 | -1): void {
    const taken = (this.#taken.get(accountId) ?? 0) + change
    if (taken === 0) this.#taken.delete(accountId)
    else this.#taken.set(accountId, taken)
  }
}
