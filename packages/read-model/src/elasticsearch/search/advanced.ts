import type { AdvancedAnswer, Connection, Reach } from '@medialog/application/ports'
import type { Uuid } from '@medialog/kernel'
import type { QueryWord } from '../../analysis/analyzer.ts'
import { CROSS_MODAL, SEEDS } from '../../search/connection-scorer.ts'
import { edgesOf, expand, type Expansion } from '../../search/expand.ts'
import { boosted } from '../../search/scorer.ts'
import { COLUMNS_ALONE, type Query } from '../query.ts'
import { Connections, type ConnectedBy } from './connections.ts'
import { readHits } from './page.ts'
import { ofMedia, ranked, reaching, type RankedItem, type Ranking } from './ranking.ts'
import { modalityOf } from './selection.ts'

/**
 * Finds directly and over connections. Connections are followed through the whole library, whatever is searched and
 * filtered: those decide what is returned, so that no score depends on them.
 */
export async function findConnected(
  ranking: Ranking,
  words: readonly QueryWord[],
  passing: Query[],
  reach: Reach,
): Promise<AdvancedAnswer> {
  const { library, terms, query } = ranking
  if (terms.passing === 0) return { hits: [], total: 0, distribution: {}, depthReached: 0 }
  const connections = new Connections(library, terms.items)
  const candidatesOf = async (filter: Query[], count: number): Promise<RankedItem[]> =>
    ranking.score(await ranking.candidates(filter, count))
  const all = await candidatesOf(library.living, terms.items)
  const candidates = terms.passing === terms.items ? all : await candidatesOf(passing, terms.passing)
  const { ways, depthReached } = await follow(ranking, connections, reach, all)

  const found = new Map(candidates.map((item) => [item.mediaId, item]))
  const reached = [...ways.values()].filter(({ depth }) => depth > 0)
  for (const item of await passingOf(
    ranking,
    passing,
    reached.map(({ item }) => item),
  ))
    found.set(item.mediaId, { ...item, score: ways.get(item.mediaId)!.score })
  // A modality raises scores at the very end, so that connections lead as far with it as without.
  const raised = await raisedOf(ranking, [...found.values()])
  const { reached: shown, total, distribution } = reaching(raised, query.minScore)
  const best = ranked(shown).slice(0, query.maxResults)
  const shows = await readHits(
    ranking,
    words,
    best.map(({ mediaId }) => mediaId),
  )
  // What was removed meanwhile is not there any more.
  const page = best.filter(({ mediaId }) => shows.has(mediaId))
  const crossModal = await connections.strongest(
    page.map(({ mediaId }) => mediaId),
    { limit: CROSS_MODAL, crossModal: true },
  )
  const hits = page.map(({ mediaId, score }, at) => {
    const way = ways.get(mediaId)
    const path = way ? edgesOf(way).map(connectionOf) : []
    const others = crossModal[at]!.map(connectionOf)
    return { mediaId, score, ...shows.get(mediaId)!, depth: path.length, path, crossModal: others }
  })
  return { hits, total, distribution, depthReached }
}

async function follow(
  ranking: Ranking,
  connections: Connections,
  { contextDepth, expansionFactor }: Reach,
  all: readonly RankedItem[],
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
    for (const item of await passingOf(ranking, ranking.library.living, unknown))
      direct.set(item.mediaId, item.direct)
    return items.map((item) => direct.get(item) ?? 0)
  }
}

/** Those of the items that pass, scored. */
const passingOf = async (ranking: Ranking, passing: Query[], media: readonly Uuid[]): Promise<RankedItem[]> =>
  media.length === 0 ? [] : ranking.score([...passing, ofMedia(ranking.library, media)])

async function raisedOf({ library, query }: Ranking, items: readonly RankedItem[]): Promise<RankedItem[]> {
  const modality = modalityOf(query)
  if (!modality || items.length === 0) return [...items]
  const { type, labels, weight } = modality
  const { hits } = await library.search<never>({
    ...COLUMNS_ALONE,
    size: items.length,
    docvalue_fields: ['media'],
    query: {
      bool: {
        filter: [
          { term: { type } },
          ...labels.map((label) => ({ term: { labels: label } })),
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
    raised.has(item.mediaId) ? { ...item, score: boosted(item.score, weight) } : item,
  )
}

const connectionOf = ({ source, target, relation, strength, shared }: ConnectedBy): Connection => ({
  source,
  target,
  relation,
  strength,
  shared,
})
