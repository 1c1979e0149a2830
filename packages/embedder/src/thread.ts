import { setTimeout as delay } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { EngineUnavailable } from '@medialog/application/ports'
import type { EmbeddingModel } from './model.ts'
import { Turn, type FromWorker, type ToWorker, type WorkerStart } from './protocol.ts'
import { keepQuiet, type Runtime } from './runtimes.ts'

const STOP_MS = 2_000

/** A worker thread holding one session: takes one text at a time. It keeps the process alive only while it works. */
export class Thread {
  readonly #worker: Worker
  readonly #turn = new Int32Array(new SharedArrayBuffer(4)).fill(Turn.running)
  #waiting: PromiseWithResolvers<Float32Array> | null = null
  #began: number | null = null
  #busyMs = 0
  /** The runtime in use, once the session is open. @throws EngineUnavailable when it dies before */
  readonly ready: Promise<Runtime>
  /** False once the thread has ended. */
  alive = true
  /** Settles when the thread has ended, however it ended. */
  readonly ended: Promise<void>

  constructor(model: EmbeddingModel, runtimes: readonly Runtime[], script: URL) {
    const workerData: WorkerStart = { model, runtimes, turn: this.#turn }
    keepQuiet()
    this.#worker = new Worker(script, {
      workerData,
      name: 'embedding',
      execArgv: [],
      // What a text leaves behind is small, and all else is kept.
      resourceLimits: { maxYoungGenerationSizeMb: 3 },
    })
    const ready = Promise.withResolvers<Runtime>()
    const ended = Promise.withResolvers<void>()
    this.ready = ready.promise
    this.ended = ended.promise
    let cause: unknown
    this.#worker.on('message', (message: FromWorker) => {
      if (message.type === 'ready') ready.resolve(message.runtime)
      else this.#settle(message)
    })
    this.#worker.on('error', (error) => (cause = error))
    process.once('exit', this.#beforeExit)
    this.#worker.on('exit', (code) => {
      this.alive = false
      process.off('exit', this.#beforeExit)
      const died = new EngineUnavailable('embedder', `the embedding worker ended (${code})`, {
        retryAfterSeconds: 1,
        cause,
      })
      ready.reject(died)
      this.#waiting?.reject(died)
      this.#waiting = null
      ended.resolve()
    })
  }

  /** Milliseconds for which it has been at work so far. */
  get busyMs(): number {
    return this.#busyMs + (this.#began === null ? 0 : performance.now() - this.#began)
  }

  /** @throws EngineUnavailable when the thread dies over it */
  embed(text: string): Promise<Float32Array> {
    this.#waiting = Promise.withResolvers()
    this.#began = performance.now()
    this.#worker.ref()
    this.#send({ type: 'embed', text })
    return this.#waiting.promise
  }

  rest(): void {
    this.#worker.unref()
  }

  /**
   * Lets the thread finish its text, release the session's memory and end. Never by force: a thread that is ended
   * inside the native runtime takes the whole process down (SIGABRT). One that does not answer is left behind.
   */
  async stop(): Promise<void> {
    this.#send({ type: 'stop' })
    const tired = new AbortController()
    await Promise.race([this.ended, delay(STOP_MS, null, { signal: tired.signal }).catch(() => {})])
    tired.abort()
    this.rest()
  }

  /** `process.exit` ends the thread by force: wait until its run is over, and let it begin no other. */
  readonly #beforeExit = (): void => {
    if (Atomics.compareExchange(this.#turn, 0, Turn.free, Turn.over) === Turn.running)
      Atomics.wait(this.#turn, 0, Turn.running, STOP_MS)
  }

  #send(message: ToWorker): void {
    this.#worker.postMessage(message, [])
  }

  #settle(message: Exclude<FromWorker, { type: 'ready' }>): void {
    const waiting = this.#waiting
    this.#busyMs = this.busyMs
    this.#began = null
    this.#waiting = null
    if (message.type === 'embedded') waiting?.resolve(message.vector)
    else waiting?.reject(new EngineUnavailable('embedder', message.reason, { retryAfterSeconds: 1 }))
  }
}
