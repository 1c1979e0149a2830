import { useMemo, useRef } from 'react'
import { t } from '../texts/texts.ts'
import { neighboursOf, type Graph } from './graph.ts'
import { placesOf, type Place } from './layout.ts'

/** Half of the longest name. */
const MARGIN = 95
const LONGEST_NAME = 22

interface Props {
  graph: Graph
  chosen: string | null
  choose: (id: string) => void
}

/** Items and what connects them. Each is a button, so the graph can be walked by keys as well. */
export function GraphView({ graph, chosen, choose }: Props) {
  const before = useRef<ReadonlyMap<string, Place>>(new Map())
  const places = useMemo(() => (before.current = placesOf(graph, before.current)), [graph])
  const near =
    chosen === null ? null : new Set([chosen, ...neighboursOf(graph, chosen).map(({ node }) => node.id)])
  const xs = [...places.values()].map(({ x }) => x)
  const ys = [...places.values()].map(({ y }) => y)
  const [left, top] = [Math.min(...xs) - MARGIN, Math.min(...ys) - MARGIN / 2]
  const box = [left, top, Math.max(...xs) + MARGIN - left, Math.max(...ys) + MARGIN / 2 - top]
  return (
    <svg className="graph" viewBox={box.join(' ')} role="group" aria-label={t.connections.graph}>
      {[...graph.edges.values()].map(({ from, to, strength, why }) => {
        const [a, b] = [places.get(from)!, places.get(to)!]
        const isNear = chosen === null || from === chosen || to === chosen
        return (
          <line
            key={`${from} ${to}`}
            className={isNear ? 'edge' : 'far edge'}
            x1={a.x}
            y1={a.y}
            x2={b.x}
            y2={b.y}
            strokeWidth={1 + 3 * strength}
          >
            <title>{why}</title>
          </line>
        )
      })}
      {[...graph.nodes.values()].map(({ id, type, name, score }) => {
        const { x, y } = places.get(id)!
        const shown = name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME - 1)}…` : name
        return (
          <g
            key={id}
            className={`node ${type}${near && !near.has(id) ? ' far' : ''}`}
            transform={`translate(${x} ${y})`}
            role="button"
            tabIndex={0}
            aria-pressed={id === chosen}
            // With what is seen of it, for who says it to press it.
            aria-label={shown === name ? name : `${shown} ${name}`}
            onClick={() => choose(id)}
            onKeyDown={(event) => {
              if (event.key !== 'Enter' && event.key !== ' ') return
              event.preventDefault()
              choose(id)
            }}
          >
            <rect className="reach" x={-34} y={-22} width={68} height={58} />
            <circle r={9 + 9 * (score ?? 0)} />
            <text y={30}>{shown}</text>
          </g>
        )
      })}
    </svg>
  )
}
