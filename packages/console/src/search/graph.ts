import type { MediaType, SearchResult, SimilarResult } from '@medialog/client'

export interface Node {
  id: string
  type: MediaType
  name: string
  /** Of the search; null for what was only reached. */
  score: number | null
}

export interface Edge {
  from: string
  to: string
  /** 0 to 1. */
  strength: number
  /** Why the two are connected, in words. */
  why: string
}

export interface Graph {
  nodes: ReadonlyMap<string, Node>
  edges: ReadonlyMap<string, Edge>
}

export const EMPTY: Graph = { nodes: new Map(), edges: new Map() }

/** One edge for two items, whichever way it was found. */
const keyOf = ({ from, to }: Edge): string => [from, to].toSorted().join(' ')

function extended(graph: Graph, nodes: readonly Node[], edges: readonly Edge[]): Graph {
  const known = new Map(graph.nodes)
  for (const node of nodes) {
    known.set(node.id, { ...node, score: node.score ?? known.get(node.id)?.score ?? null })
  }
  const all = new Map([...graph.edges, ...edges.map((edge) => [keyOf(edge), edge] as const)])
  const connected = new Set([...all.values()].flatMap(({ from, to }) => [from, to]))
  return { nodes: new Map([...known].filter(([id]) => connected.has(id))), edges: all }
}

/** The items of an advanced search that are connected: how they were found, and with what they are connected. */
export function graphOf(results: readonly SearchResult[]): Graph {
  const nodes: Node[] = []
  const edges: Edge[] = []
  for (const { media_id, media_type, metadata, score, expansion_path, cross_modal_connections } of results) {
    nodes.push({ id: media_id, type: media_type, name: metadata.file_info.filename, score })
    for (const step of expansion_path) {
      nodes.push({ id: step.source_id, type: step.source_modality, name: step.source_filename, score: null })
      nodes.push({ id: step.target_id, type: step.target_modality, name: step.target_filename, score: null })
      edges.push({
        from: step.source_id,
        to: step.target_id,
        strength: step.strength,
        why: step.relationship_type,
      })
    }
    for (const {
      target_id,
      target_filename,
      target_modality,
      strength,
      relationship_type,
    } of cross_modal_connections) {
      nodes.push({ id: target_id, type: target_modality, name: target_filename, score: null })
      edges.push({ from: media_id, to: target_id, strength, why: relationship_type })
    }
  }
  return extended(EMPTY, nodes, edges)
}

/** The graph with what is similar to one of its items. */
export const withSimilar = (graph: Graph, id: string, results: readonly SimilarResult[]): Graph =>
  extended(
    graph,
    results.map(({ media_id, media_type, metadata }) => ({
      id: media_id,
      type: media_type,
      name: metadata.file_info.filename,
      score: null,
    })),
    results.map(({ media_id, score, similarity_percentage }) => ({
      from: id,
      to: media_id,
      strength: score,
      why: similarity_percentage,
    })),
  )

/** What an item is connected with, the strongest first. */
export const neighboursOf = ({ nodes, edges }: Graph, id: string): { node: Node; edge: Edge }[] =>
  [...edges.values()]
    .filter(({ from, to }) => from === id || to === id)
    .map((edge) => ({ node: nodes.get(edge.from === id ? edge.to : edge.from)!, edge }))
    .toSorted((a, b) => b.edge.strength - a.edge.strength)
