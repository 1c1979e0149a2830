import { connectedScore, FRONTIER, LEAST_CONNECTED } from './connection-scorer.ts'
import type { Edge } from './connections.ts'

/** How an item was found: by itself (depth 0, no edge), or over an edge from one found before. */
export interface Way {
  item: number
  score: number
  depth: number
  edge: Edge | null
  before: Way | null
}

export interface Graph {
  /** The item's strongest connections, strongest first. */
  connections(item: number): Edge[]
  /** What each item scores by itself, in their order. */
  direct(items: readonly number[]): ArrayLike<number>
  /** Of two items with the same score: negative where `a` goes first. */
  order(a: number, b: number): number
}

export interface Expansion {
  /** The best way to every item looked at; those at depth 0 are found best by themselves. */
  ways: Map<number, Way>
  /** The deepest level that found something better than it was found before. */
  depthReached: number
}

/**
 * Follows connections from direct matches, level by level. Of each item of a level the `branches` strongest connections
 * are followed that raise what they lead to; what was raised, the best of it, leads on to the next level. An item's
 * score is the best over all its ways, so it depends on the items along its way, not on the order in which they came.
 */
export function expand(
  seeds: readonly { item: number; score: number }[],
  depth: number,
  branches: number,
  graph: Graph,
): Expansion {
  const direct = (item: number, score: number): Way => ({ item, score, depth: 0, edge: null, before: null })
  const best = (ways: Iterable<Way>): Way[] =>
    [...ways].sort((a, b) => b.score - a.score || graph.order(a.item, b.item))
  const ways = new Map(seeds.map(({ item, score }) => [item, direct(item, score)]))
  let frontier = best(ways.values())
  let depthReached = 0
  while (depthReached < depth) {
    const leading = frontier.map((before) => ({ before, edges: graph.connections(before.item) }))
    const unknown = new Set(leading.flatMap(({ edges }) => edges.map(({ target }) => target)))
    for (const item of ways.keys()) unknown.delete(item)
    const scores = graph.direct([...unknown])
    for (const [place, item] of [...unknown].entries()) ways.set(item, direct(item, scores[place]!))

    const raised = new Map<number, Way>()
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
export const edgesOf = (way: Way): Edge[] =>
  way.edge && way.before ? [...edgesOf(way.before), way.edge] : []
