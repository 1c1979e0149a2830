import { connectedScore, FRONTIER, LEAST_CONNECTED } from './connection-scorer.ts'
import type { Edge } from './connections.ts'

/** How an item was found: directly (depth 0, no edge), or over an edge from one found before. */
export interface Way<Item, Of extends Edge<Item> = Edge<Item>> {
  item: Item
  score: number
  depth: number
  edge: Of | null
  before: Way<Item, Of> | null
}

/** What is asked of an engine on the way: answered item by item, in their order. */
export type ExpansionStep<Item> =
  /** Each item's strongest connections, strongest first. */
  | { ask: 'connections'; items: readonly Item[] }
  /** The direct score of each. */
  | { ask: 'direct'; items: readonly Item[] }
type StepAnswer<Item, Of extends Edge<Item>> = readonly (readonly Of[])[] | ArrayLike<number>

export interface Expansion<Item, Of extends Edge<Item> = Edge<Item>> {
  /** The best way to every item looked at; those at depth 0 are found best by themselves. */
  ways: Map<Item, Way<Item, Of>>
  /** The deepest level that found something better than it was found before. */
  depthReached: number
}

/**
 * Follows connections from direct matches, level by level. Of each item of a level the `branches` strongest connections
 * are followed that raise what they lead to; what was raised, the best of it, leads on to the next level. An item's
 * score is the best over all its ways, so it depends on the items along its way, not on the order in which they came.
 * A generator, so that an engine that answers at once and one that answers later follow them alike.
 * `order`: of two items with the same score, negative where `a` goes first.
 */
export function* expand<Item, Of extends Edge<Item>>(
  seeds: readonly { item: Item; score: number }[],
  depth: number,
  branches: number,
  order: (a: Item, b: Item) => number,
): Generator<ExpansionStep<Item>, Expansion<Item, Of>, StepAnswer<Item, Of>> {
  type Found = Way<Item, Of>
  const direct = (item: Item, score: number): Found => ({ item, score, depth: 0, edge: null, before: null })
  const best = (ways: Iterable<Found>): Found[] =>
    [...ways].sort((a, b) => b.score - a.score || order(a.item, b.item))
  const ways = new Map(seeds.map(({ item, score }) => [item, direct(item, score)]))
  let frontier = best(ways.values())
  let depthReached = 0
  while (depthReached < depth) {
    const edges = (yield { ask: 'connections', items: frontier.map(({ item }) => item) }) as Of[][]
    const leading = frontier.map((before, place) => ({ before, edges: edges[place]! }))
    const unknown = new Set(leading.flatMap(({ edges }) => edges.map(({ target }) => target)))
    for (const item of ways.keys()) unknown.delete(item)
    const scores = (yield { ask: 'direct', items: [...unknown] }) as ArrayLike<number>
    for (const [place, item] of [...unknown].entries()) ways.set(item, direct(item, scores[place]!))

    const raised = new Map<Item, Found>()
    for (const { before, edges } of leading) {
      let followed = 0
      for (const edge of edges) {
        if (followed === branches) break
        const score = connectedScore(before.score, edge.strength)
        if (score < LEAST_CONNECTED || score <= ways.get(edge.target)!.score) continue
        followed++
        const rival = raised.get(edge.target)
        if (!rival || score > rival.score)
          raised.set(edge.target, { item: edge.target, score, depth: depthReached + 1, edge, before })
      }
    }
    if (raised.size === 0) break
    for (const [item, way] of raised) ways.set(item, way)
    frontier = best(raised.values()).slice(0, FRONTIER)
    depthReached++
  }
  return { ways, depthReached }
}

/** The edges of a way from its direct match on. */
export const edgesOf = <Item, Of extends Edge<Item>>(way: Way<Item, Of>): Of[] =>
  way.edge && way.before ? [...edgesOf(way.before), way.edge] : []
