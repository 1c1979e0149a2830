import { counted } from '@medialog/kernel'
import type { Ports } from '../core/ports.ts'
import type { EmbeddingCount } from '../ports/index.ts'
import { embedderOf } from './embedders.ts'

export interface EmbeddingStatus {
  /** The embedder that is configured, see Embedder. */
  model: string
  dimensions: number
  cosineFloor: number
  /** What is stored, by the embedder of its vectors; `words`: no available embedder can compare a query with those. */
  models: (EmbeddingCount & { foundBy: 'meaning' | 'words' })[]
  /** Items with vectors of another embedder than the configured one. */
  pending: number
}

type Asked = Pick<Ports, 'catalog' | 'embedder' | 'formerEmbedders'>

/** What is stored of which embedder. */
export async function embeddingStatus({ catalog, ...embedders }: Asked): Promise<EmbeddingStatus> {
  const { model, dimensions, cosineFloor } = embedders.embedder
  const counts = await catalog.embeddings()
  const models = await Promise.all(
    counts.map(async (count) => ({
      ...count,
      foundBy: (await embedderOf(embedders, count.model)) ? ('meaning' as const) : ('words' as const),
    })),
  )
  const pending = counts.reduce((sum, count) => sum + (count.model === model ? 0 : count.items), 0)
  return { model, dimensions, cosineFloor, models, pending }
}

const HOW = { meaning: 'those', words: 'their words alone' }

/** A sentence for every embedder that is not the configured one, and what to do about it. */
export const embeddingProblems = ({ model, models }: EmbeddingStatus): string[] =>
  models
    .filter((one) => one.model !== model)
    .map(
      (one) =>
        `${counted(one.items, 'item has', 'items have')} vectors of ${one.model}, not of ${model}: found by ${HOW[one.foundBy]} until \`medialog embeddings migrate\` has embedded them again`,
    )
