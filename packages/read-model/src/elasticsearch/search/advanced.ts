import type { AdvancedAnswer, AdvancedQuery, Connection } from '@medialog/application/ports'
import type { Uuid } from '@medialog/kernel'
import type { QueryWord } from '../../analysis/analyzer.ts'
import { CROSS_MODAL, SEEDS } from '../../search/connection-scorer.ts'
import { edgesOf, expand, type Expansion } from '../../search/expand.ts'
import { boosted } from '../../search/scorer.ts'
import { COLUMNS_ALONE, type Query } from '../query.ts'
import { readAccountTerms } from './account-terms.ts'
import { Connections, type ConnectedBy } from './connections.ts'
import type { Library } from './library.ts'
import { described, hitOf } from './page.ts'
import { ofMedia, ranked, reaching, Scoring, type ScoredItem } from './scoring.ts'
import { preferred, selection } from './selection.ts'

/**
 * Finds by itself and over connections. Connections are followed through the whole library, whatever is searched and
 * filtered: those decide what is returned, so that no score depends on them.
 */
export async function findConnected(
  library: Library,
  query: AdvancedQuery,
  words: readonly QueryWord[],
): Promise<AdvancedAnswer> {
  const passing = selection(library.index, query)
  const terms = await readAccountTerms(library, words, passing)
  if (terms.passing === 0) return { hits: [], total: 0, distribution: {}, depthReached: 0 }
  const scoring = new Scoring(library, query, terms)
  const connections = new Connections(library, terms.items)
  const all = await scoring.candidates(library.living, terms.items)
  const candidates = terms.passing === terms.items ? all : await scoring.candidates(passing, terms.passing)
  const { ways, depthReached } = await follow(scoring, connections, query, all)

  const found = new Map(candidates.map((item) => [item.mediaId, item]))
  const reached = [...ways.values()].filter(({ depth }) => depth > 0)
  for (const item of await passingOf(
    scoring,
    passing,
    reached.map(({ item }) => item),
  ))
    found.set(item.mediaId, { ...item, score: ways.get(item.mediaId)!.score })
  // A modality raises scores at the very end, so that connections lead as far with it as without.
  const raised = await raisedOf(scoring, preferred(query), [...found.values()])
  const { reached: shown, total, distribution } = reaching(raised, query.minScore)
  const page = await described(scoring, words, ranked(shown).slice(0, query.maxResults))
  const crossModal = await connections.strongest(
    page.map(({ mediaId }) => mediaId),
    { limit: CROSS_MODAL, crossModal: true },
  )
  const hits = page.map((item, at) => {
    const way = ways.get(item.mediaId)
    const path = way ? edgesOf(way).map(connectionOf) : []
    const others = crossModal[at]!.map(connectionOf)
    return { ...hitOf(item), depth: path.length, path, crossModal: others }
  })
  return { hits, total, distribution, depthReached }
}

async function follow(
  scoring: Scoring,
  connections: Connections,
  { contextDepth, expansionFactor }: AdvancedQuery,
  all: readonly ScoredItem[],
): Promise<Expansion<Uuid, ConnectedBy>> {
  const direct = new Map(all.map(({ mediaId, direct }) => [mediaId, direct]))
  const seeds = ranked(all.map(({ mediaId, direct }) => ({ mediaId, score: direct })))
    .filter(({ score }) => score > 0)
    .slice(0, SEEDS)
    .map(({ mediaId, score }) => ({ item: mediaId, score }))
  const byId = (a: Uuid, b: Uuid): number => (a < b ? -1 : 1)
  const expansion = expand<Uuid, ConnectedBy>(seeds, contextDepth, Math.ceil(expansionFactor), byId)
  let step = expansion.next()
  while (!step.done) {
    const { ask, items } = step.value
    step = expansion.next(ask === 'connections' ? await connections.strongest(items) : await directOf(items))
  }
  return step.value

  async function directOf(items: readonly Uuid[]): Promise<number[]> {
    const unknown = items.filter((item) => !direct.has(item))
    for (const item of await passingOf(scoring, scoring.library.living, unknown))
      direct.set(item.mediaId, item.direct)
    return items.map((item) => direct.get(item) ?? 0)
  }
}

/** Those of the items that pass, scored. */
const passingOf = async (scoring: Scoring, passing: Query[], media: readonly Uuid[]): Promise<ScoredItem[]> =>
  media.length === 0 ? [] : scoring.score([...passing, ofMedia(scoring.library, media)])

async function raisedOf(
  { library, query }: Scoring,
  isPreferred: Query[] | null,
  items: readonly ScoredItem[],
): Promise<ScoredItem[]> {
  if (!isPreferred || items.length === 0) return [...items]
  const { hits } = await library.search<never>({
    ...COLUMNS_ALONE,
    size: items.length,
    docvalue_fields: ['media'],
    query: {
      bool: {
        filter: [
          ...isPreferred,
          ofMedia(
            library,
            items.map(({ mediaId }) => mediaId),
          ),
        ],
      },
    },
  })
  const raised = new Set(hits.hits.map(({ fields }) => fields!['media'][0] as Uuid))
  return items.map((item) =>
    raised.has(item.mediaId) ? { ...item, score: boosted(item.score, query.modality!.weight) } : item,
  )
}

const connectionOf = ({ source, target, relation, strength, shared }: ConnectedBy): Connection => ({
  source,
  target,
  relation,
  strength,
  shared,
})
