import { MedialogError, textOf } from '@medialog/client'
import { useState } from 'react'
import type { ProvenLedger } from '../../../../docs/verify-checkpoint.mjs'
import { Figure } from '../parts/figure.tsx'
import { Problem } from '../parts/problem.tsx'
import { save } from '../parts/save.ts'
import { Failure } from '../parts/states.tsx'
import { number, usd } from '../parts/values.tsx'
import { useSession } from '../session/session.ts'
import { t } from '../texts/texts.ts'

interface Checked {
  /** What was downloaded. */
  text: string
  proven: ProvenLedger
}

const PARTS = ['credited', 'charged', 'refunded'] as const

/** The ledger as it is recorded, downloaded and checked by this page alone: it trusts the public key, and nothing that the service says. */
export function OwnProof() {
  const { client } = useSession()
  const [key, setKey] = useState('')
  const [kept, setKept] = useState<File | null>(null)
  const [checked, setChecked] = useState<Checked | null>(null)
  const [error, setError] = useState<unknown>(null)
  const [isBusy, setIsBusy] = useState(false)

  async function check(): Promise<void> {
    setIsBusy(true)
    setChecked(null)
    setError(null)
    try {
      const { checkLedger, sizeKept } = await import('../../../../docs/verify-checkpoint.mjs')
      const before = await kept?.text()
      const since = before === undefined ? undefined : sizeKept(before)
      const text = await textOf(await client.open('readLedgerProof', { since }))
      const trusted = key.trim() || (await client.readCheckpointKey()).key
      setChecked({ text, proven: await checkLedger(trusted, text, before) })
    } catch (failure) {
      setError(failure)
    } finally {
      setIsBusy(false)
    }
  }

  return (
    <section className="replay">
      <h2>{t.ownProof.title}</h2>
      <p className="soft">{t.ownProof.lead}</p>
      <form
        className="section"
        onSubmit={(event) => {
          event.preventDefault()
          if (!isBusy) void check()
        }}
      >
        <label className="field">
          <span>{t.ownProof.key}</span>
          <input value={key} onChange={(event) => setKey(event.target.value)} placeholder="medialog/…+…+…" />
        </label>
        <p className="soft small">{t.ownProof.keyHint}</p>
        <label className="field">
          <span>{t.ownProof.kept}</span>
          <input
            type="file"
            accept=".ndjson,.note"
            onChange={(event) => setKept(event.target.files?.[0] ?? null)}
          />
        </label>
        <p className="soft small">{t.ownProof.keptHint}</p>
        <div className="actions">
          <button type="submit" className="primary button" aria-disabled={isBusy}>
            {t.ownProof.start}
          </button>
          {checked && (
            <button
              type="button"
              className="button"
              onClick={() => save(nameOf(checked), new Blob([checked.text]))}
            >
              {t.ownProof.keep}
            </button>
          )}
        </div>
      </form>
      {error instanceof MedialogError ? <Failure error={error} /> : <Problem>{reasonOf(error)}</Problem>}
      {checked && (
        <dl className="figures">
          <Figure name={t.ownProof.events}>{number(checked.proven.events)}</Figure>
          {PARTS.map((part) => (
            <Figure key={part} name={t.billing[part]}>
              {usd(Number(checked.proven.totals[part]))}
            </Figure>
          ))}
          <Figure name={t.billing.balance}>{usd(Number(checked.proven.balance))}</Figure>
        </dl>
      )}
      <p role="status" className="verdict">
        {checked && t.ownProof.proven(number(checked.proven.size), kept !== null)}
      </p>
    </section>
  )
}

const nameOf = ({ proven }: Checked): string => `medialog-ledger-${proven.size}.ndjson`

/** A page that came without TLS has no Web Crypto, an older browser no Ed25519. */
function reasonOf(error: unknown): string | null {
  if (error === null) return null
  const { name, message } = error as Error
  const isUnable = !globalThis.isSecureContext || name === 'NotSupportedError'
  return isUnable ? t.ownProof.unable : t.ownProof.notProven(message)
}
