import { DEFAULT_COLLECTION } from '@medialog/domain'
import type { BasicSearch, FoundMedia } from '../application.ts'
import type { RequestContext } from '../context.ts'
import type { Dependencies } from '../dependencies.ts'
import { queryVectors } from '../embedding/embedders.ts'
import { CollectionNotFound } from '../errors.ts'
import type { Catalog } from '../ports/index.ts'
import { explain } from './explain.ts'
import { lexicalWeightFor } from './lexical-weight.ts'

/** Hybrid search over the account's passages. @throws CollectionNotFound, EngineUnavailable */
export async function searchMedia(
  dependencies: Pick<Dependencies, 'catalog' | 'search' | 'embedder' | 'formerEmbedders'>,
  { principal: { accountId } }: RequestContext,
  { text, collections, ...options }: BasicSearch,
): Promise<FoundMedia> {
  const { catalog, search } = dependencies
  const started = performance.now()
  const [searched, vectors] = await Promise.all([
    searchedCollections(catalog, accountId, collections),
    queryVectors(dependencies, accountId, text),
  ])
  const lexicalWeight = lexicalWeightFor(dependencies.embedder, text, options.lexicalWeight)
  const { hits, total, distribution } = await search.search({
    ...options,
    accountId,
    text,
    vectors,
    lexicalWeight,
    collections: collections === 'all' ? null : searched,
  })
  const items = new Map(
    (
      await catalog.items(
        accountId,
        hits.map((hit) => hit.mediaId),
      )
    ).map((item) => [item.mediaId, item]),
  )
  // An item that was deleted between the two reads is simply not there any more.
  const results = hits.flatMap((hit) => {
    const item = items.get(hit.mediaId)
    return item ? [{ hit, item, explanation: explain(hit, item) }] : []
  })
  return { results, lexicalWeight, total, searched, distribution, milliseconds: performance.now() - started }
}

/** The names of what is searched. @throws CollectionNotFound */
export async function searchedCollections(
  catalog: Catalog,
  accountId: string,
  collections: BasicSearch['collections'],
): Promise<string[]> {
  if (collections === 'all') {
    const names = (await catalog.collections(accountId)).map(({ collection }) => collection)
    return [...new Set([DEFAULT_COLLECTION, ...names])]
  }
  for (const name of new Set(collections))
    if (name !== DEFAULT_COLLECTION && !(await catalog.collection(accountId, name)))
      throw new CollectionNotFound(name)
  return [...new Set(collections)]
}
