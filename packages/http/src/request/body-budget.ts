import { Refusal } from '../answers/refusal.ts'

const MEBIBYTE = 1_048_576
const RETRY_AFTER_SECONDS = 5

export interface Budget {
  /** Bytes of unfinished bodies that one caller may have in memory. */
  mostOfOne: number
  /** The limit for all callers together. */
  most: number
}

/** A body that arrives. */
export interface Arriving {
  /** So many bytes more are in memory. */
  add(bytes: number): void
  end(): void
}

interface Held extends Arriving {
  bytes: number
  refuse: (refusal: Refusal) => void
}

interface Caller {
  bodies: Set<Held>
  /** Of all of them. */
  bytes: number
}

/**
 * Bytes of bodies that are not whole yet, by caller. A body that takes its caller beyond the caller's limit is refused. Beyond
 * the limit for all, the largest body of the caller with the most bytes is refused.
 */
export class BodyBudget {
  readonly #budget: Budget
  readonly #callers = new Map<string, Caller>()
  #bytes = 0

  constructor(budget: Budget = { mostOfOne: 64 * MEBIBYTE, most: 256 * MEBIBYTE }) {
    this.#budget = budget
  }

  /** `refuse` is called at most once, while bytes are added. */
  begin(name: string, refuse: (refusal: Refusal) => void): Arriving {
    const caller = this.#callers.get(name) ?? { bodies: new Set<Held>(), bytes: 0 }
    this.#callers.set(name, caller)
    const count = (bytes: number): void => {
      held.bytes += bytes
      caller.bytes += bytes
      this.#bytes += bytes
    }
    const held: Held = {
      bytes: 0,
      refuse,
      add: (bytes) => {
        count(bytes)
        if (caller.bytes > this.#budget.mostOfOne) held.refuse(tooMuch())
        else if (this.#bytes > this.#budget.most) this.#largest()?.refuse(tooMuch())
      },
      end: () => {
        if (!caller.bodies.delete(held)) return
        count(-held.bytes)
        if (caller.bodies.size === 0) this.#callers.delete(name)
      },
    }
    caller.bodies.add(held)
    return held
  }

  #largest(): Held | undefined {
    const [most] = [...this.#callers.values()].sort((a, b) => b.bytes - a.bytes)
    return most && [...most.bodies].sort((a, b) => b.bytes - a.bytes)[0]
  }
}

const tooMuch = (): Refusal =>
  new Refusal(
    'RATE_LIMIT_EXCEEDED',
    `Too many bytes of unfinished requests at once; try again in ${RETRY_AFTER_SECONDS} s.`,
    { retry_after_seconds: RETRY_AFTER_SECONDS },
    { 'Retry-After': String(RETRY_AFTER_SECONDS), Connection: 'close' },
  )
