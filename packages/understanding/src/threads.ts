import { EngineUnavailable, type WorkOptions } from '@medialog/application/ports'
import { FairTurns } from '@medialog/kernel'
import { channel } from 'node:diagnostics_channel'
import { setTimeout as delay } from 'node:timers/promises'
import type { Transferable } from 'node:worker_threads'
import { Piscina } from 'piscina'

type PoolOptions = NonNullable<ConstructorParameters<typeof Piscina>[0]>

interface ThreadsOptions<Task> {
  pool: Pick<PoolOptions, 'maxThreads' | 'resourceLimits' | 'workerData'>
  /** A module whose default export does a task. */
  module: URL
  /** What its threads do, for people who look at the process. */
  name: string
  /** What is unavailable when a task is not done, and how a task is called. */
  engine: string
  task: string
  /** Tasks at work and waiting, of all accounts and of one; more are refused. */
  mostUnderWay: number
  mostOfOne: number
  /** Tasks of one account at work. Default: as many as there are threads. */
  atWorkOfOne?: number
  /** A task that costs next to nothing. It starts a thread ahead for the next account, while others are at work. */
  spare?: Task
  /** From its beginning in a thread: whatever a task does to it, it does it no longer. */
  deadlineMs: number
  /**
   * For so long a task that is not wanted any more may go on, which costs less than another thread. Default 2000: most tasks
   * end by then.
   */
  graceMs?: number
}

/**
 * Where a thread is ended while it or another one compiles, V8 may end the process (`Check failed: jit_page.has_value()`): once
 * in about a thousand times. https://github.com/nodejs/node/issues/64500 is its like. So as few as can be are.
 */
const GRACE_MS = 2_000
/** A thread without work ends: late enough that steady work, however little, has one thread all the time. */
const IDLE_MS = 60_000

/** Piscina gives its threads no names. Each one's is published here once it has loaded its modules. */
const NAMES = channel('medialog.thread')

/** A thread came to its end over a task, or might never have: with the same one that may happen again. */
export class TaskLost extends EngineUnavailable {}

/**
 * Runs tasks in worker threads, so that none, however long, holds up other requests; accounts take turns. A thread that dies
 * is started again; its task fails as unavailable. A task that goes on after an abort is ended, and its thread with it.
 */
export class Threads<Task, Outcome> {
  readonly #pool: Piscina<Task, Outcome>
  readonly #options: ThreadsOptions<Task>
  readonly #turns: FairTurns
  /** The threads that have loaded their modules. */
  readonly #loaded = new Set<unknown>()
  /** Aborts what is under way when no thread is left for it: the pool would let it wait for ever. */
  #broken = new AbortController()
  #isClosed = false

  constructor(options: ThreadsOptions<Task>) {
    const { module, pool, name, atWorkOfOne: mostOfOne } = options
    this.#options = options
    this.#turns = new FairTurns({ places: () => pool.maxThreads ?? 1, ...(mostOfOne && { mostOfOne }) })
    // Of threads that it starts at once, Piscina does not wait for the modules.
    const own = { minThreads: 0, idleTimeout: IDLE_MS, stricterFIFO: true, execArgv: [] }
    this.#pool = new Piscina({ ...pool, ...own, filename: module.href })
    this.#pool.on('error', (cause) => this.#giveUp(cause))
    this.#pool.on('workerCreate', (thread: { id: number }) => {
      this.#loaded.add(thread)
      NAMES.publish({ threadId: thread.id, name })
    })
    // After a death the pool starts the next thread, unless the last one died while it was starting.
    this.#pool.on('workerDestroy', (thread) => {
      this.#loaded.delete(thread)
      setImmediate(() => {
        if (this.#pool.threads.length === 0) this.#giveUp()
      })
    })
  }

  /**
   * The outcome of a task that is made, when its turn has come, with the signal that will end it.
   * @throws TaskLost when it took too long or the thread died over it, EngineUnavailable when too many wait or no thread
   *   starts; the signal's reason
   */
  async run(
    makeTask: (signal: AbortSignal) => { task: Task; transferList?: Transferable[] },
    { accountId = '', signal, isBackground }: WorkOptions = {},
  ): Promise<Outcome> {
    const { mostUnderWay, mostOfOne, deadlineMs, graceMs = GRACE_MS, task: name } = this.#options
    signal?.throwIfAborted()
    const { taken, waiting } = this.#turns
    if (taken + waiting >= mostUnderWay || this.#turns.waitingOf(accountId) >= mostOfOne)
      throw this.#unavailable(`too many ${name}s wait`)
    // While a background task is at work, a client may come that waits.
    if (taken > 0 || isBackground) this.#startSpare()
    const end = await this.#turns.take(accountId, { signal, isBackground })
    const late = new AbortController()
    const over = AbortSignal.any([late.signal, this.#broken.signal])
    const deadline = setTimeout(() => late.abort(this.#lost(`the ${name} took too long`)), deadlineMs)
    let grace: NodeJS.Timeout | undefined
    const { promise: left, reject } = Promise.withResolvers<never>()
    const leave = (): void => {
      reject(signal!.reason)
      grace = setTimeout(() => late.abort(signal!.reason), graceMs)
    }
    signal?.addEventListener('abort', leave, { once: true })
    const work = async (): Promise<Outcome> => {
      try {
        const { task, transferList } = makeTask(signal ? AbortSignal.any([over, signal]) : over)
        return await this.#pool.run(task, { signal: over, ...(transferList && { transferList }) })
      } catch (cause) {
        if (over.aborted) throw over.reason
        throw this.#isClosed
          ? this.#unavailable('it is shut down', cause)
          : this.#lost(`the thread died over the ${name}`, cause)
      } finally {
        clearTimeout(deadline)
        clearTimeout(grace)
        signal?.removeEventListener('abort', leave)
        end()
      }
    }
    if (signal?.aborted) leave()
    return Promise.race([work(), left])
  }

  /** Ends all threads, those that load their modules once they have; what is under way is unavailable. */
  async close(): Promise<void> {
    this.#isClosed = true
    const late = performance.now() + GRACE_MS
    while (this.#loaded.size < this.#pool.threads.length && performance.now() < late) await delay(10)
    await this.#pool.destroy()
  }

  #startSpare(): void {
    const { pool, spare } = this.#options
    if (spare === undefined || this.#pool.threads.length >= (pool.maxThreads ?? 1)) return
    // What it answers is of no use, and what fails there fails the next task as well.
    this.#pool.run(spare).catch(() => undefined)
  }

  #giveUp(cause?: unknown): void {
    // While nothing is under way, threads end because they are idle.
    if (this.#turns.taken === 0) return
    const broken = this.#broken
    this.#broken = new AbortController()
    broken.abort(this.#unavailable('no thread could be started', cause))
  }

  #lost(why: string, cause?: unknown): TaskLost {
    return new TaskLost(this.#options.engine, why, { retryAfterSeconds: 1, cause })
  }

  #unavailable(why: string, cause?: unknown): EngineUnavailable {
    return new EngineUnavailable(this.#options.engine, why, { retryAfterSeconds: 1, cause })
  }
}
