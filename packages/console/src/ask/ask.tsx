import { useEffect, type FormEvent } from 'react'
import { Link, useSearchParams } from 'wouter'
import type { PaidRequest } from '../data/paid-requests.ts'
import { usePrice } from '../data/prices.ts'
import { useRead } from '../data/reads.ts'
import { useStore } from '../data/store.ts'
import { CopyAs } from '../parts/copy-as.tsx'
import { Icon } from '../parts/icons.tsx'
import { useKept } from '../parts/kept.ts'
import { PaidAgain } from '../parts/paid-again.tsx'
import { useTitle } from '../parts/title.ts'
import { number, SaidAt, usd } from '../parts/values.tsx'
import { useSession } from '../session/session.ts'
import { t } from '../texts/texts.ts'
import { piecesOf } from './citations.ts'
import { Problem } from '../parts/problem.tsx'

/** Questions of this visit, the last one first. `?item=` names the one item that is asked. */
export function Ask() {
  useTitle(t.ask.title)
  const [parameters] = useSearchParams()
  const item = parameters.get('item')
  const { paid } = useSession()
  const [question, setQuestion] = useKept('question')
  const asked = useStore(paid.list).filter(isQuestion)
  const underWay = asked.find(({ state }) => state.at === 'pending')
  const price = usePrice(priceOf(item !== null))

  function ask(event: FormEvent): void {
    event.preventDefault()
    const query = question.trim()
    // The list, not what was shown of it: a second press may come before the page is drawn again.
    if (query === '' || paid.list.get().some(({ id, state }) => id === 'ask' && state.at === 'pending'))
      return
    paid.send('ask', { query, ...(item !== null && { media_id: item.replace(/^[a-z]+_/, 'vec-') }) })
    setQuestion('')
  }

  return (
    <div className="ask">
      <header className="view-head">
        <h1>{t.ask.title}</h1>
        <Provider />
      </header>
      {item !== null && <AskedItem id={item} />}
      <form onSubmit={ask}>
        <textarea
          className="search-field"
          rows={2}
          value={question}
          aria-label={t.ask.field}
          placeholder={t.ask.placeholder}
          maxLength={10_000}
          autoFocus
          onChange={({ target }) => setQuestion(target.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || event.shiftKey) return
            event.preventDefault()
            if (!event.repeat) event.currentTarget.form!.requestSubmit()
          }}
        />
        <div className="actions">
          {underWay ? (
            <button type="button" className="button" onClick={() => paid.stop(underWay.key)}>
              {t.ask.stop}
            </button>
          ) : (
            <button type="submit" className="primary button" disabled={question.trim() === ''}>
              {price === null ? t.ask.submit : t.ask.submitFor(usd(price))}
            </button>
          )}
        </div>
      </form>
      {asked.map((request) => (
        <Answer key={request.key} request={request} />
      ))}
    </div>
  )
}

/** Of a question to one item, or to the library. */
const priceOf = (isToItem: boolean): string => (isToItem ? 'RAG_QUERY' : 'LLM_QUERY_')

const isQuestion = (request: PaidRequest): request is PaidRequest<'ask'> => request.id === 'ask'

function AskedItem({ id }: { id: string }) {
  const { data, error } = useRead('readMedia', { media_id: id })
  return (
    <p className="soft">
      {t.ask.only}{' '}
      <Link href={`/library/${id}`}>
        <bdi>{data?.file_info.filename ?? error?.message ?? id}</bdi>
      </Link>{' '}
      · <Link href="/ask">{t.ask.all}</Link>
    </p>
  )
}

/** What writes the answers. */
function Provider() {
  const { data } = useRead('readStatus', {})
  const model = data?.providers.find(({ use }) => use === 'answer')?.model
  return <p className="soft">{data && (model ?? t.ask.offline)}</p>
}

function Answer({ request }: { request: PaidRequest<'ask'> }) {
  const { paid } = useSession()
  const { key, input, state } = request
  const price = usePrice(priceOf(input.media_id !== undefined))
  const answer = state.at === 'done' ? state.data : null
  const isComing = state.at === 'pending' || state.at === 'before'
  const text = answer ? answer.response : 'text' in state ? state.text : ''
  useEffect(() => paid.recall(request))
  return (
    <article className="answer" aria-busy={isComing}>
      <h2>{input.query}</h2>
      <p className="answer-text" dir="auto" aria-live="polite">
        {piecesOf(text).map((piece, place) =>
          typeof piece === 'string' ? (
            piece
          ) : (
            <a key={place} className="citation" href={`#source-${key}-${piece.source}`}>
              {piece.source}
            </a>
          ),
        )}
        {isComing && <span className="soft"> …</span>}
      </p>
      {state.at === 'failed' && (
        <>
          <Problem>{state.error.message}</Problem>
          <button type="button" className="button" onClick={() => paid.send('ask', input)}>
            {t.states.again}
          </button>
        </>
      )}
      {answer && (
        <>
          {answer.sources.length > 0 && (
            <ol className="sources">
              {answer.sources.map(({ media_id, filename, title, chunk, text: passage, time }, place) => (
                <li key={place} id={`source-${key}-${place + 1}`}>
                  <Link href={`/library/${media_id}/text?chunk=${chunk}`}>
                    <bdi>{title ?? filename}</bdi>
                  </Link>{' '}
                  {time && <SaidAt time={time} />}
                  <details>
                    <summary className="soft small">{t.ask.passage}</summary>
                    <p className="small">{passage}</p>
                  </details>
                </li>
              ))}
            </ol>
          )}
          <p className="soft small">
            {t.ask.cost(usd(answer.billing.total_cost), number(answer.billing.usage.processing_time_ms))}{' '}
            {answer.request.disclaimer}
          </p>
          <CopyAs id="ask" input={input} />
          <PaidAgain request={request} label={t.ask.again} price={price} />
        </>
      )}
    </article>
  )
}

export const AskAbout = ({ mediaId }: { mediaId: string }) => (
  <Link href={`/ask?item=${mediaId}`} className="button">
    <Icon name="ask" />
    {t.nav.ask}
  </Link>
)
