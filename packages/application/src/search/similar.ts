import type { Uuid } from '@medialog/kernel'
import { paid, type Payment } from '../billing/charging.ts'
import { priceLine } from '../billing/prices.ts'
import type { RequestContext } from '../core/context.ts'
import { MediaItemNotFound } from '../core/errors.ts'
import type { Ports } from '../core/ports.ts'
import { unlessAway } from '../core/unless-away.ts'
import { embedderOf } from '../embedding/embedders.ts'
import { findItem } from '../library/find-item.ts'
import {
  collectionsThere,
  type CatalogItem,
  type QueryVector,
  type SimilarAnswer,
  type SimilarQuery,
} from '../ports/index.ts'
import type { AdvancedPorts } from './advanced-search.ts'
import { namedClusters, type Cluster, type SimilarMedia } from './cluster-names.ts'
import { clustersOf } from './clusters.ts'
import { explainSimilarTo } from './explain.ts'
import { keepItems, keptItems, type KeptItems } from './kept-search.ts'
import { requireCollections, type FoundMedia } from './search.ts'

export type SimilarPorts = AdvancedPorts & Pick<Ports, 'understanding'>

export interface SimilarSearch extends Pick<SimilarQuery, 'minScore' | 'maxResults' | 'mediaType'> {
  /** The reference item, in either form. */
  id: string
  collections: 'all' | readonly string[]
  /** Whether the reference is the first of the results. */
  includeReference: boolean
  cluster: boolean
  idempotencyKey?: string
}

export interface FoundSimilar extends Omit<FoundMedia, 'results' | 'lexicalWeight'>, Payment {
  reference: CatalogItem
  results: SimilarMedia[]
  /** Null where none were asked for. */
  clusters: Cluster[] | null
}

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
  ports: SimilarPorts,
  context: RequestContext,
  { idempotencyKey, ...query }: SimilarSearch,
): Promise<FoundSimilar> {
  const { catalog, settings } = ports
  const { accountId } = context.principal
  const cost = [priceLine(settings.prices, 'SIMILARITY_SEARCH')]
  const { value, ...payment } = await paid<Found, Kept>(ports, context, {
    operation: 'similar',
    idempotencyKey,
    fields: JSON.parse(JSON.stringify(query)),
    async prepare() {
      const reference = await findItem(catalog, accountId, query.id)
      const named = query.collections === 'all' ? null : query.collections
      const there = await collectionsThere(catalog, accountId, named)
      const searched = requireCollections(query.collections, there)
      return {
        most: cost,
        mediaId: reference.mediaId,
        async work() {
          const started = performance.now()
          const { hits, ...counts } = await ask(ports, accountId, reference, query, searched)
          const ids = hits.map(({ mediaId }) => mediaId)
          const items = new Map((await catalog.items(accountId, ids)).map((item) => [item.mediaId, item]))
          items.set(reference.mediaId, reference)
          const presented = await present(ports, query, reference, items, hits)
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
      const items = await keptItems(ports, accountId, refs)
      return { ...found, ...(await present(ports, query, items.get(reference)!, items, hits)) }
    },
  })
  return { ...value, ...payment }
}

/** The engine's answer, the reference among it where that was asked for: first, and counted like any other. */
async function ask(
  ports: SimilarPorts,
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
  const answer = await ports.search.similar({
    accountId,
    mediaId,
    ...(await asEmbedded(ports, accountId, mediaId)),
    collections: collections === 'all' ? null : searched,
    minScore,
    maxResults,
    mediaType,
  })
  if (!answer) throw new MediaItemNotFound(id)
  if (!includeReference) return answer
  const { hits, total } = answer
  const distribution = new Map(Object.entries(answer.distribution))
  distribution.set(collection, (distribution.get(collection) ?? 0) + 1)
  return {
    hits: [{ mediaId, score: 1 }, ...hits].slice(0, maxResults),
    total: total + 1,
    distribution: Object.fromEntries(distribution),
  }
}

/** The reference as the embedders of the account's other items have it, which takes as long as embedding it again. */
async function asEmbedded(
  { catalog, understanding, ...embedders }: SimilarPorts,
  accountId: Uuid,
  mediaId: Uuid,
): Promise<Pick<SimilarQuery, 'cosineFloor' | 'others'>> {
  const stored = (await catalog.vectors(accountId, [mediaId], 'combined')).get(mediaId)
  const own = stored && (await embedderOf(embedders, stored.model))
  // Vectors of an embedder that is gone can still be compared with each other: only its floor is not known.
  const { cosineFloor } = own ?? embedders.embedder
  const models = (await catalog.models(accountId)).filter((model) => model !== stored?.model)
  const content = models.length > 0 ? await catalog.content(accountId, mediaId) : null
  if (!content) return { cosineFloor, others: [] }
  const asOther = async (model: string): Promise<QueryVector | null> => {
    const embedder = await embedderOf(embedders, model)
    if (!embedder) return null
    const { combined: vector } = await understanding.embed(content.chunks, { embedder, accountId })
    return { model, vector, cosineFloor: embedder.cosineFloor }
  }
  const others = await Promise.all(models.map((model) => unlessAway(asOther(model))))
  return { cosineFloor, others: others.filter((vector) => vector !== null) }
}

/** What was deleted between search and reading is left out. */
async function present(
  { catalog }: SimilarPorts,
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
