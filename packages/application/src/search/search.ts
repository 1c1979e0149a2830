import type { Uuid } from '@medialog/kernel'
import type { RequestContext } from '../core/context.ts'
import { CollectionNotFound } from '../core/errors.ts'
import type { Ports } from '../core/ports.ts'
import { queryVectors } from '../embedding/embedders.ts'
import type {
  CatalogItem,
  PreparedSearch,
  QueryVector,
  SearchHit,
  SearchQuery,
  TextQuery,
} from '../ports/index.ts'
import { explain } from './explain.ts'
import { lexicalWeightFor } from './lexical-weight.ts'

export interface BasicSearch extends Pick<
  SearchQuery,
  'lexicalWeight' | 'minScore' | 'maxResults' | 'filters' | 'modality'
> {
  text: string
  /** `all`, or names that must exist (`default` always does). */
  collections: 'all' | readonly string[]
}

export interface FoundMedia {
  results: { hit: SearchHit; item: CatalogItem; explanation: string }[]
  /** Of words in a score, 0 to 1, for this query; meaning has the rest. */
  lexicalWeight: number
  total: number
  searched: string[]
  distribution: { [collection: string]: number }
  milliseconds: number
}

/** Hybrid search over the account's passages. @throws CollectionNotFound, EngineUnavailable */
export async function searchMedia(
  ports: Pick<Ports, 'search' | 'embedder' | 'formerEmbedders'>,
  { principal: { accountId } }: RequestContext,
  search: BasicSearch,
): Promise<FoundMedia> {
  const started = performance.now()
  const query = textQuery(ports, accountId, search)
  const [prepared, vectors] = await prepareQuery(ports, query)
  const searched = requireCollections(search.collections, prepared.collections)
  const { hits, total, distribution } = await prepared.search(vectors)
  const results = hits.map(({ item, ...hit }) => ({ hit, item, explanation: explain(hit, item) }))
  const { lexicalWeight } = query
  return { results, lexicalWeight, total, searched, distribution, milliseconds: performance.now() - started }
}

/** What an engine is asked for a search. */
export const textQuery = (
  { embedder }: Pick<Ports, 'embedder'>,
  accountId: Uuid,
  { text, collections, lexicalWeight, minScore, maxResults, filters, modality }: BasicSearch,
): TextQuery => ({
  accountId,
  text,
  collections: collections === 'all' ? null : collections,
  lexicalWeight: lexicalWeightFor(embedder, text, lexicalWeight),
  minScore,
  maxResults,
  filters,
  ...(modality && { modality }),
})

/** Begins a query and makes its vectors meanwhile. */
export async function prepareQuery(
  ports: Pick<Ports, 'search' | 'embedder' | 'formerEmbedders'>,
  query: TextQuery,
): Promise<[PreparedSearch, QueryVector[]]> {
  const preparing = ports.search.prepare(query)
  const models = preparing.then((prepared) => prepared.models)
  return Promise.all([preparing, queryVectors(ports, query.accountId, query.text, models)])
}

/** The names of what is searched, where these are there. @throws CollectionNotFound */
export function requireCollections(asked: BasicSearch['collections'], there: readonly string[]): string[] {
  if (asked !== 'all') for (const name of asked) if (!there.includes(name)) throw new CollectionNotFound(name)
  return [...there]
}
