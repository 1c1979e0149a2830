import type { Embedder, WorkOptions } from '@medialog/application/ports'
import { FairTurns, Recent } from '@medialog/kernel'
import { embedMany, type EmbeddingModel } from 'ai'
import { UnusableAnswer } from './failure.ts'
import type { Called, ProviderLine } from './line.ts'
import { estimatedTokens } from './prompt.ts'

/** Texts of one call. */
const AT_ONCE = 64
const REMEMBERED_QUERIES = 1_000

export interface EmbedderOptions {
  line: ProviderLine
  model: EmbeddingModel
  dimensions: number
  cosineFloor: number
  callsAtOnce: number
}

/**
 * Vectors by a model of a provider. Nothing stands in for it: vectors of another model mean something else, so without it
 * uploads and searches are unavailable.
 */
export function createProviderEmbedder(options: EmbedderOptions): Embedder {
  const { line, dimensions, cosineFloor, callsAtOnce } = options
  // One call is left for queries, where there is more than one.
  const documents = new FairTurns({ places: () => Math.max(1, callsAtOnce - 1) })
  const remembered = new Recent<string, Float32Array>(REMEMBERED_QUERIES)
  const embedSome = (texts: string[], work: WorkOptions): Promise<Float32Array[]> =>
    line.call(
      texts.reduce((sum, text) => sum + estimatedTokens(text), 0),
      (within) => ask(options, texts, within),
      work,
    )

  return {
    model: `${line.model}/${dimensions}`,
    dimensions,
    cosineFloor,
    async embed(texts, { priority = 'document', ...work } = {}) {
      if (priority === 'query') return Promise.all(texts.map((text) => query(text, work)))
      const vectors: Float32Array[] = []
      for (let from = 0; from < texts.length; from += AT_ONCE) {
        const some = texts.slice(from, from + AT_ONCE)
        const end = await documents.take(work.accountId ?? '', work)
        vectors.push(...(await embedSome(some, work).finally(end)))
      }
      return vectors
    },
    close: async () => {},
  }

  /** A copy, so that no caller changes another's. */
  async function query(text: string, work: WorkOptions): Promise<Float32Array> {
    const vector = remembered.get(text) ?? (await embedSome([text], work))[0]!
    remembered.set(text, vector)
    return vector.slice()
  }
}

async function ask(
  { model, dimensions }: EmbedderOptions,
  texts: string[],
  abortSignal: AbortSignal,
): Promise<Called<Float32Array[]>> {
  const { embeddings, usage } = await embedMany({ model, values: texts, maxRetries: 0, abortSignal })
  return {
    value: embeddings.map((embedding) => unitVector(embedding, dimensions, usage.tokens)),
    tokens: Number.isFinite(usage.tokens) ? usage.tokens : undefined,
  }
}

function unitVector(embedding: number[], dimensions: number, tokens: number): Float32Array {
  if (embedding.length !== dimensions)
    throw new UnusableAnswer(`its vectors have ${embedding.length} numbers instead of ${dimensions}`, tokens)
  const length = Math.hypot(...embedding)
  if (!Number.isFinite(length) || length === 0)
    throw new UnusableAnswer('it holds a vector without a direction', tokens)
  return Float32Array.from(embedding, (value) => value / length)
}
