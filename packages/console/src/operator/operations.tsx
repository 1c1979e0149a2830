import type { Operation, StartOperationRequest } from '@medialog/client'
import { useWrite } from '../data/writes.ts'
import { Confirm } from '../parts/confirm.tsx'
import { Time } from '../parts/values.tsx'
import { t } from '../texts/texts.ts'
import { lastOf, useOperations } from './reads.ts'

interface StartProps {
  input: StartOperationRequest
  label: string
  /** More than the label says, for who does not see where the button stands. */
  name?: string
  /** Whether all that it needs is there. */
  isReady?: boolean
  /** What is asked before. */
  question?: { title: string; text: string }
}

/** A button that starts an operation, which runs in the background. */
export function Start({ input, label, name, isReady = true, question }: StartProps) {
  const start = useWrite(
    (client, request: StartOperationRequest) => client.startOperation(request),
    ['listOperations'],
  )
  if (question)
    return (
      <Confirm
        {...question}
        action={label}
        name={name}
        className="button"
        isPending={start.isPending}
        error={start.error}
        confirm={(done) => start.mutate(input, { onSuccess: done })}
      />
    )
  return (
    <span>
      <button
        type="button"
        className="button"
        aria-label={name}
        disabled={!isReady}
        aria-disabled={start.isPending}
        onClick={() => start.mutate(input)}
      >
        {label}
      </button>
      {start.error && (
        <span className="problem" role="alert">
          {' '}
          {start.error.message}
        </span>
      )}
    </span>
  )
}

/** The last operations of some kinds: how far each is, and what came out. */
export function Operations({ kinds }: { kinds: readonly string[] }) {
  const { data } = useOperations()
  const operations = lastOf(data?.operations ?? [], kinds)
  if (operations.length === 0) return null
  return (
    <section className="operations">
      <h2>{t.operations.title}</h2>
      <ul className="rows">
        {operations.map((operation) => (
          <OperationLine key={operation.operation_id} operation={operation} />
        ))}
      </ul>
    </section>
  )
}

function OperationLine({ operation }: { operation: Operation }) {
  const { kind, parameters, status, progress, result, error, started_at } = operation
  // What compares or verifies succeeds whatever it finds.
  const isSound = (result?.['intact'] ?? result?.['identical']) as boolean | undefined
  const name = typeof parameters['name'] === 'string' ? ` · ${parameters['name']}` : ''
  return (
    <li>
      <details>
        <summary className="row operation">
          <span className="what">
            <span className="filename">
              {t.operations.kind(kind)}
              {name}
            </span>
            <span className="soft small">
              <Time at={started_at} /> · {error ?? progress.message}
            </span>
          </span>
          <progress value={progress.ratio} max={1} aria-label={t.operations.progress} />
          {isSound === undefined ? (
            <span className={`state ${status}`}>{t.operations.statuses[status]}</span>
          ) : (
            <span className={`state ${isSound ? 'succeeded' : 'failed'}`}>
              {isSound ? t.operations.sound : t.operations.faults}
            </span>
          )}
        </summary>
        <pre className="code" tabIndex={0} aria-label={t.operations.result}>
          {JSON.stringify(error ?? result ?? parameters, null, 2)}
        </pre>
      </details>
    </li>
  )
}
