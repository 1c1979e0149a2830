import type { BasicSearch, FoundMedia } from '../application.ts'
import type { RequestContext } from '../core/context.ts'
import type { Dependencies } from '../dependencies.ts'
import { queryVectors } from '../embedding/embedders.ts'
import { CollectionNotFound } from '../core/errors.ts'
import type { PreparedSearch, QueryVector, Search } from '../ports/index.ts'
import { explain } from './explain.ts'
import { lexicalWeightFor } from './lexical-weight.ts'

/** Hybrid search over the account's passages. @throws CollectionNotFound, EngineUnavailable */
export async function searchMedia(
  dependencies: Pick<Dependencies, 'search' | 'embedder' | 'formerEmbedders'>,
  { principal: { accountId } }: RequestContext,
  { text, collections, ...options }: BasicSearch,
): Promise<FoundMedia> {
  const started = performance.now()
  const lexicalWeight = lexicalWeightFor(dependencies.embedder, text, options.lexicalWeight)
  const [prepared, vectors] = await prepareQuery(dependencies, {
    ...options,
    accountId,
    text,
    lexicalWeight,
    collections: collections === 'all' ? null : collections,
  })
  const searched = requireCollections(collections, prepared.collections)
  const { hits, total, distribution } = await prepared.search(vectors)
  const results = hits.map(({ item, ...hit }) => ({ hit, item, explanation: explain(hit, item) }))
  return { results, lexicalWeight, total, searched, distribution, milliseconds: performance.now() - started }
}

/** Begins a query and makes its vectors meanwhile. */
export async function prepareQuery(
  dependencies: Pick<Dependencies, 'search' | 'embedder' | 'formerEmbedders'>,
  query: Parameters<Search['prepare']>[0],
): Promise<[PreparedSearch, QueryVector[]]> {
  const preparing = dependencies.search.prepare(query)
  const models = preparing.then((prepared) => prepared.models)
  return Promise.all([preparing, queryVectors(dependencies, query.accountId, query.text, models)])
}

/** The names of what is searched, where these are there. @throws CollectionNotFound */
export function requireCollections(asked: BasicSearch['collections'], there: readonly string[]): string[] {
  if (asked !== 'all') for (const name of asked) if (!there.includes(name)) throw new CollectionNotFound(name)
  return [...there]
}
