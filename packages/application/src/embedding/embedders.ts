import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Uuid } from '@medialog/kernel'
import type { Dependencies } from '../dependencies.ts'
import type { Embedder, QueryVector } from '../ports/index.ts'
import { unlessAway } from '../unless-away.ts'

type Embedders = Pick<Dependencies, 'embedder' | 'formerEmbedders'>

/** The embedder of that name, configured or former; null where it is not to be had. */
export const embedderOf = async (
  { embedder, formerEmbedders }: Embedders,
  model: string,
): Promise<Embedder | null> => (model === embedder.model ? embedder : formerEmbedders.find(model))

/**
 * A query's text as each embedder has it whose vectors the account's items have, the configured one first: it is
 * compared with nothing but those. A former embedder that fails is left out, so that its items are found by their words
 * alone. Search hears of the words at once, unless the vectors are there at once as well.
 * @throws EngineUnavailable when the configured one fails
 */
export async function queryVectors(
  { catalog, search, ...embedders }: Embedders & Pick<Dependencies, 'catalog' | 'search'>,
  accountId: Uuid,
  text: string,
): Promise<QueryVector[]> {
  const { embedder } = embedders
  const former = async (model: string): Promise<QueryVector | null> => {
    const one = await embedders.formerEmbedders.find(model)
    return one && queryVector(one, accountId, text)
  }
  const formers = async (): Promise<QueryVector[]> => {
    const models = (await catalog.models(accountId)).filter((model) => model !== embedder.model)
    const found = await Promise.all(models.map((model) => unlessAway(former(model))))
    return found.filter((vector) => vector !== null)
  }
  const embedded = Promise.all([queryVector(embedder, accountId, text), formers()])
  const isMaking = await Promise.race([embedded.then(() => false), nextTurn(true)])
  if (isMaking) search.announce(accountId, text)
  const [configured, others] = await embedded
  return [configured, ...others]
}

async function queryVector(embedder: Embedder, accountId: Uuid, text: string): Promise<QueryVector> {
  const [vector] = await embedder.embed([text], { priority: 'query', accountId })
  return { model: embedder.model, vector: vector!, cosineFloor: embedder.cosineFloor }
}
