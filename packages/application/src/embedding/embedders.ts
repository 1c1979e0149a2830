import type { Uuid } from '@medialog/kernel'
import type { Ports } from '../core/ports.ts'
import { unlessAway } from '../core/unless-away.ts'
import type { Embedder, QueryVector } from '../ports/index.ts'

type Embedders = Pick<Ports, 'embedder' | 'formerEmbedders'>

/** The embedder of that name, configured or former; null where it is not available. */
export const embedderOf = async (
  { embedder, formerEmbedders }: Embedders,
  model: string,
): Promise<Embedder | null> => (model === embedder.model ? embedder : formerEmbedders.find(model))

/**
 * A query's text as the configured embedder has it, and as each of those has it that `models` names. A former embedder that
 * fails is left out, so that its items are found by their words alone.
 * @throws EngineUnavailable when the configured one fails
 */
export async function queryVectors(
  embedders: Embedders,
  accountId: Uuid,
  text: string,
  models: readonly string[] | Promise<readonly string[]>,
): Promise<QueryVector[]> {
  const { embedder } = embedders
  const former = async (model: string): Promise<QueryVector | null> => {
    const one = await embedders.formerEmbedders.find(model)
    return one && queryVector(one, accountId, text)
  }
  const formers = async (): Promise<QueryVector[]> => {
    const others = (await models).filter((model) => model !== embedder.model)
    const found = await Promise.all(others.map((model) => unlessAway(former(model))))
    return found.filter((vector) => vector !== null)
  }
  const [configured, others] = await Promise.all([queryVector(embedder, accountId, text), formers()])
  return [configured, ...others]
}

async function queryVector(embedder: Embedder, accountId: Uuid, text: string): Promise<QueryVector> {
  const [vector] = await embedder.embed([text], { priority: 'query', accountId })
  return { model: embedder.model, vector: vector!, cosineFloor: embedder.cosineFloor }
}
