import type { Uuid } from '@medialog/kernel'

type Again = () => void

/** A request that takes longer, in milliseconds, halves its account's part; each quicker one adds one to it again. */
const SLOW_MS = 5_000

interface SlotsOptions {
  most: number
  mostOfOne: number
  /** So many of them are only for accounts that have no request under way. */
  reserved?: number
}

/**
 * Requests under way over all receivers: so many at once, of one account no more than a part, and those who wait have turns.
 * Receivers that let requests wait cost their own account its part, and never the last places of all.
 */
export class Slots {
  #free: number
  readonly #mostOfOne: number
  readonly #reserved: number
  /** By account, where it is less than the most. */
  readonly #parts = new Map<Uuid, number>()
  readonly #taken = new Map<Uuid, number>()
  readonly #waiting = new Map<Again, Uuid>()

  constructor({ most, mostOfOne, reserved = 0 }: SlotsOptions) {
    this.#free = most
    this.#mostOfOne = mostOfOne
    this.#reserved = reserved
  }

  /** False: no slot for the account now; `again` is called once there may be. */
  take(accountId: Uuid, again: Again): boolean {
    if (this.#free === 0 || this.#hasAll(accountId)) {
      this.#waiting.set(again, accountId)
      return false
    }
    this.#free--
    this.#count(accountId, 1)
    return true
  }

  /** `milliseconds`: how long the request took. */
  give(accountId: Uuid, milliseconds: number): void {
    this.#free++
    this.#count(accountId, -1)
    this.#setPart(accountId, milliseconds)
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
    const taken = this.#taken.get(accountId) ?? 0
    const part = this.#parts.get(accountId) ?? this.#mostOfOne
    return taken >= part || (taken > 0 && this.#free <= this.#reserved)
  }

  #setPart(accountId: Uuid, milliseconds: number): void {
    const part = this.#parts.get(accountId) ?? this.#mostOfOne
    const next = milliseconds > SLOW_MS ? Math.max(1, Math.floor(part / 2)) : part + 1
    if (next < this.#mostOfOne) this.#parts.set(accountId, next)
    else this.#parts.delete(accountId)
  }

  #count(accountId: Uuid, change: 1 | -1): void {
    const taken = (this.#taken.get(accountId) ?? 0) + change
    if (taken === 0) this.#taken.delete(accountId)
    else this.#taken.set(accountId, taken)
  }
}
