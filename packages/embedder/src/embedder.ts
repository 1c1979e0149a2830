import type { Embedder, WorkOptions } from '@medialog/application/ports'
import { Recent } from '@medialog/kernel'
import { MODEL_IN_THE_BOX, vectorsName, type EmbeddingModel } from './model.ts'
import { EmbeddingPool, type Priority } from './pool.ts'
import { RUNTIMES, type Runtime } from './runtimes.ts'

export interface EmbedderOptions {
  /** all-MiniLM-L6-v2, which is in the box, unless another is named. */
  model?: EmbeddingModel
  /** Which runtime to use; without it the native one where it loads, WebAssembly else. */
  runtime?: Runtime
  /** Sessions for documents under load, each in its own thread: 2 by default. One more serves queries meanwhile. */
  workers?: number
  /** Milliseconds after which an additional session without work is closed: 30 000 by default. */
  idleMs?: number
  /** How many queries' vectors are kept: 1000 by default (1.5 MB). */
  rememberedQueries?: number
}

/** A model in worker threads. Resolves when the first session is ready. @throws EngineUnavailable */
export async function createEmbedder(options: EmbedderOptions = {}): Promise<LocalEmbedder> {
  const { model = MODEL_IN_THE_BOX } = options
  const pool = new EmbeddingPool({
    model,
    runtimes: options.runtime ? [options.runtime] : RUNTIMES,
    workers: options.workers ?? 2,
    idleMs: options.idleMs ?? 30_000,
  })
  return new LocalEmbedder(pool, model, await pool.start(), options.rememberedQueries ?? 1_000)
}

export class LocalEmbedder implements Embedder {
  readonly model: string
  readonly dimensions: number
  readonly cosineFloor: number
  readonly #prefix: EmbeddingModel['prefix']
  readonly pool: EmbeddingPool
  readonly #latinOnly: boolean
  readonly #remembered: Recent<string, Float32Array>

  constructor(pool: EmbeddingPool, model: EmbeddingModel, runtime: Runtime, rememberedQueries: number) {
    this.pool = pool
    this.model = vectorsName(model, runtime)
    this.dimensions = model.dimensions
    this.cosineFloor = model.cosineFloor
    this.#prefix = model.prefix
    this.#latinOnly = model.latinOnly
    this.#remembered = new Recent(rememberedQueries)
  }

  reads(text: string): number {
    if (!this.#latinOnly) return 1
    const letters = text.match(/\p{L}/gu)?.length ?? 0
    return letters === 0 ? 1 : (text.match(/[\p{L}&&\p{Script=Latin}]/gv)?.length ?? 0) / letters
  }

  async embed(
    texts: readonly string[],
    { priority = 'document', signal, ...given }: WorkOptions & { priority?: Priority } = {},
  ): Promise<Float32Array[]> {
    signal?.throwIfAborted()
    // When one text fails, those of the same call that still wait are nobody's any more.
    const failed = new AbortController()
    const work = { ...given, signal: signal ? AbortSignal.any([signal, failed.signal]) : failed.signal }
    const one = (text: string): Promise<Float32Array> => {
      const whole = this.#prefix[priority] + text
      return priority === 'query' ? this.#query(whole, work) : this.pool.run(whole, priority, work)
    }
    try {
      return await Promise.all(texts.map(one))
    } catch (failure) {
      failed.abort(failure)
      throw failure
    }
  }

  close(): Promise<void> {
    return this.pool.close()
  }

  /** Copies, so that no caller changes another's vector. */
  async #query(text: string, work: WorkOptions): Promise<Float32Array> {
    const vector = this.#remembered.get(text) ?? (await this.pool.run(text, 'query', work))
    this.#remembered.set(text, vector)
    return vector.slice()
  }
}
