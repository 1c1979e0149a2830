import type { CloudEvent, MedialogError } from '@medialog/client'
import { useEffect, useState } from 'react'
import { Link } from 'wouter'
import { gatherInto, nameOf, type Feed } from '../data/live.ts'
import { Store, useStore } from '../data/store.ts'
import { CopyAs } from '../parts/copy-as.tsx'
import { Select } from '../parts/select.tsx'
import { Empty, Failure } from '../parts/states.tsx'
import { useTitle } from '../parts/title.ts'
import { dateTime } from '../parts/values.tsx'
import { useSession } from '../session/session.ts'
import { Gist } from './gist.tsx'
import { t } from '../texts/texts.ts'

const MOST_EVENTS = 500
const NO_EVENTS: Feed = { events: [], error: null }

/** The account's events, the last one first: as they happen, and from the beginning where one asks for it. */
export function Events() {
  useTitle(t.live.events)
  const { client, feed } = useSession()
  const [past] = useState(() => new Store<Feed>(NO_EVENTS))
  const [isPast, setPast] = useState(false)
  const [isHeld, setHeld] = useState<Feed | null>(null)
  const [type, setType] = useState('')
  const now = useStore(feed!)
  const then = useStore(past)
  useEffect(() => {
    if (!isPast) return
    const leaving = new AbortController()
    async function read(): Promise<void> {
      past.set(NO_EVENTS)
      const show = gatherInto(past, MOST_EVENTS, leaving.signal)
      for await (const { event } of client.events({ after: 'beginning' }, { signal: leaving.signal }))
        show(event)
    }
    read().catch((error: unknown) => {
      if (!leaving.signal.aborted) past.set({ ...past.get(), error: error as MedialogError })
    })
    return () => leaving.abort()
  }, [isPast, client, past])
  const shown = isHeld ?? (isPast ? then : now)
  const types = [...new Set(shown.events.map(nameOf))].toSorted()
  const events = shown.events.filter((event) => type === '' || nameOf(event) === type).slice(0, MOST_EVENTS)
  return (
    <>
      <div className="toolbar">
        <Select
          label={t.live.type}
          options={[
            { value: '', label: t.live.allTypes },
            ...types.map((name) => ({ value: name, label: t.life.event(name) })),
          ]}
          chosen={type}
          choose={setType}
        />
        <label className="choice">
          <input type="checkbox" checked={isPast} onChange={({ target }) => setPast(target.checked)} />
          {t.live.past}
        </label>
        <button type="button" className="button" onClick={() => setHeld(isHeld ? null : shown)}>
          {isHeld ? t.live.resume : t.live.hold}
        </button>
        <CopyAs id="followEvents" input={isPast ? { after: 'beginning' } : {}} />
        <span className={shown.error || isHeld ? 'pulse still' : 'pulse'} role="status">
          {shown.error ? t.live.ended : isHeld ? t.live.held : t.live.listening}
        </span>
      </div>
      {shown.error && <Failure error={shown.error} />}
      {events.length === 0 ? (
        <Empty title={t.live.quiet}>
          <p>{t.live.quietText}</p>
        </Empty>
      ) : (
        <ol className="events" aria-label={t.live.events}>
          {events.map((event) => (
            <EventLine key={event.id} event={event} />
          ))}
        </ol>
      )}
    </>
  )
}

/** Where the subject of an event can be looked at. */
function hrefOf({ subject }: CloudEvent): string | null {
  if (subject.startsWith('media-')) return `/library/vec-${subject.slice('media-'.length)}/life`
  if (subject.startsWith('batch-')) return `/batches/batch_${subject.slice('batch-'.length)}`
  if (subject.startsWith('ledger-')) return '/billing/ledger'
  return null
}

function EventLine({ event }: { event: CloudEvent }) {
  const href = hrefOf(event)
  return (
    <li>
      <details>
        <summary>
          <time className="soft small" dateTime={event.time}>
            {dateTime(event.time)}
          </time>
          <strong>{t.life.event(nameOf(event))}</strong>
          <span className="gist">
            <Gist event={event} />
          </span>
          <code className="soft">{event.subject}</code>
        </summary>
        <pre className="code" tabIndex={0} aria-label={event.type}>
          {JSON.stringify(event, null, 2)}
        </pre>
        {href !== null && <Link href={href}>{t.live.look}</Link>}
      </details>
    </li>
  )
}
