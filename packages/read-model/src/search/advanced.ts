import type { AdvancedQuery, Connection } from '@medialog/application/ports'
import type { QueryWord } from '../analysis/analyzer.ts'
import { CROSS_MODAL, MOST_CONNECTIONS, SEEDS } from './connection-scorer.ts'
import { sharedLabels, strongest, type Edge } from './connections.ts'
import { edgesOf, expand, type Expansion, type ExpansionStep } from './expand.ts'
import type { ItemIndex } from './item-index.ts'
import { byMediaId, matchedWords } from './lexical.ts'
import {
  describe,
  directScore,
  reaching,
  scoreCandidates,
  top,
  type Found,
  type FoundItem,
  type Scored,
} from './retrieve.ts'
import { boosted } from './scorer.ts'
import { preferred, everything, select } from './selection.ts'

/** A hit whose passage is still to be read. */
export interface FoundConnected extends FoundItem {
  depth: number
  path: Connection[]
  crossModal: Connection[]
}

export interface FoundAdvanced extends Omit<Found, 'hits'> {
  hits: FoundConnected[]
  depthReached: number
}

/**
 * Finds directly and over connections. Connections are followed through the whole library, whatever is searched and
 * filtered: those decide what is returned, so that no score depends on them.
 */
export function retrieveAdvanced(
  index: ItemIndex,
  query: AdvancedQuery,
  words: readonly QueryWord[],
  placesSearched: ReadonlySet<number> | null,
): FoundAdvanced {
  const selection = select(index, query, placesSearched)
  if (selection.count === 0) return { hits: [], total: 0, places: new Map(), depthReached: 0 }
  // A modality raises scores at the very end, so that connections lead as far with it as without.
  const { modality: _, ...plain } = query
  const passing = selection.items === index.live ? null : scoreCandidates(index, plain, words, selection)
  const all = scoreCandidates(index, plain, words, everything(index))
  const expansion = follow(index, plain, all)

  const { items, scores } = bestOf(passing ?? all, expansion, selection.items)
  const isPreferred = preferred(index, query)
  for (const [place, item] of items.entries())
    if (isPreferred?.(item)) scores[place] = boosted(scores[place]!, query.modality!.weight)
  const { total, places } = reaching(index, query.minScore, items, scores)
  const chosen = top(index, items, scores, Math.min(total, query.maxResults))
  measure(
    all,
    chosen.map((place) => items[place]!),
  )
  const matched = matchedWords(index, words)
  const hits = chosen.map((place) => describe(index, plain, matched, all, items[place]!, scores[place]!))
  const crossModal = crossModalOf(index)
  return {
    hits: hits.map((hit, at) => {
      const item = items[chosen[at]!]!
      const way = expansion.ways.get(item)
      const path = way ? edgesOf(way) : []
      return {
        ...hit,
        depth: path.length,
        path: path.map((edge) => connectionOf(index, edge)),
        crossModal: crossModal(item).map((edge) => connectionOf(index, edge)),
      }
    }),
    total,
    places,
    depthReached: expansion.depthReached,
  }
}

function follow(index: ItemIndex, query: AdvancedQuery, scored: Scored): Expansion<number> {
  const { items, scores } = scored
  const found = scores.reduce((count, score) => (score > 0 ? count + 1 : count), 0)
  const seeds = top(index, items, scores, Math.min(SEEDS, found)).map((place) => ({
    item: items[place]!,
    score: scores[place]!,
  }))
  const branches = Math.ceil(query.expansionFactor)
  const expansion = expand<number, Edge>(seeds, query.contextDepth, branches, byMediaId(index))
  let step = expansion.next()
  while (!step.done) step = expansion.next(answer(step.value))
  return step.value

  function answer({ ask, items }: ExpansionStep<number>): Edge[][] | number[] {
    if (ask === 'connections')
      return items.map((item) => strongest(index, item, index.live, MOST_CONNECTIONS))
    measure(scored, items)
    return items.map((item) => directScore(query, scored, item))
  }
}

/** Computes the items' cosines with the query. */
const measure = ({ asked, columns }: Scored, items: readonly number[]): void =>
  asked.scoreCosines(Uint32Array.from(items), columns)

/** Candidates, and what else was found over connections and passes, with the better of both scores. */
function bestOf(
  candidates: Scored,
  { ways }: Expansion<number>,
  passes: Uint8Array,
): { items: Uint32Array; scores: Float64Array } {
  const best = new Map<number, number>()
  for (const [place, item] of candidates.items.entries()) best.set(item, candidates.scores[place]!)
  for (const { item, score, depth } of ways.values())
    if (depth > 0 && passes[item] === 1) best.set(item, score)
  return { items: Uint32Array.from(best.keys()), scores: Float64Array.from(best.values()) }
}

/** The strongest connections of an item with items of other types. */
function crossModalOf(index: ItemIndex): (item: number) => Edge[] {
  const ofOtherType = new Map<number, Uint8Array>()
  return (item) => {
    const type = index.types[item]!
    let others = ofOtherType.get(type)
    if (!others) {
      others = index.live.slice(0, index.items)
      for (let other = 0; other < others.length; other++) if (index.types[other] === type) others[other] = 0
      ofOtherType.set(type, others)
    }
    return strongest(index, item, others, CROSS_MODAL)
  }
}

const connectionOf = (index: ItemIndex, edge: Edge): Connection => ({
  source: index.mediaIds[edge.source]!,
  target: index.mediaIds[edge.target]!,
  relation: edge.relation,
  strength: edge.strength,
  shared: sharedLabels(index, edge),
})
