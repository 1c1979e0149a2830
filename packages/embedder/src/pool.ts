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
  isBackground: boolean
  done: PromiseWithResolvers<Float32Array>
  /** Runs out when it has waited for long. */
  patience: NodeJS.Timeout
}

/** A text that has waited for so many milliseconds calls for another session: opening one takes about as long. */
const PATIENCE_MS = 500
/** An additional session for documents stays while the others are at work for so much of the time. */
const BUSY = 0.5

export interface PoolOptions {
  model: EmbeddingModel
  runtimes: readonly Runtime[]
  /**
   * At most so many sessions (about 50 MB each) take all documents. The first is opened at once and stays, the others come
   * when documents wait for long. One more, for what a client waits for, comes when a query finds them busy with documents,
   * or a document finds them busy with the background's.
   */
  workers: number
  /** An additional session is closed when for so many milliseconds it had no work, or the others had time for it. */
  idleMs: number
  /** The worker's module, for tests. */
  script?: URL
}

const WORKER = new URL('./worker.ts', import.meta.url)

/**
 * Texts in, vectors out, one text a session at a time; a query goes before all documents but one, and does not wait for
 * those at work. A document that a client waits for does not wait for the background's. Accounts take turns with both.
 */
export class EmbeddingPool {
  readonly #options: PoolOptions
  readonly #waiting: Record<Priority, FairQueue<Job>> = {
    query: new FairQueue(),
    document: new FairQueue(),
  }
  /** In the order in which they were opened. */
  readonly #threads = new Set<Thread>()
  readonly #idle = new Set<Thread>()
  /** The session that takes queries, and no documents but those that would wait for the background's; while there is one. */
  #forAwaited: Thread | null = null
  /** Documents that are being embedded, and those of the background among them. */
  #documents = 0
  #background = 0
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
    { signal, accountId: account = '', isBackground = false }: WorkOptions = {},
  ): Promise<Float32Array> {
    signal?.throwIfAborted()
    if (this.#closed) throw new EngineUnavailable('embedder', 'the embedder is closed')
    const patience = setInterval(() => this.#relieve(), PATIENCE_MS).unref()
    const job: Job = { account, text, priority, isBackground, done: Promise.withResolvers(), patience }
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
      clearInterval(patience)
      signal?.removeEventListener('abort', drop)
    }
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#rejectWaiting(new EngineUnavailable('embedder', 'the embedder is closed'))
    await Promise.all([...this.#threads].map((thread) => thread.stop()))
  }

  #dispatch(): void {
    // The first sessions first: what the additional ones do shows whether they are needed.
    for (const thread of this.#threads) {
      const job = this.#idle.has(thread) && this.#next(thread)
      if (!job) continue
      clearInterval(job.patience)
      this.#idle.delete(thread)
      void this.#work(thread, job)
    }
    const { query, document } = this.#waiting
    if (query.size + document.size > 0 && this.#general === 0) this.#openBehind()
    else if ((query.size > 0 && this.#documents > 0) || (document.awaited > 0 && this.#background > 0))
      this.#openBehind({ forAwaited: true })
  }

  /** A text has waited for long. */
  #relieve(): void {
    if (this.#general < this.#options.workers) this.#openBehind()
  }

  #next(thread: Thread): Job | null {
    const { query, document } = this.#waiting
    if (thread === this.#forAwaited)
      return query.next() ?? (this.#background > 0 ? document.next({ awaitedOnly: true }) : null)
    // However many queries come, each is followed by a document.
    const job = this.#lastWasQuery ? (document.next() ?? query.next()) : (query.next() ?? document.next())
    this.#lastWasQuery = job?.priority === 'query'
    return job
  }

  /** How many sessions take documents. */
  get #general(): number {
    return this.#threads.size - (this.#forAwaited ? 1 : 0)
  }

  /** A failure rejects the texts that wait; where none does, the next text tries again. */
  #openBehind(kind = { forAwaited: false }): void {
    if (kind.forAwaited && this.#forAwaited) return
    if (!this.#opening && !this.#closed) this.#open(kind).catch(() => {})
  }

  async #open({ forAwaited } = { forAwaited: false }): Promise<Runtime> {
    this.#opening = true
    const thread = new Thread(
      this.#options.model,
      this.#runtime ? [this.#runtime] : this.#options.runtimes,
      this.#options.script ?? WORKER,
    )
    this.#threads.add(thread)
    if (forAwaited) this.#forAwaited = thread
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
    if (this.#isSpare(thread)) this.#watch(thread)
    this.#rest(thread)
    return this.#runtime
  }

  async #work(thread: Thread, job: Job): Promise<void> {
    const documents = job.priority === 'document' ? 1 : 0
    const background = job.isBackground ? documents : 0
    this.#documents += documents
    this.#background += background
    try {
      job.done.resolve(await thread.embed(job.text))
    } catch (failure) {
      job.done.reject(failure)
    }
    this.#documents -= documents
    this.#background -= background
    this.#waiting[job.priority].end(job.account, job)
    if (thread.alive) this.#rest(thread)
  }

  #rest(thread: Thread): void {
    thread.rest()
    this.#idle.add(thread)
    this.#dispatch()
  }

  #isSpare(thread: Thread): boolean {
    return thread === this.#forAwaited || this.#general > 1
  }

  /** Closes an additional session that was not needed for the last while. */
  #watch(spare: Thread): void {
    const { idleMs } = this.#options
    let before = this.#busyBeside(spare)
    const timer = setInterval(() => {
      const now = this.#busyBeside(spare)
      const isNeeded =
        now.own > before.own && (spare === this.#forAwaited || now.others - before.others >= BUSY * idleMs)
      before = now
      if (isNeeded || !this.#isSpare(spare) || !this.#idle.has(spare) || this.#closed) return
      this.#forget(spare)
      void spare.stop()
    }, idleMs).unref()
    void spare.ended.then(() => clearInterval(timer))
  }

  /** Milliseconds for which a session has been at work, and on an average the others that take documents. */
  #busyBeside(spare: Thread): { own: number; others: number } {
    const others = [...this.#threads].filter((thread) => thread !== spare && thread !== this.#forAwaited)
    const sum = others.reduce((busy, thread) => busy + thread.busyMs, 0)
    return { own: spare.busyMs, others: sum / Math.max(others.length, 1) }
  }

  #ended(thread: Thread): void {
    const worked = this.#forget(thread)
    if (worked && this.#general === 0) this.#openBehind()
  }

  /** Answers whether it was still one of the pool's. */
  #forget(thread: Thread): boolean {
    if (this.#forAwaited === thread) this.#forAwaited = null
    this.#idle.delete(thread)
    return this.#threads.delete(thread)
  }

  #rejectWaiting(failure: unknown): void {
    for (const jobs of Object.values(this.#waiting)) for (const job of jobs.clear()) job.done.reject(failure)
  }
}
