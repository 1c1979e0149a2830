import { useState } from 'react'
import { useRead } from '../data/reads.ts'
import { useWrite } from '../data/writes.ts'
import { CopyAs } from '../parts/copy-as.tsx'
import { save } from '../parts/save.ts'
import { Shown } from '../parts/states.tsx'
import { useTitle } from '../parts/title.ts'
import { Id, number } from '../parts/values.tsx'
import { t } from '../texts/texts.ts'
import { Operations, Start } from './operations.tsx'
import { Problem } from '../parts/problem.tsx'

/** The event log: whether it is whole, signed heads of its tree, and the room that erased events left. */
export function LogView() {
  useTitle(t.operator.log)
  const head = useWrite((client) => client.makeCheckpoint(), [])
  const key = useRead('readCheckpointKey', {})
  const [note, setNote] = useState('')
  const [erasure, setErasure] = useState('')
  return (
    <>
      <section className="section">
        <h2>{t.log.heads}</h2>
        <p className="soft">{t.log.headsText}</p>
        <span className="actions">
          <button
            type="button"
            className="button"
            aria-disabled={head.isPending}
            onClick={() => head.mutate()}
          >
            {t.log.sign}
          </button>
          <CopyAs id="makeCheckpoint" input={{}} />
        </span>
        <Problem>{head.error?.message}</Problem>
        {head.data && (
          <>
            <p>
              {t.log.covers(number(head.data.size))} <Id value={head.data.root} />
            </p>
            <pre className="code" tabIndex={0} aria-label={t.log.note}>
              {head.data.note}
            </pre>
            <button
              type="button"
              className="button"
              onClick={() =>
                save(`tree-head-${head.data.size}.txt`, new Blob([head.data.note], { type: 'text/plain' }))
              }
            >
              {t.log.save}
            </button>
          </>
        )}
        <Shown read={key} lines={1}>
          {({ key: verifier }) => (
            <p className="soft small">
              {t.log.key} <Id value={verifier} />
            </p>
          )}
        </Shown>
      </section>
      <section className="section">
        <h2>{t.log.verify}</h2>
        <p className="soft">{t.log.verifyText}</p>
        <div className="actions">
          <Start input={{ kind: 'log-verify' }} label={t.log.verifyStreams} />
          <Start
            input={{ kind: 'audit-verify', ...(note.trim() !== '' && { checkpoint: `${note.trim()}\n` }) }}
            label={note.trim() === '' ? t.log.verifyTree : t.log.verifyAgainst}
          />
          <Start input={{ kind: 'log-scavenge' }} label={t.log.scavenge} />
        </div>
        <label className="field">
          <span>{t.log.former}</span>
          <textarea
            rows={4}
            value={note}
            onChange={({ target }) => setNote(target.value)}
            spellCheck={false}
          />
        </label>
      </section>
      <section className="section">
        <h2>{t.log.erasure}</h2>
        <p className="soft">{t.log.erasureText}</p>
        <div className="inline-form">
          <label className="field">
            <span>{t.log.erasureId}</span>
            <input
              value={erasure}
              placeholder="erasure_…"
              onChange={({ target }) => setErasure(target.value)}
              spellCheck={false}
            />
          </label>
          <Start
            input={{ kind: 'audit-erasure', erasure_id: erasure.trim() }}
            label={t.log.auditErasure}
            isReady={erasure.trim() !== ''}
          />
        </div>
      </section>
      <Operations
        kinds={['log-verify', 'audit-verify', 'log-scavenge', 'log-scavenge-stop', 'audit-erasure']}
      />
    </>
  )
}
