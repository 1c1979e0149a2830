import { Refused, type MedialogError } from '@medialog/client'
import type { ReactNode } from 'react'
import { t } from '../texts/texts.ts'

/** Grey lines where a text will stand. */
export const Loading = ({ lines = 3 }: { lines?: number }) => (
  <div className="loading" role="status">
    <span className="visually-hidden">{t.states.loading}</span>
    {Array.from({ length: lines }, (_, line) => (
      <span key={line} className="bone" />
    ))}
  </div>
)

/** Where a view will stand. */
export const LoadingView = () => (
  <>
    <h1 className="visually-hidden">{t.states.loading}</h1>
    <Loading lines={6} />
  </>
)

export const Empty = ({ title, children }: { title: string; children?: ReactNode }) => (
  <div className="empty">
    <h2>{title}</h2>
    {children}
  </div>
)

/** What went wrong, what one can do, and by what the operator finds it. */
export function Failure({ error, again }: { error: MedialogError; again?: () => void }) {
  const { title, advice } = t.states.refusal(error.code)
  const next = advice ?? (error instanceof Refused ? error.suggestion : undefined)
  return (
    <div className="failure" role="alert">
      <h2>{title}</h2>
      <p>{error.message}</p>
      {next && <p>{next}</p>}
      <p className="soft small">
        <code>{error.code}</code>
        {error instanceof Refused && error.requestId && (
          <>
            {' '}
            · {t.states.request} <code>{error.requestId}</code>
          </>
        )}
      </p>
      {again && (
        <button type="button" className="button" onClick={again}>
          {t.states.again}
        </button>
      )}
    </div>
  )
}

interface Asked<Data> {
  data: Data | undefined
  error: MedialogError | null
  refetch: () => unknown
}

/** The read's data as `children` show it, or why it is not there. */
export function Shown<Data>({
  read: { data, error, refetch },
  lines,
  children,
}: {
  read: Asked<Data>
  lines?: number
  children: (data: Data) => ReactNode
}) {
  if (data !== undefined) return children(data)
  if (error) return <Failure error={error} again={() => void refetch()} />
  return <Loading {...(lines !== undefined && { lines })} />
}
