import { Link } from 'wouter'
import { useRead } from '../data/reads.ts'
import { CopyAs } from '../parts/copy-as.tsx'
import { Figure } from '../parts/figure.tsx'
import { Timeline } from '../library/life.tsx'
import { Shown } from '../parts/states.tsx'
import { useTitle } from '../parts/title.ts'
import { Id, usd } from '../parts/values.tsx'
import { t } from '../texts/texts.ts'
import { Back } from '../parts/back.tsx'

/** What one request did: its events, the items it was about, and its cost. */
export function RequestView({ requestId }: { requestId: string }) {
  useTitle(t.request.title)
  const input = { request_id: requestId, page_size: 1000 }
  const read = useRead('readRequest', input)
  return (
    <>
      <Back to="/billing/ledger">{t.billing.title}</Back>
      <header className="view-head">
        <h1>{t.request.title}</h1>
        <div className="actions">
          <CopyAs id="readRequest" input={input} />
        </div>
      </header>
      <Id value={requestId} />
      <Shown read={read} lines={5}>
        {({ charged, refunded, items, entries }) => (
          <>
            <dl className="figures request-figures">
              <Figure name={t.billing.charged}>{usd(charged)}</Figure>
              <Figure name={t.billing.refunded}>{usd(refunded)}</Figure>
            </dl>
            {items.length > 0 && (
              <ul className="words">
                {items.map(({ media_id, filename, state }) => (
                  <li key={media_id}>
                    {state === 'stored' ? (
                      <Link href={`/library/${media_id}`}>
                        <bdi>{filename ?? media_id}</bdi>
                      </Link>
                    ) : (
                      media_id
                    )}
                  </li>
                ))}
              </ul>
            )}
            <Timeline entries={entries} />
          </>
        )}
      </Shown>
    </>
  )
}
