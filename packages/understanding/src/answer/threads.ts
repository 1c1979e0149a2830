import { MessageChannel } from 'node:worker_threads'
import { EngineUnavailable } from '@medialog/application/ports'
import { Piscina } from 'piscina'
import { serveEmbedder, type AnsweringEmbedder } from './embedder-port.ts'
import type { Kind, Outcome, Task, Tasks } from './protocol.ts'

/** Each holds about 50 MB; most of an answer is embedding, which has threads of its own. */
const THREADS = 2
/** Tasks at work and waiting: about a minute of them. More are refused as unavailable. */
const MOST_UNDER_WAY = 128
const IDLE_MS = 15_000
const HEAP_MB = 256
/** From the call on, waiting included: whatever a text does to a thread, it does it no longer. */
const DEADLINE_MS = 120_000

/**
 * Runs tasks in worker threads, so that no text, however long, holds up other requests. One thread stays, another comes
 * under load. A thread that dies is started again; its task fails as unavailable. An abort frees the thread at once: what
 * runs in it is ended with it.
 */
export class AnsweringThreads {
  readonly #pool: Piscina<Task, Outcome>
  readonly #embedder: AnsweringEmbedder
  /** Aborts what is under way when no thread is left for it: the pool would let it wait for ever. */
  #broken = new AbortController()
  #underWay = 0
  readonly #deadlineMs: number

  /** @param lexicon a module that exports a Lexicon: functions cannot be handed to another thread */
  constructor(embedder: AnsweringEmbedder, lexicon: URL, deadlineMs = DEADLINE_MS) {
    this.#embedder = embedder
    this.#deadlineMs = deadlineMs
    this.#pool = new Piscina({
      filename: new URL('./thread.ts', import.meta.url).href,
      workerData: lexicon.href,
      minThreads: 1,
      maxThreads: THREADS,
      idleTimeout: IDLE_MS,
      stricterFIFO: true,
      execArgv: [],
      resourceLimits: { maxYoungGenerationSizeMb: 16, maxOldGenerationSizeMb: HEAP_MB },
    })
    this.#pool.on('error', (cause) => this.#giveUp(cause))
    // After a death the pool starts the next thread, unless the last one died while it was starting.
    this.#pool.on('workerDestroy', () => {
      setImmediate(() => {
        if (this.#pool.threads.length === 0) this.#giveUp()
      })
    })
  }

  /**
   * What came of the task.
   * @throws EngineUnavailable when too many wait, it took too long, the thread died over it, or the embedder is away; the
   *   signal's reason
   */
  async run<K extends Kind>(
    kind: K,
    asked: Tasks[K]['asked'],
    signal?: AbortSignal,
  ): Promise<Tasks[K]['result']> {
    signal?.throwIfAborted()
    if (this.#underWay >= MOST_UNDER_WAY) throw unavailable('too many questions wait to be answered')
    const late = new AbortController()
    const either = AbortSignal.any([late.signal, this.#broken.signal, ...(signal ? [signal] : [])])
    const { port1: own, port2: port } = new MessageChannel()
    const embedding = serveEmbedder(own, this.#embedder, either)
    const task: Task<K> = { kind, asked, port, cosineFloor: this.#embedder.cosineFloor }
    this.#underWay++
    const deadline = setTimeout(() => late.abort(unavailable('the question took too long')), this.#deadlineMs)
    try {
      const outcome = (await this.#run(task, either)) as Outcome<K>
      if ('error' in outcome) throw embedding.failure ?? outcome.error
      return outcome.result
    } finally {
      clearTimeout(deadline)
      this.#underWay--
      own.close()
    }
  }

  close(): Promise<void> {
    return this.#pool.destroy()
  }

  #giveUp(cause?: unknown): void {
    const broken = this.#broken
    this.#broken = new AbortController()
    broken.abort(unavailable('no answering thread could be started', cause))
  }

  async #run(task: Task, signal: AbortSignal): Promise<Outcome> {
    try {
      return await this.#pool.run(task, { signal, transferList: [task.port] })
    } catch (cause) {
      throw signal.aborted ? signal.reason : unavailable('the answering thread died', cause)
    }
  }
}

const unavailable = (why: string, cause?: unknown): EngineUnavailable =>
  new EngineUnavailable('language model', why, { retryAfterSeconds: 1, cause })
