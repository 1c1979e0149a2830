import type { InferenceSession, TensorConstructor } from 'onnxruntime-common'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Runtime } from './protocol.ts'
import { tokenizer } from './tokenizer.ts'

export const DIMENSIONS = 384
const MODEL = fileURLToPath(new URL('../model/all-MiniLM-L6-v2/minilm-int8.onnx', import.meta.url))

interface Session {
  runtime: Runtime
  /** The text's vector, 384 numbers, unit length; of its first 254 tokens. Holds its thread for the whole length. */
  embed(text: string): Promise<Float32Array<ArrayBuffer>>
  release(): Promise<void>
}

/** Opens the model with the first of the runtimes that works here. @throws AggregateError when none does */
export async function openSession(runtimes: readonly Runtime[]): Promise<Session> {
  const failures: unknown[] = []
  for (const runtime of runtimes) {
    try {
      return await open(runtime)
    } catch (failure) {
      failures.push(failure)
    }
  }
  throw new AggregateError(failures, `no ONNX Runtime works here: ${failures.map(String).join('; ')}`)
}

/**
 * One thread a session: two sessions on two cores do more than one on both, and bytes are the same either way.
 * The memory arena and pattern stay on: without them a run takes longer and more memory, measured.
 */
const OPTIONS = { intraOpNumThreads: 1, interOpNumThreads: 1, graphOptimizationLevel: 'all' } as const

async function open(runtime: Runtime): Promise<Session> {
  const { Tensor, session } = await (runtime === 'onnxruntime-node' ? native() : webAssembly())
  return {
    runtime,
    async embed(text) {
      const ids = tokenizer().encode(text)
      const input_ids = new Tensor('int64', BigInt64Array.from(ids, BigInt), [1, ids.length])
      const { embedding } = await session.run({ input_ids })
      // A copy: the runtime owns the memory of its output.
      return Float32Array.from(embedding!.data as Float32Array)
    },
    release: () => session.release(),
  }
}

interface Opened {
  Tensor: TensorConstructor
  session: InferenceSession
}

async function native(): Promise<Opened> {
  const { InferenceSession, Tensor } = await import('onnxruntime-node')
  return { Tensor, session: await InferenceSession.create(MODEL, OPTIONS) }
}

async function webAssembly(): Promise<Opened> {
  const { InferenceSession, Tensor, env } = await import('onnxruntime-web')
  env.wasm.numThreads = 1
  const options = { ...OPTIONS, executionProviders: ['wasm'] }
  return { Tensor, session: await InferenceSession.create(await readFile(MODEL), options) }
}
