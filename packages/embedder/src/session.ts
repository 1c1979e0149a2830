import type { InferenceSession, TensorConstructor } from 'onnxruntime-common'
import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { encoderOf } from './encoder.ts'
import type { EmbeddingModel } from './model.ts'
import { pooled, type Output } from './pooling.ts'
import type { Runtime } from './runtimes.ts'

interface Session {
  runtime: Runtime
  /** The text's vector, unit length; of as much of it as the model reads. Holds its thread for the whole length. */
  embed(text: string): Promise<Float32Array<ArrayBuffer>>
  release(): Promise<void>
}

/** Opens the model with the first of the runtimes that works here. @throws AggregateError when none does */
export async function openSession(runtimes: readonly Runtime[], model: EmbeddingModel): Promise<Session> {
  const failures: unknown[] = []
  for (const runtime of runtimes) {
    try {
      return await open(runtime, model)
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

async function open(runtime: Runtime, model: EmbeddingModel): Promise<Session> {
  const encode = encoderOf(model)
  const { Tensor, session } = await (runtime === 'onnxruntime-node' ? native(model) : webAssembly(model))
  return {
    runtime,
    async embed(text) {
      const ids = encode(text)
      const tensors = session.inputNames.map((name) => {
        const values = INPUTS.get(name)?.(ids)
        if (!values) throw new Error(`it asks for an input ${name}, which nothing here gives`)
        return [name, new Tensor('int64', values, [1, ids.length])] as const
      })
      const outputs = await session.run(Object.fromEntries(tensors))
      const name = OUTPUTS.find((known) => known in outputs) ?? session.outputNames[0]!
      return pooled(outputs[name] as Output, model)
    },
    release: () => session.release(),
  }
}

/** What models of this kind ask for, of one text by its tokens. */
const INPUTS: ReadonlyMap<string, (ids: number[]) => BigInt64Array> = new Map(
  Object.entries<(ids: number[]) => BigInt64Array>({
    input_ids: (ids) => BigInt64Array.from(ids, BigInt),
    attention_mask: ({ length }) => new BigInt64Array(length).fill(1n),
    token_type_ids: ({ length }) => new BigInt64Array(length),
  }),
)

/** What they call the one that is wanted, where there are several. */
const OUTPUTS = ['embedding', 'sentence_embedding', 'last_hidden_state', 'token_embeddings']

interface Opened {
  Tensor: TensorConstructor
  session: InferenceSession
}

/** The runtime finds weights in a file of their own: their place is in the model. */
async function native({ onnx }: EmbeddingModel): Promise<Opened> {
  const { InferenceSession, Tensor } = await import('onnxruntime-node')
  return { Tensor, session: await InferenceSession.create(onnx, OPTIONS) }
}

async function webAssembly({ onnx, weights }: EmbeddingModel): Promise<Opened> {
  const { InferenceSession, Tensor, env } = await import('onnxruntime-web')
  env.wasm.numThreads = 1
  const externalData = weights === null ? [] : [{ path: basename(weights), data: await readFile(weights) }]
  const options = { ...OPTIONS, executionProviders: ['wasm'], externalData }
  return { Tensor, session: await InferenceSession.create(await readFile(onnx), options) }
}
