import type { HistoryEntry } from '@medialog/client'
import { useInfiniteQuery } from '@tanstack/react-query'
import type { MedialogError, ReadMediaHistoryData } from '@medialog/client'
import { sumOf } from '../parts/money.ts'
import { Link } from 'wouter'
import { Shown } from '../parts/states.tsx'
import { Amount, Copy, dateTime, number, usd } from '../parts/values.tsx'
import { useSession } from '../session/session.ts'
import { t } from '../texts/texts.ts'

/** Every event of an item in the order of the log, each with its cost. */
export function Life({ mediaId }: { mediaId: string }) {
  const { client } = useSession()
  const read = useInfiniteQuery<ReadMediaHistoryData, MedialogError, HistoryEntry[], string[], number>({
    queryKey: ['readMediaHistory', mediaId, 'pages'],
    queryFn: ({ pageParam, signal }) =>
      client.readMediaHistory({ media_id: mediaId, page: pageParam }, { signal, attempts: Infinity }),
    initialPageParam: 1,
    getNextPageParam: ({ pagination }) => (pagination.has_next ? pagination.page + 1 : null),
    select: ({ pages }) => pages.flatMap(({ entries }) => entries),
  })
  return (
    <section>
      <h2>{t.life.title}</h2>
      <p className="soft">{t.life.lead}</p>
      <Shown read={read} lines={5}>
        {(entries) => (
          <>
            <Timeline entries={entries} />
            {read.hasNextPage ? (
              <button type="button" className="button" onClick={() => void read.fetchNextPage()}>
                {t.life.more}
              </button>
            ) : (
              <p className="total">
                {t.life.cost}{' '}
                <strong>{usd(-sumOf(entries.map(({ posting }) => posting?.amount ?? 0)))}</strong>
              </p>
            )}
          </>
        )}
      </Shown>
    </section>
  )
}

export const Timeline = ({ entries }: { entries: readonly HistoryEntry[] }) => (
  <ol className="timeline">
    {entries.map((entry) => (
      <Entry key={entry.event_id} entry={entry} />
    ))}
  </ol>
)

function Entry({ entry }: { entry: HistoryEntry }) {
  const { at, event, actor, hash, posting, collection, understanding, reason, request_id } = entry
  return (
    <li className={posting ? 'money' : undefined}>
      <div className="event">
        <strong>{t.life.event(event)}</strong>
        {posting && <Amount value={posting.amount} />}
      </div>
      {posting && posting.lines.length > 1 && (
        <ul className="plain soft small">
          {posting.lines.map(({ price, amount }) => (
            <li key={price}>
              {t.billing.price(price)} {usd(Math.abs(amount))}
            </li>
          ))}
        </ul>
      )}
      {understanding?.duration_ms !== undefined && (
        <p className="small">{t.life.took(number(Math.round(understanding.duration_ms) / 1000))}</p>
      )}
      {collection !== undefined && event === 'ItemsMoved' && (
        <p className="small">{t.life.collection(collection)}</p>
      )}
      {reason !== undefined && <p className="small">{reason}</p>}
      <p className="soft small">
        <time dateTime={at}>{dateTime(at)}</time> · {t.life.by(actor)}
        {request_id !== undefined && (
          <>
            {' '}
            · <Link href={`/requests/${request_id}`}>{t.states.request}</Link>
          </>
        )}
      </p>
      <p className="soft small id" title={t.life.hash}>
        <code>{hash.slice(0, 16)}…</code>
        <Copy text={hash} label={t.life.hash} />
      </p>
    </li>
  )
}
