import type { Embedder, FormerEmbedders } from '@medialog/application/ports'
import { createEmbedder, type EmbedderOptions, type LocalEmbedder } from './embedder.ts'
import { vectorsName, type EmbeddingModel } from './model.ts'
import { RUNTIMES } from './runtimes.ts'

interface FormerEmbeddersOptions extends Pick<EmbedderOptions, 'workers' | 'idleMs'> {
  /** Those that are here, on whichever runtime they ran. */
  models: readonly EmbeddingModel[]
  /** Embedders that are open anyway, which are not opened twice; they belong to the caller. */
  opened?: readonly Embedder[]
  /** Hears once of each that could not be opened. */
  onUnusable?: (model: string, error: unknown) => void
}

/** Embedders over models that are here, each opened when it is first asked for. */
export function createFormerEmbedders({
  models,
  opened = [],
  onUnusable = () => undefined,
  ...options
}: FormerEmbeddersOptions): FormerEmbedders {
  const found = new Map<string, Promise<LocalEmbedder | null>>()

  async function open(name: string): Promise<LocalEmbedder | null> {
    for (const model of models)
      for (const runtime of RUNTIMES)
        if (vectorsName(model, runtime) === name)
          try {
            return await createEmbedder({ ...options, model, runtime })
          } catch (error) {
            onUnusable(name, error)
          }
    return null
  }

  return {
    async find(name) {
      const known = opened.find(({ model }) => model === name)
      if (known) return known
      const opening = found.get(name) ?? open(name)
      found.set(name, opening)
      return opening
    },
    async close() {
      await Promise.all([...found.values()].map(async (one) => (await one)?.close()))
    },
  }
}
