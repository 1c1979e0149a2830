import type { Uuid } from '@medialog/kernel'
import { paid, type ChargingPorts, type Paid, type Payment } from '../billing/charging.ts'
import { priceLine } from '../billing/prices.ts'
import type { RequestContext } from '../core/context.ts'
import type { Ports } from '../core/ports.ts'
import { queryVectors } from '../embedding/embedders.ts'
import type {
  AdvancedAnswer,
  CatalogItem,
  PreparedSearch,
  AdvancedHit,
  AdvancedQuery,
} from '../ports/index.ts'
import { shown, type ShownConnection } from './connections.ts'
import { explainConnected } from './explain.ts'
import {
  keepAdvanced,
  keepItems,
  keptItems,
  restoreAdvanced,
  type KeptAdvanced,
  type KeptItems,
} from './kept-search.ts'
import { lexicalWeightFor } from './lexical-weight.ts'
import { requireCollections, textQuery, type BasicSearch, type FoundMedia } from './search.ts'

export type AdvancedPorts = ChargingPorts & Pick<Ports, 'catalog' | 'search' | 'embedder' | 'formerEmbedders'>

export interface AdvancedSearch extends BasicSearch, Pick<AdvancedQuery, 'contextDepth' | 'expansionFactor'> {
  idempotencyKey?: string
}

export interface ConnectedMedia {
  hit: AdvancedHit
  item: CatalogItem
  explanation: string
  /** From a direct match to the item. */
  path: ShownConnection[]
  crossModal: ShownConnection[]
}

export interface FoundConnected extends Omit<FoundMedia, 'results'>, Payment {
  results: ConnectedMedia[]
  depthReached: number
}

type Kept = {
  answer: KeptAdvanced
  items: KeptItems
  searched: string[]
  milliseconds: number
  /** Absent in what release 0.1 kept. */
  lexicalWeight?: number
}

/**
 * Search that follows connections. The depth asked for is charged first, the depth reached is what it costs.
 * @throws CollectionNotFound, EngineUnavailable; AccountSuspended, InsufficientFunds, IdempotencyKeyReused,
 *   RequestInProgress, ReplayGone
 */
export async function advancedSearch(
  ports: AdvancedPorts,
  context: RequestContext,
  { idempotencyKey, ...search }: AdvancedSearch,
): Promise<FoundConnected> {
  const { catalog, embedder, settings } = ports
  const { accountId } = context.principal
  const priceOf = (depth: number) => [priceLine(settings.prices, 'ADVANCED_SEARCH', 1 + depth)]

  const weightOf = ({ text, lexicalWeight }: Pick<AdvancedSearch, 'text' | 'lexicalWeight'>): number =>
    lexicalWeightFor(embedder, text, lexicalWeight)

  async function run(prepared: PreparedSearch) {
    const started = performance.now()
    const { text, contextDepth, expansionFactor } = search
    const vectors = await queryVectors(ports, accountId, text, prepared.models)
    const answer = await prepared.advanced(vectors, { contextDepth, expansionFactor })
    const read = await catalog.items(accountId, namedIn(answer))
    const items = new Map(read.map((item) => [item.mediaId, item]))
    return { answer, items, milliseconds: performance.now() - started }
  }

  const outcome = await paid<Omit<FoundConnected, keyof Paid<never>>, Kept>(ports, context, {
    operation: 'search',
    idempotencyKey,
    fields: JSON.parse(JSON.stringify(search)),
    async prepare() {
      const query = textQuery(ports, accountId, search)
      const prepared = await ports.search.prepare(query)
      const searched = requireCollections(search.collections, prepared.collections)
      return {
        most: priceOf(search.contextDepth),
        async work() {
          const { answer, items, milliseconds } = await run(prepared)
          const found = { searched, lexicalWeight: query.lexicalWeight, milliseconds }
          const whole = present(answer, items)
          return {
            value: { ...found, ...whole },
            cost: priceOf(answer.depthReached),
            kept: {
              ...found,
              answer: keepAdvanced({ ...answer, hits: whole.results.map(({ hit }) => hit) }, search.text),
              items: keepItems(items.values()),
            },
          }
        },
      }
    },
    async replay({ answer: kept, items: refs, ...found }) {
      const items = await keptItems(ports, accountId, refs)
      const answer = await restoreAdvanced(ports, accountId, kept, search.text)
      return { lexicalWeight: weightOf(search), ...found, ...present(answer, items) }
    },
  })
  const { value, ...payment } = outcome
  return { ...value, ...payment }
}

/** Every item that the answer speaks of. */
const namedIn = ({ hits }: AdvancedAnswer): Uuid[] => [
  ...new Set(
    hits.flatMap(({ mediaId, path, crossModal }) => [
      mediaId,
      ...[...path, ...crossModal].flatMap(({ source, target }) => [source, target]),
    ]),
  ),
]

/** What was deleted between search and reading is left out, and so is what was found over it. */
function present({ hits, total, distribution, depthReached }: AdvancedAnswer, items: Map<Uuid, CatalogItem>) {
  const results = hits.flatMap((hit): ConnectedMedia[] => {
    const item = items.get(hit.mediaId)
    const path = hit.path.flatMap((connection) => shown(connection, items) ?? [])
    if (!item || path.length < hit.path.length) return []
    const crossModal = hit.crossModal.flatMap((connection) => shown(connection, items) ?? [])
    return [{ hit, item, path, crossModal, explanation: explainConnected(hit, item, path) }]
  })
  return { results, total, distribution, depthReached }
}
