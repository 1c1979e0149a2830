import type { EmbeddingModel } from './model.ts'
import type { Runtime } from './runtimes.ts'

/** What a worker is started with: the model, and the runtimes to try, in order. */
export interface WorkerStart {
  model: EmbeddingModel
  runtimes: readonly Runtime[]
  /** One shared number, a `Turn`: `running` from birth until the session is open. */
  turn: Int32Array<SharedArrayBuffer>
}

/** Whether the worker is inside the native runtime, where a thread must not be ended: the process would abort. */
export const Turn = { free: 0, running: 1, over: 2 } as const

/** One text at a time; the answer carries no id because there is only one to expect. */
export type ToWorker = { type: 'embed'; text: string } | { type: 'stop' }

export type FromWorker =
  | { type: 'ready'; runtime: Runtime }
  | { type: 'embedded'; vector: Float32Array<ArrayBuffer> }
  | { type: 'failed'; reason: string }
