import { EngineUnavailable, type WorkOptions } from '@medialog/application/ports'
import { FairQueue } from '@medialog/kernel'
import type { EmbeddingModel } from './model.ts'
import type { Runtime } from './runtimes.ts'
import { Thread } from './thread.ts'

export type Priority = 'query' | 'document'

interface Job {
  account: string
  text: string
  priority: Priority
  done: PromiseWithResolvers<Float32Array>
}

/** So many waiting texts are worth another session: about as long a wait as opening one takes. */
const LOAD = 24

export interface PoolOptions {
  model: EmbeddingModel
  runtimes: readonly Runtime[]
  /**
   * At most so many sessions (about 75 MB each) take documents. The first is opened at once and stays, the others come
   * under load; one more, for queries alone, comes when a query finds them busy with documents.
   */
  workers: number
  /** An additional session is closed after so many milliseconds without work. */
  idleMs: number
  /** The worker's module, for tests. */
  script?: URL
}

const WORKER = new URL('./worker.ts', import.meta.url)

/**
 * Texts in, vectors out, one text a session at a time; a query goes before all documents but one, and does not wait for
 * those at work. Accounts take turns with both.
 */
export class EmbeddingPool {
  readonly #options: PoolOptions
  readonly #waiting: Record<Priority, FairQueue<Job>> = {
    query: new FairQueue(),
    document: new FairQueue(),
  }
  readonly #threads = new Set<Thread>()
  readonly #idle = new Map<Thread, NodeJS.Timeout | null>()
  /** The session that takes no documents, while there is one. */
  #forQueries: Thread | null = null
  /** Documents that are being embedded. */
  #documents = 0
  #runtime: Runtime | null = null
  #lastWasQuery = false
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
  async run(
    text: string,
    priority: Priority,
    { signal, accountId: account = '', isBackground }: WorkOptions = {},
  ): Promise<Float32Array> {
    signal?.throwIfAborted()
    if (this.#closed) throw new EngineUnavailable('embedder', 'the embedder is closed')
    const job: Job = { account, text, priority, done: Promise.withResolvers() }
    const drop = (): void => {
      this.#waiting[priority].remove(account, job)
      job.done.reject(signal?.reason)
    }
    signal?.addEventListener('abort', drop, { once: true })
    this.#waiting[priority].add(account, job, { isBackground })
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
      const job = this.#next(thread)
      if (!job) continue
      if (timer) clearTimeout(timer)
      this.#idle.delete(thread)
      void this.#work(thread, job)
    }
    const { query, document } = this.#waiting
    const waiting = query.size + document.size
    const wanted = waiting >= LOAD ? this.#options.workers : 1
    if (waiting === 0 || this.#opening) return
    if (this.#general < wanted) this.#openBehind()
    else if (query.size > 0 && this.#documents > 0 && !this.#forQueries)
      this.#openBehind({ forQueries: true })
  }

  #next(thread: Thread): Job | null {
    const { query, document } = this.#waiting
    if (thread === this.#forQueries) return query.next()
    // However many queries come, each is followed by a document.
    const job = this.#lastWasQuery ? (document.next() ?? query.next()) : (query.next() ?? document.next())
    this.#lastWasQuery = job?.priority === 'query'
    return job
  }

  /** How many sessions take documents. */
  get #general(): number {
    return this.#threads.size - (this.#forQueries ? 1 : 0)
  }

  /** Who waits hears of a failure; where nobody does, the next text tries again. */
  #openBehind(kind = { forQueries: false }): void {
    this.#open(kind).catch(() => {})
  }

  async #open({ forQueries } = { forQueries: false }): Promise<Runtime> {
    this.#opening = true
    const thread = new Thread(
      this.#options.model,
      this.#runtime ? [this.#runtime] : this.#options.runtimes,
      this.#options.script ?? WORKER,
    )
    this.#threads.add(thread)
    if (forQueries) this.#forQueries = thread
    void thread.ended.then(() => this.#ended(thread))
    try {
      // Vectors of two runtimes are not the same: whatever the first session found, the others use too.
      this.#runtime = await thread.ready
    } catch (failure) {
      this.#forget(thread)
      if (this.#general === 0) this.#rejectWaiting(failure)
      throw failure
    } finally {
      this.#opening = false
    }
    this.#rest(thread)
    return this.#runtime
  }

  async #work(thread: Thread, job: Job): Promise<void> {
    const documents = job.priority === 'document' ? 1 : 0
    this.#documents += documents
    try {
      job.done.resolve(await thread.embed(job.text))
    } catch (failure) {
      job.done.reject(failure)
    }
    this.#documents -= documents
    this.#waiting[job.priority].end(job.account, job)
    if (thread.alive) this.#rest(thread)
  }

  #rest(thread: Thread): void {
    thread.rest()
    this.#idle.set(
      thread,
      this.#isSpare(thread) ? setTimeout(() => this.#retire(thread), this.#options.idleMs).unref() : null,
    )
    this.#dispatch()
  }

  #isSpare(thread: Thread): boolean {
    return thread === this.#forQueries || this.#general > 1
  }

  #retire(thread: Thread): void {
    if (!this.#isSpare(thread) || this.#closed) return
    this.#forget(thread)
    void thread.stop()
  }

  #ended(thread: Thread): void {
    const timer = this.#idle.get(thread)
    if (timer) clearTimeout(timer)
    const worked = this.#forget(thread)
    if (worked && this.#general === 0 && !this.#closed) this.#openBehind()
  }

  /** Answers whether it was still one of the pool's. */
  #forget(thread: Thread): boolean {
    if (this.#forQueries === thread) this.#forQueries = null
    this.#idle.delete(thread)
    return this.#threads.delete(thread)
  }

  #rejectWaiting(failure: unknown): void {
    for (const jobs of Object.values(this.#waiting)) for (const job of jobs.clear()) job.done.reject(failure)
  }
}
