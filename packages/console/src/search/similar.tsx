import type { FindSimilarData, FindSimilarInput } from '@medialog/client'
import { Link } from 'wouter'
import { usePaid } from '../data/paid.ts'
import { usePrice } from '../data/prices.ts'
import { useRead } from '../data/reads.ts'
import { TypeMark } from '../library/item-list.tsx'
import { CopyAs } from '../parts/copy-as.tsx'
import { Empty, Shown } from '../parts/states.tsx'
import { useTitle } from '../parts/title.ts'
import { usd } from '../parts/values.tsx'
import { t } from '../texts/texts.ts'
import { PaidAgain } from '../parts/paid-again.tsx'
import { PaidButton } from '../parts/paid-button.tsx'
import { Back } from '../parts/back.tsx'

const MOST = 40

/** What is similar to an item, in groups that have names; asked for once one has seen the price. */
export function Similar({ mediaId }: { mediaId: string }) {
  useTitle(t.similar.title)
  const read = useRead('readMedia', { media_id: mediaId })
  const price = usePrice('SIMILARITY_SEARCH')
  const input: FindSimilarInput = { media_id: mediaId, cluster: true, max_results: MOST }
  const state = usePaid('findSimilar', input)?.state
  return (
    <>
      <Back to={`/library/${mediaId}`}>
        <bdi>{read.data?.file_info.filename ?? t.item.title}</bdi>
      </Back>
      <header className="view-head">
        <h1>{t.similar.title}</h1>
      </header>
      {state?.at === 'done' ? (
        <>
          <Clusters found={state.data} />
          <PaidAgain request={{ id: 'findSimilar', input }} label={t.similar.again} price={price} />
        </>
      ) : (
        <Shown read={read}>
          {() => (
            <div className="offer">
              <PaidButton
                id="findSimilar"
                input={input}
                className="primary button"
                label={price === null ? t.similar.action : t.similar.actionFor(usd(price))}
                isPriced={price !== null}
              />
              <CopyAs id="findSimilar" input={input} />
            </div>
          )}
        </Shown>
      )}
    </>
  )
}

function Clusters({ found: { results, relationships } }: { found: FindSimilarData }) {
  if (results.length === 0) return <Empty title={t.similar.none} />
  const byId = new Map(results.map((result) => [result.media_id, result]))
  return Object.entries(relationships?.clusters.clusters ?? {}).map(([name, members]) => (
    <section key={name} className="cluster">
      <h2>{name}</h2>
      <ul className="rows">
        {members.map((id) => {
          const { media_id, media_type, metadata, score, relevance_explanation } = byId.get(id)!
          return (
            <li key={media_id}>
              <Link href={`/library/${media_id}`} className="similar-row" title={relevance_explanation}>
                <TypeMark type={media_type} />
                <span className="what">
                  <bdi className="filename">{metadata.file_info.filename}</bdi>
                  <span className="soft small summary">{metadata.search_metadata.summary}</span>
                </span>
                <span className="number">{Math.round(score * 100)}</span>
              </Link>
            </li>
          )
        })}
      </ul>
    </section>
  ))
}
