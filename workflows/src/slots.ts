import type { Uuid } from '@medialog/kernel'

type Start = () => void

/** An account's jobs: how many run, and those that wait, in the order in which they came. */
interface Share {
  running: number
  /** Number of its last turn. One that comes anew is taken to have had its own just before the latest. */
  turn: number
  waiting: Set<Start>
}

/**
 * How many sagas run at once in this process. Uploads that somebody waits for are refused when it is too much; jobs of
 * batches wait for their turn and are fewer, so that uploads get through. The next turn is that of the account that has
 * the fewest jobs running and, among those, of the one whose last turn is the longest ago: no account waits for all
 * that another has sent. Within an account jobs run in the order in which they came.
 */
export class Slots {
  readonly #most: number
  readonly #mostJobs: number
  #running = 0
  #jobs = 0
  #turns = 0
  /** By account; only those with jobs that run or wait. */
  readonly #shares = new Map<Uuid, Share>()

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

  /** Runs a job's work once it is the account's turn. @throws the signal's reason, when it aborts before */
  async job<T>(accountId: Uuid, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    await this.#turn(accountId, signal)
    try {
      return await this.#run(work)
    } finally {
      this.#jobs--
      this.#shares.get(accountId)!.running--
      this.#forget(accountId)
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

  #turn(accountId: Uuid, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    const share = this.#shares.get(accountId) ?? {
      running: 0,
      turn: this.#turns - 1,
      waiting: new Set<Start>(),
    }
    this.#shares.set(accountId, share)
    return new Promise((resolve, reject) => {
      const start = (): void => {
        signal.removeEventListener('abort', leave)
        resolve()
      }
      const leave = (): void => {
        share.waiting.delete(start)
        this.#forget(accountId)
        reject(signal.reason as Error)
      }
      signal.addEventListener('abort', leave, { once: true })
      share.waiting.add(start)
      this.#next()
    })
  }

  #next(): void {
    if (!this.#hasRoom) return
    const share = this.#shareInTurn()
    if (share === null) return
    const [start] = share.waiting
    share.waiting.delete(start!)
    share.running++
    share.turn = ++this.#turns
    this.#jobs++
    start!()
  }

  #shareInTurn(): Share | null {
    let first: Share | null = null
    for (const share of this.#shares.values())
      if (share.waiting.size > 0 && (first === null || comesBefore(share, first))) first = share
    return first
  }

  #forget(accountId: Uuid): void {
    const share = this.#shares.get(accountId)
    if (share?.running === 0 && share.waiting.size === 0) this.#shares.delete(accountId)
  }
}

const comesBefore = (share: Share, other: Share): boolean =>
  share.running < other.running || (share.running === other.running && share.turn < other.turn)
