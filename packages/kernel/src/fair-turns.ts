import { FairQueue } from './fair-queue.ts'

type Begin = () => void

export interface FairTurnsOptions {
  /** How many turns there may be at once by now. */
  places: () => number
  /** Those of one account among them. */
  mostOfOne?: number
  now?: () => number
}

/** The work that a turn is taken for. */
export interface Turn {
  signal?: AbortSignal | undefined
  /** Work of the same account that a client waits for goes first. */
  isBackground?: boolean | undefined
}

/** A few places for the work of many accounts, which take turns as in a FairQueue. */
export class FairTurns {
  readonly #places: () => number
  readonly #waiting: FairQueue<Begin>
  #taken = 0

  constructor({ places, ...options }: FairTurnsOptions) {
    this.#places = places
    this.#waiting = new FairQueue(options)
  }

  /** How many turns there are now. */
  get taken(): number {
    return this.#taken
  }

  /** How many wait for one. */
  get waiting(): number {
    return this.#waiting.size
  }

  waitingOf(account: string): number {
    return this.#waiting.waitingOf(account)
  }

  /** Resolves when it is the account's turn, with what ends it. @throws the signal's reason, when it aborts before */
  async take(account: string, { signal, isBackground }: Turn = {}): Promise<() => void> {
    signal?.throwIfAborted()
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const leave = (): void => {
      this.#waiting.remove(account, resolve)
      reject(signal!.reason)
    }
    signal?.addEventListener('abort', leave, { once: true })
    this.#waiting.add(account, resolve, { isBackground })
    this.look()
    await promise
    signal?.removeEventListener('abort', leave)
    return () => {
      this.#taken--
      this.#waiting.end(account, resolve)
      this.look()
    }
  }

  /** To be called when there may be more places. */
  look(): void {
    while (this.#taken < this.#places()) {
      const begin = this.#waiting.next()
      if (begin === null) return
      this.#taken++
      begin()
    }
  }
}
