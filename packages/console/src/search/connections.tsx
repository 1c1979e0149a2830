import type { SearchInput } from '@medialog/client'
import { lazy, Suspense, useState } from 'react'
import { Link } from 'wouter'
import { usePaid } from '../data/paid.ts'
import { usePrice } from '../data/prices.ts'
import { useRead } from '../data/reads.ts'
import { CopyAs } from '../parts/copy-as.tsx'
import { Loading } from '../parts/states.tsx'
import { usd } from '../parts/values.tsx'
import { t } from '../texts/texts.ts'
import { EMPTY, graphOf, neighboursOf, withSimilar } from './graph.ts'
import { Problem } from '../parts/problem.tsx'

const GraphView = lazy(() => import('./graph-view.tsx'))

const DEPTHS = [1, 2, 3]

/** Follows connections from what a search finds, once one has seen the price. */
export function Connections({ input }: { input: SearchInput }) {
  const [depth, setDepth] = useState(2)
  const [graph, setGraph] = useState(EMPTY)
  const [chosen, setChosen] = useState<string | null>(null)
  const price = usePrice('ADVANCED_SEARCH')
  const follow = usePaid('search')
  const advanced: SearchInput = {
    ...input,
    type: 'advanced',
    config: { ...input.config, context_depth: depth },
  }
  if (graph.nodes.size === 0)
    return (
      <div className="offer">
        <button
          type="button"
          className="button"
          disabled={follow.isPending || price === null}
          onClick={() => follow.mutate(advanced, { onSuccess: ({ results }) => setGraph(graphOf(results)) })}
        >
          {price === null
            ? t.connections.follow
            : t.connections.followFor(usd(price), usd(price * (1 + depth)))}
        </button>
        <label title={t.connections.offer}>
          <span className="soft">{t.connections.depth}</span>{' '}
          <select className="select" value={depth} onChange={({ target }) => setDepth(Number(target.value))}>
            {DEPTHS.map((levels) => (
              <option key={levels}>{levels}</option>
            ))}
          </select>
        </label>
        <Problem>{follow.error?.message}</Problem>
        {follow.data && <p role="status">{t.connections.none}</p>}
      </div>
    )
  return (
    <section className="connections" aria-label={t.connections.title}>
      <p className="soft small" role="status">
        {t.connections.paid(usd(follow.data!.cost))}
      </p>
      <div className="graph-and-item">
        <Suspense fallback={<Loading />}>
          <GraphView graph={graph} chosen={chosen} choose={setChosen} />
        </Suspense>
        {chosen === null ? (
          <p className="soft">{t.connections.choose}</p>
        ) : (
          <Chosen
            key={chosen}
            id={chosen}
            neighbours={neighboursOf(graph, chosen)}
            choose={setChosen}
            add={(results) => setGraph(withSimilar(graph, chosen, results))}
          />
        )}
      </div>
      <CopyAs id="search" input={advanced} />
      <button type="button" className="quiet button" onClick={() => setGraph(EMPTY)}>
        {t.connections.hide}
      </button>
    </section>
  )
}

interface ChosenProps {
  id: string
  neighbours: ReturnType<typeof neighboursOf>
  choose: (id: string) => void
  add: (results: Parameters<typeof withSimilar>[2]) => void
}

/** The chosen item with its connections. For a price, similar items are added. */
function Chosen({ id, neighbours, choose, add }: ChosenProps) {
  const { data } = useRead('readMedia', { media_id: id })
  const price = usePrice('SIMILARITY_SEARCH')
  const similar = usePaid('findSimilar')
  return (
    <div className="chosen">
      <h2>
        <Link href={`/library/${id}`}>
          <bdi>{data?.file_info.filename ?? id}</bdi>
        </Link>
      </h2>
      <p className="soft small">{data?.metadata?.search.summary}</p>
      <ul>
        {neighbours.map(({ node, edge }) => (
          <li key={node.id}>
            <button type="button" className="link" onClick={() => choose(node.id)}>
              <bdi>{node.name}</bdi>
            </button>{' '}
            <span className="soft small">{edge.why}</span>
          </li>
        ))}
      </ul>
      <button
        type="button"
        className="button"
        disabled={similar.isPending || price === null}
        onClick={() =>
          similar.mutate({ media_id: id, max_results: 5 }, { onSuccess: ({ results }) => add(results) })
        }
      >
        {price === null ? t.similar.action : t.similar.actionFor(usd(price))}
      </button>
      <Problem>{similar.error?.message}</Problem>
    </div>
  )
}
