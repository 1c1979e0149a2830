/** Use that is longer ago is forgiven, in milliseconds. */
const REMEMBERED_MS = 60_000

/** Whether a client waits for the job, or it is done in the background. */
const KINDS = ['awaited', 'background'] as const
type Kind = (typeof KINDS)[number]

interface Share<Job> {
  /** In the order in which they came. */
  waiting: Record<Kind, Set<Job>>
  /** Its jobs that run now, and since when. */
  running: Map<Job, { began: number; kind: Kind }>
  /** Until when its use is remembered: each job moves it by as long as the job took. */
  usedUntil: number
  /** Number of its last turn. An account that was not known counts as one whose turn was just before the latest. */
  turn: number
}

/**
 * Jobs of many accounts that wait for the same few places. The next turn is that of the account that has the fewest jobs
 * running, among those of the one whose jobs took the least time of late, and among those of the one whose last turn is
 * the longest ago: no account waits for all that another has sent, and what takes long delays its own account. Within an
 * account what a client waits for goes before what is done in the background, and else jobs run in the order in which they
 * came.
 */
export class FairQueue<Job> {
  readonly #now: () => number
  readonly #mostOfOne: number
  /** By account; only those with jobs, and those whose use is remembered. */
  readonly #shares = new Map<string, Share<Job>>()
  readonly #waiting = { awaited: 0, background: 0 }
  #turns = 0

  /** @param mostOfOne jobs of one account that run at once; and one more that a client waits for, beside background jobs */
  constructor({ mostOfOne = Infinity, now = () => performance.now() } = {}) {
    this.#mostOfOne = mostOfOne
    this.#now = now
  }

  /** How many wait. */
  get size(): number {
    return this.#waiting.awaited + this.#waiting.background
  }

  /** Those among them that a client waits for. */
  get awaited(): number {
    return this.#waiting.awaited
  }

  /** How many of the account wait. */
  waitingOf(account: string): number {
    const share = this.#shares.get(account)
    return share ? waitingIn(share) : 0
  }

  add(account: string, job: Job, { isBackground = false } = {}): void {
    const kind = isBackground ? 'background' : 'awaited'
    this.#shareOf(account).waiting[kind].add(job)
    this.#waiting[kind]++
  }

  /** The job does not wait any more. False where it did not. */
  remove(account: string, job: Job): boolean {
    const share = this.#shares.get(account)
    const kind = KINDS.find((each) => share?.waiting[each].delete(job))
    if (share === undefined || kind === undefined) return false
    this.#waiting[kind]--
    this.#tidy(account, share)
    return true
  }

  /**
   * The job whose turn it is, of those that a client waits for or of all; it runs from now on. Null where none waits, or only
   * of accounts that run all they may.
   */
  next({ awaitedOnly = false } = {}): Job | null {
    const now = this.#now()
    let first: { share: Share<Job>; used: number } | null = null
    for (const [account, share] of this.#shares) {
      if (waitingIn(share) === 0) {
        this.#tidy(account, share)
        continue
      }
      const kind = this.#kindOfNext(share)
      if (kind === null || (awaitedOnly && kind !== 'awaited')) continue
      const each = { share, used: usedBy(share, now) }
      if (first === null || comesBefore(each, first)) first = each
    }
    if (first === null) return null
    const { share } = first
    const kind = this.#kindOfNext(share)!
    const [job] = share.waiting[kind]
    share.waiting[kind].delete(job!)
    this.#waiting[kind]--
    share.running.set(job!, { began: now, kind })
    share.turn = ++this.#turns
    return job!
  }

  /** Of the job that the account may run next; null: none. */
  #kindOfNext({ waiting, running }: Share<Job>): Kind | null {
    let awaited = 0
    for (const { kind } of running.values()) if (kind === 'awaited') awaited++
    if (waiting.awaited.size > 0 && awaited < this.#mostOfOne && running.size <= this.#mostOfOne)
      return 'awaited'
    return waiting.background.size > 0 && running.size < this.#mostOfOne ? 'background' : null
  }

  /** The job has ended, or left its place for another. */
  end(account: string, job: Job): void {
    const share = this.#shares.get(account)
    const began = share?.running.get(job)?.began
    if (share === undefined || began === undefined) return
    share.running.delete(job)
    const now = this.#now()
    share.usedUntil = Math.min(Math.max(share.usedUntil, now) + now - began, now + REMEMBERED_MS)
    this.#tidy(account, share)
  }

  /** All that wait, which wait no more. */
  clear(): Job[] {
    const queues = [...this.#shares.values()].flatMap(({ waiting }) => Object.values(waiting))
    const jobs = queues.flatMap((waiting) => [...waiting])
    for (const waiting of queues) waiting.clear()
    for (const kind of KINDS) this.#waiting[kind] = 0
    return jobs
  }

  #shareOf(account: string): Share<Job> {
    const known = this.#shares.get(account)
    if (known) return known
    const waiting = { awaited: new Set<Job>(), background: new Set<Job>() }
    const share: Share<Job> = { waiting, running: new Map(), usedUntil: 0, turn: this.#turns - 1 }
    this.#shares.set(account, share)
    return share
  }

  #tidy(account: string, share: Share<Job>): void {
    if (waitingIn(share) === 0 && share.running.size === 0 && share.usedUntil <= this.#now())
      this.#shares.delete(account)
  }
}

const waitingIn = ({ waiting }: Share<unknown>): number => waiting.awaited.size + waiting.background.size

/** Milliseconds. */
function usedBy({ running, usedUntil }: Share<unknown>, now: number): number {
  let used = Math.max(0, usedUntil - now)
  for (const { began } of running.values()) used += now - began
  return used
}

type Candidate = { share: Share<unknown>; used: number }

function comesBefore(one: Candidate, other: Candidate): boolean {
  const [a, b] = [one.share, other.share]
  return (a.running.size - b.running.size || one.used - other.used || a.turn - b.turn) < 0
}
