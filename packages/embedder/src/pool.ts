import { EngineUnavailable } from '@medialog/application/ports'
import type { Runtime } from './protocol.ts'
import { Thread } from './thread.ts'

export type Priority = 'query' | 'document'

interface Job {
  text: string
  priority: Priority
  done: PromiseWithResolvers<Float32Array>
}

/** So many waiting texts are worth another session: about as long a wait as opening one takes. */
const LOAD = 24

export interface PoolOptions {
  runtimes: readonly Runtime[]
  /** At most so many sessions (about 75 MB each). The first is opened at once and stays, the others come under load. */
  workers: number
  /** An additional session is closed after so many milliseconds without work. */
  idleMs: number
  /** The worker's module, for tests. */
  script?: URL
}

const WORKER = new URL('./worker.ts', import.meta.url)

/** Texts in, vectors out, one text a session at a time; queries overtake documents. */
export class EmbeddingPool {
  readonly #options: PoolOptions
  readonly #waiting: Record<Priority, Set<Job>> = { query: new Set(), document: new Set() }
  readonly #threads = new Set<Thread>()
  readonly #idle = new Map<Thread, NodeJS.Timeout | null>()
  #runtime: Runtime | null = null
  #opening = false
  #closed = false

  constructor(options: PoolOptions) {
    this.#options = options
  }

  /** Opens the first session; answers which runtime it found. @throws EngineUnavailable where there is none */
  async start(): Promise<Runtime> {
    return this.#open()
  }

  /** How many sessions are open. */
  get size(): number {
    return this.#threads.size
  }

  /**
   * The vector of one text. An abort drops it while it waits and rejects with the signal's reason.
   * @throws EngineUnavailable when the worker died over it, or none can be opened
   */
  async run(text: string, priority: Priority, signal?: AbortSignal): Promise<Float32Array> {
    signal?.throwIfAborted()
    if (this.#closed) throw new EngineUnavailable('embedder', 'the embedder is closed')
    const job: Job = { text, priority, done: Promise.withResolvers() }
    const drop = (): void => {
      this.#waiting[priority].delete(job)
      job.done.reject(signal?.reason)
    }
    signal?.addEventListener('abort', drop, { once: true })
    this.#waiting[priority].add(job)
    this.#dispatch()
    try {
      return await job.done.promise
    } finally {
      signal?.removeEventListener('abort', drop)
    }
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#rejectWaiting(new EngineUnavailable('embedder', 'the embedder is closed'))
    for (const timer of this.#idle.values()) if (timer) clearTimeout(timer)
    await Promise.all([...this.#threads].map((thread) => thread.stop()))
  }

  #dispatch(): void {
    for (const [thread, timer] of this.#idle) {
      const job = this.#next()
      if (!job) return
      if (timer) clearTimeout(timer)
      this.#idle.delete(thread)
      void this.#work(thread, job)
    }
    const waiting = this.#waiting.query.size + this.#waiting.document.size
    const wanted = waiting >= LOAD ? this.#options.workers : 1
    if (waiting > 0 && this.#threads.size < wanted && !this.#opening) this.#openBehind()
  }

  #next(): Job | null {
    for (const jobs of [this.#waiting.query, this.#waiting.document])
      for (const job of jobs) {
        jobs.delete(job)
        return job
      }
    return null
  }

  /** Who waits hears of a failure; where nobody does, the next text tries again. */
  #openBehind(): void {
    this.#open().catch(() => {})
  }

  async #open(): Promise<Runtime> {
    this.#opening = true
    const thread = new Thread(
      this.#runtime ? [this.#runtime] : this.#options.runtimes,
      this.#options.script ?? WORKER,
    )
    this.#threads.add(thread)
    void thread.ended.then(() => this.#ended(thread))
    try {
      // Vectors of two runtimes are not the same: whatever the first session found, the others use too.
      this.#runtime = await thread.ready
    } catch (failure) {
      this.#threads.delete(thread)
      if (this.#threads.size === 0) this.#rejectWaiting(failure)
      throw failure
    } finally {
      this.#opening = false
    }
    this.#rest(thread)
    return this.#runtime
  }

  async #work(thread: Thread, job: Job): Promise<void> {
    try {
      job.done.resolve(await thread.embed(job.text))
    } catch (failure) {
      job.done.reject(failure)
    }
    if (thread.alive) this.#rest(thread)
  }

  #rest(thread: Thread): void {
    thread.rest()
    const spare = this.#threads.size > 1
    this.#idle.set(
      thread,
      spare ? setTimeout(() => this.#retire(thread), this.#options.idleMs).unref() : null,
    )
    this.#dispatch()
  }

  #retire(thread: Thread): void {
    if (this.#threads.size < 2 || this.#closed) return
    this.#threads.delete(thread)
    this.#idle.delete(thread)
    void thread.stop()
  }

  #ended(thread: Thread): void {
    const timer = this.#idle.get(thread)
    if (timer) clearTimeout(timer)
    this.#idle.delete(thread)
    const worked = this.#threads.delete(thread)
    if (worked && this.#threads.size === 0 && !this.#closed) this.#openBehind()
  }

  #rejectWaiting(failure: unknown): void {
    for (const jobs of Object.values(this.#waiting)) {
      for (const job of jobs) job.done.reject(failure)
      jobs.clear()
    }
  }
}
