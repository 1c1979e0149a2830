import { forceCollide, forceLink, forceManyBody, forceSimulation, forceX, forceY } from 'd3-force'
import type { Graph } from './graph.ts'

export interface Place {
  x: number
  y: number
}

const TICKS = 250

/** Where each item of a graph stands: what is strongly connected stands near. Items that stood somewhere stay about there. */
export function placesOf({ nodes, edges }: Graph, before: ReadonlyMap<string, Place>): Map<string, Place> {
  const bodies = [...nodes.keys()].map((id) => ({ id, ...before.get(id) }))
  const links = [...edges.values()].map(({ from, to, strength }) => ({ source: from, target: to, strength }))
  forceSimulation(bodies)
    .force(
      'link',
      forceLink<(typeof bodies)[number], (typeof links)[number]>(links)
        .id(({ id }) => id)
        .distance(({ strength }) => 150 - 80 * strength)
        .strength(({ strength }) => 0.2 + 0.6 * strength),
    )
    .force('charge', forceManyBody().strength(-260))
    .force('collide', forceCollide(44))
    // A window is wider than it is high.
    .force('x', forceX(0).strength(0.04))
    .force('y', forceY(0).strength(0.09))
    .stop()
    .tick(TICKS)
  return new Map(bodies.map((body) => [body.id, body as Place & { id: string }]))
}
