import type { FindSimilarData, FindSimilarInput, SearchInput } from '@medialog/client'
import { Suspense, useMemo, useState } from 'react'
import { Link } from 'wouter'
import type { PaidRequest } from '../data/paid-requests.ts'
import { usePaid } from '../data/paid.ts'
import { usePrice } from '../data/prices.ts'
import { useRead } from '../data/reads.ts'
import { useStore } from '../data/store.ts'
import { CopyAs } from '../parts/copy-as.tsx'
import { lazyPart } from '../parts/lazy-part.ts'
import { PaidButton } from '../parts/paid-button.tsx'
import { Loading } from '../parts/states.tsx'
import { usd } from '../parts/values.tsx'
import { useSession } from '../session/session.ts'
import { t } from '../texts/texts.ts'
import { graphOf, neighboursOf, withSimilar, type Graph } from './graph.ts'

const GraphView = lazyPart(async () => (await import('./graph-view.tsx')).GraphView)

const DEPTHS = [1, 2, 3]

/** Follows connections from what a search finds, once one has seen the price. */
export function Connections({ input }: { input: SearchInput }) {
  const { paid } = useSession()
  const requests = useStore(paid.list)
  const [levels, setLevels] = useState(2)
  const [isHidden, setHidden] = useState(false)
  const asked = DEPTHS.map((depth) => advancedOf(input, depth)).find((each) => paid.find('search', each))
  const advanced = asked ?? advancedOf(input, levels)
  const state = usePaid('search', advanced)?.state
  const found = state?.at === 'done' ? state.data : null
  const graph = useMemo(() => withPaid(graphOf(found?.results ?? []), requests), [found, requests])
  const hasGraph = graph.nodes.size > 0
  return (
    <>
      <p className="soft small" role="status">
        {found && (hasGraph ? t.connections.paid(usd(found.cost)) : t.connections.none)}
      </p>
      {!found && (
        <Offer input={advanced} levels={levels} change={setLevels} isPending={state?.at === 'pending'} />
      )}
      {hasGraph && (
        <section className="connections" aria-label={t.connections.title}>
          {!isHidden && <GraphAndItem graph={graph} />}
          <CopyAs id="search" input={advanced} />
          <button
            type="button"
            className="quiet button"
            aria-expanded={!isHidden}
            onClick={() => setHidden(!isHidden)}
          >
            {isHidden ? t.connections.show : t.connections.hide}
          </button>
        </section>
      )}
    </>
  )
}

interface OfferProps {
  input: SearchInput
  levels: number
  change: (levels: number) => void
  isPending: boolean
}

/** What following connections costs, and how far they are followed. */
function Offer({ input, levels, change, isPending }: OfferProps) {
  const price = usePrice('ADVANCED_SEARCH')
  return (
    <div className="offer">
      <PaidButton
        id="search"
        input={input}
        label={
          price === null
            ? t.connections.follow
            : t.connections.followFor(usd(price), usd(price * (1 + levels)))
        }
        isPriced={price !== null}
        needs={GraphView.load}
      />
      <label title={t.connections.offer}>
        <span className="soft">{t.connections.depth}</span>{' '}
        <select
          className="select"
          value={levels}
          disabled={isPending}
          onChange={({ target }) => change(Number(target.value))}
        >
          {DEPTHS.map((depth) => (
            <option key={depth}>{depth}</option>
          ))}
        </select>
      </label>
    </div>
  )
}

const advancedOf = (input: SearchInput, depth: number): SearchInput => ({
  ...input,
  type: 'advanced',
  config: { ...input.config, context_depth: depth },
})

const SIMILAR = 5

const similarTo = (id: string): FindSimilarInput => ({ media_id: id, max_results: SIMILAR })

/** The graph with what was found similar to its items, in the order in which it was asked for. */
const withPaid = (graph: Graph, requests: readonly PaidRequest[]): Graph =>
  requests.toReversed().reduce((grown, { id, input, state }) => {
    const { media_id: of, max_results: most } = input as FindSimilarInput
    return id === 'findSimilar' && most === SIMILAR && state.at === 'done' && grown.nodes.has(of)
      ? withSimilar(grown, of, (state.data as FindSimilarData).results)
      : grown
  }, graph)

function GraphAndItem({ graph }: { graph: Graph }) {
  const [chosen, setChosen] = useState<string | null>(null)
  return (
    <div className="graph-and-item">
      <Suspense fallback={<Loading />}>
        <GraphView graph={graph} chosen={chosen} choose={setChosen} />
      </Suspense>
      {chosen === null ? (
        <p className="soft">{t.connections.choose}</p>
      ) : (
        <Chosen key={chosen} id={chosen} neighbours={neighboursOf(graph, chosen)} choose={setChosen} />
      )}
    </div>
  )
}

interface ChosenProps {
  id: string
  neighbours: ReturnType<typeof neighboursOf>
  choose: (id: string) => void
}

/** The chosen item with its connections. For a price, similar items are added. */
function Chosen({ id, neighbours, choose }: ChosenProps) {
  const { data } = useRead('readMedia', { media_id: id })
  const price = usePrice('SIMILARITY_SEARCH')
  const similar = usePaid('findSimilar', similarTo(id))
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
      {similar?.state.at !== 'done' && (
        <PaidButton
          id="findSimilar"
          input={similarTo(id)}
          label={price === null ? t.similar.action : t.similar.actionFor(usd(price))}
          isPriced={price !== null}
        />
      )}
    </div>
  )
}
