import { MedialogError, type AskData, type AskInput } from '@medialog/client'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState, type FormEvent } from 'react'
import { Link, useSearchParams } from 'wouter'
import { usePrice } from '../data/prices.ts'
import { useRead } from '../data/reads.ts'
import { CopyAs } from '../parts/copy-as.tsx'
import { Icon } from '../parts/icons.tsx'
import { useTitle } from '../parts/title.ts'
import { number, usd } from '../parts/values.tsx'
import { useSession } from '../session/session.ts'
import { t } from '../texts/texts.ts'
import { piecesOf } from './citations.ts'
import { Problem } from '../parts/problem.tsx'

interface Asked {
  id: number
  input: AskInput
  /** What has arrived so far. */
  text: string
  answer: AskData | null
  error: MedialogError | null
}

/** Questions of this visit, the last one first. `?item=` names the one item that is asked. */
export function Ask() {
  useTitle(t.ask.title)
  const [parameters] = useSearchParams()
  const item = parameters.get('item')
  const { client } = useSession()
  const cache = useQueryClient()
  const [question, setQuestion] = useState('')
  const [asked, setAsked] = useState<readonly Asked[]>([])
  const [isAsking, setAsking] = useState(false)
  const price = usePrice(item === null ? 'LLM_QUERY_' : 'RAG_QUERY')
  const stopping = useRef<AbortController | null>(null)
  useEffect(() => () => stopping.current?.abort(), [])

  async function ask(event: FormEvent): Promise<void> {
    event.preventDefault()
    const query = question.trim()
    if (query === '') return
    const input: AskInput = { query, ...(item !== null && { media_id: item.replace(/^[a-z]+_/, 'vec-') }) }
    const id = Date.now()
    const change = (changes: Partial<Asked>): void =>
      setAsked((list) => list.map((each) => (each.id === id ? { ...each, ...changes } : each)))
    setAsked((list) => [{ id, input, text: '', answer: null, error: null }, ...list])
    setQuestion('')
    setAsking(true)
    stopping.current = new AbortController()
    const { signal } = stopping.current
    try {
      let text = ''
      for await (const piece of client.askInPieces(input, { signal })) {
        if (piece.type === 'delta') change({ text: (text += piece.text) })
        else change({ text: piece.answer.response, answer: piece.answer })
      }
    } catch (error) {
      change({ error: error instanceof MedialogError ? error : new MedialogError('STOPPED', t.ask.stopped) })
    }
    setAsking(false)
    void cache.invalidateQueries({ queryKey: ['readUsage'] })
  }

  return (
    <div className="ask">
      <header className="view-head">
        <h1>{t.ask.title}</h1>
        <Provider />
      </header>
      {item !== null && <AskedItem id={item} />}
      <form onSubmit={(event) => void ask(event)}>
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
            event.currentTarget.form!.requestSubmit()
          }}
        />
        <div className="actions">
          {isAsking ? (
            <button type="button" className="button" onClick={() => stopping.current?.abort()}>
              {t.ask.stop}
            </button>
          ) : (
            <button type="submit" className="primary button" disabled={question.trim() === ''}>
              {price === null ? t.ask.submit : t.ask.submitFor(usd(price))}
            </button>
          )}
        </div>
      </form>
      {asked.map((each) => (
        <Answer key={each.id} asked={each} />
      ))}
    </div>
  )
}

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

function Answer({ asked: { id, input, text, answer, error } }: { asked: Asked }) {
  return (
    <article className="answer" aria-busy={answer === null && error === null}>
      <h2>{input.query}</h2>
      <p className="answer-text" dir="auto" aria-live="polite">
        {piecesOf(text).map((piece, place) =>
          typeof piece === 'string' ? (
            piece
          ) : (
            <a key={place} className="citation" href={`#source-${id}-${piece.source}`}>
              {piece.source}
            </a>
          ),
        )}
        {answer === null && error === null && <span className="soft"> …</span>}
      </p>
      {error && <Problem>{error.message}</Problem>}
      {answer && (
        <>
          {answer.sources.length > 0 && (
            <ol className="sources">
              {answer.sources.map(({ media_id, filename, title, chunk, text: passage }, place) => (
                <li key={place} id={`source-${id}-${place + 1}`}>
                  <Link href={`/library/${media_id}/text?chunk=${chunk}`}>
                    <bdi>{title ?? filename}</bdi>
                  </Link>
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
