import type { Uuid } from '@medialog/kernel'
import type { FoundSimilar, Payment, SimilarMedia, SimilarSearch } from '../application.ts'
import { paid } from '../charging.ts'
import type { RequestContext } from '../context.ts'
import type { Dependencies } from '../dependencies.ts'
import { MediaItemNotFound } from '../errors.ts'
import type { CatalogItem, SimilarAnswer } from '../ports/index.ts'
import { priceLine } from '../prices.ts'
import { namedClusters } from './cluster-names.ts'
import { clustersOf } from './clusters.ts'
import { explainSimilarTo } from './explain.ts'
import { findItem } from './find-item.ts'
import { keepItems, keptItems, type KeptItems } from './kept-search.ts'
import { searchedCollections } from './search.ts'

type Kept = {
  reference: Uuid
  hits: { mediaId: Uuid; score: number }[]
  total: number
  distribution: { [collection: string]: number }
  items: KeptItems
  searched: string[]
  milliseconds: number
}

type Found = Omit<FoundSimilar, keyof Payment>

/**
 * What is similar to one item in content, wherever it is.
 * @throws MediaItemNotFound, CollectionNotFound, EngineUnavailable; AccountSuspended, InsufficientFunds,
 *   IdempotencyKeyReused, RequestInProgress, ReplayGone
 */
export async function similarMedia(
  dependencies: Dependencies,
  context: RequestContext,
  { idempotencyKey, ...query }: SimilarSearch,
): Promise<FoundSimilar> {
  const { catalog, settings } = dependencies
  const { accountId } = context.principal
  const cost = [priceLine(settings.prices, 'SIMILARITY_SEARCH')]
  const { value, ...payment } = await paid<Found, Kept>(dependencies, context, {
    operation: 'similar',
    idempotencyKey,
    fields: JSON.parse(JSON.stringify(query)),
    async prepare() {
      const reference = await findItem(catalog, accountId, query.id)
      const searched = await searchedCollections(catalog, accountId, query.collections)
      return {
        most: cost,
        mediaId: reference.mediaId,
        async work() {
          const started = performance.now()
          const { hits, ...counts } = await ask(dependencies, accountId, reference, query, searched)
          const ids = hits.map(({ mediaId }) => mediaId)
          const items = new Map((await catalog.items(accountId, ids)).map((item) => [item.mediaId, item]))
          items.set(reference.mediaId, reference)
          const presented = await present(dependencies, query, reference, items, hits)
          const found = { ...counts, searched, milliseconds: performance.now() - started }
          const kept = {
            ...found,
            reference: reference.mediaId,
            hits: hits.filter(({ mediaId }) => items.has(mediaId)),
            items: keepItems(items.values()),
          }
          return { value: { ...found, ...presented }, cost, kept }
        },
      }
    },
    async replay({ reference, hits, items: refs, ...found }) {
      const items = await keptItems(dependencies, accountId, refs)
      return { ...found, ...(await present(dependencies, query, items.get(reference)!, items, hits)) }
    },
  })
  return { ...value, ...payment }
}

/** The engine's answer, the reference among it where that was asked for: first, and counted like any other. */
async function ask(
  { search, embedder }: Dependencies,
  accountId: Uuid,
  { mediaId, collection }: CatalogItem,
  {
    id,
    collections,
    minScore,
    maxResults,
    mediaType,
    includeReference,
  }: Omit<SimilarSearch, 'idempotencyKey'>,
  searched: readonly string[],
): Promise<SimilarAnswer> {
  const answer = await search.similar({
    accountId,
    mediaId,
    dimensions: embedder.dimensions,
    cosineFloor: embedder.cosineFloor,
    collections: collections === 'all' ? null : searched,
    minScore,
    maxResults,
    mediaType,
  })
  if (!answer) throw new MediaItemNotFound(id)
  if (!includeReference) return answer
  const { hits, total, distribution } = answer
  return {
    hits: [{ mediaId, score: 1 }, ...hits].slice(0, maxResults),
    total: total + 1,
    distribution: { ...distribution, [collection]: (distribution[collection] ?? 0) + 1 },
  }
}

/** What was deleted between search and reading is left out. */
async function present(
  { catalog }: Dependencies,
  { cluster }: Omit<SimilarSearch, 'idempotencyKey'>,
  reference: CatalogItem,
  items: ReadonlyMap<Uuid, CatalogItem>,
  hits: SimilarAnswer['hits'],
): Promise<Pick<FoundSimilar, 'reference' | 'results' | 'clusters'>> {
  const explain = explainSimilarTo(reference)
  const results = hits.flatMap(({ mediaId, score }): SimilarMedia[] => {
    const item = items.get(mediaId)
    return item ? [{ item, score, explanation: explain(score, item) }] : []
  })
  if (!cluster) return { reference, results, clusters: null }
  const ids = results.map(({ item }) => item.mediaId)
  const vectors = await catalog.vectors(reference.accountId, ids, 'combined')
  const placed = results.filter(({ item }) => vectors.has(item.mediaId))
  const groups = clustersOf(placed.map(({ item }) => vectors.get(item.mediaId)!.short))
  return {
    reference,
    results: placed,
    clusters: namedClusters(groups.map((group) => group.map((place) => placed[place]!))),
  }
}
