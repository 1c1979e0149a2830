import type { Key } from '@medialog/client'
import { useState, type FormEvent } from 'react'
import { useRead } from '../data/reads.ts'
import { useWrite } from '../data/writes.ts'
import { Confirm } from '../parts/confirm.tsx'
import { KeyLine } from '../parts/key-line.tsx'
import { Secret } from '../parts/secret.tsx'
import { Shown } from '../parts/states.tsx'
import { t } from '../texts/texts.ts'
import { Problem } from '../parts/problem.tsx'

type Capability = Key['capabilities'][number]
const CAPABILITIES: readonly Capability[] = ['read', 'write', 'delete']
const CHANGED = ['listKeys'] as const
/** How long a key that was replaced is still taken. */
const GRACE_SECONDS = 3600

/** The keys of an account: issued, replaced and revoked. */
export function Keys({ accountId }: { accountId: string }) {
  const id = { account_id: accountId }
  const [secret, setSecret] = useState<string | null>(null)
  const [label, setLabel] = useState('')
  const [chosen, setChosen] = useState<readonly Capability[]>(CAPABILITIES)
  const read = useRead('listKeys', id)
  const issue = useWrite(
    (client, input: { label?: string; capabilities: Capability[] }) => client.issueKey({ ...id, ...input }),
    CHANGED,
  )
  const rotate = useWrite(
    (client, key: string) => client.rotateKey({ ...id, key_id: key, grace_seconds: GRACE_SECONDS }),
    CHANGED,
  )
  const revoke = useWrite((client, key: string) => client.revokeKey({ ...id, key_id: key }), CHANGED)
  function submit(event: FormEvent): void {
    event.preventDefault()
    issue.mutate(
      { capabilities: [...chosen], ...(label.trim() !== '' && { label: label.trim() }) },
      {
        onSuccess({ api_key }) {
          setSecret(api_key)
          setLabel('')
          setChosen(CAPABILITIES)
        },
      },
    )
  }
  return (
    <section className="section">
      <h2>{t.keys.title}</h2>
      <form className="inline-form" onSubmit={submit}>
        <label className="field">
          <span>{t.keys.label}</span>
          <input value={label} onChange={({ target }) => setLabel(target.value)} />
        </label>
        {CAPABILITIES.map((capability) => (
          <label key={capability} className="choice">
            <input
              type="checkbox"
              checked={chosen.includes(capability)}
              onChange={({ target }) =>
                setChosen(
                  CAPABILITIES.filter((each) =>
                    each === capability ? target.checked : chosen.includes(each),
                  ),
                )
              }
            />
            {t.key.names[capability]}
          </label>
        ))}
        <button
          type="submit"
          className="button"
          disabled={chosen.length === 0}
          aria-disabled={issue.isPending}
        >
          {t.keys.issue}
        </button>
      </form>
      <Problem>{(issue.error ?? rotate.error)?.message}</Problem>
      <Shown read={read}>
        {({ keys }) => (
          <ul className="rows keys">
            {keys.map((key) => (
              <KeyLine key={key.key_id} of={key}>
                <span className="actions">
                  <button
                    type="button"
                    className="button"
                    aria-label={`${t.keys.rotate} ${key.key_id}`}
                    onClick={() =>
                      rotate.mutate(key.key_id, { onSuccess: ({ api_key }) => setSecret(api_key) })
                    }
                  >
                    {t.keys.rotate}
                  </button>
                  <Confirm
                    action={t.keys.revoke}
                    name={`${t.keys.revoke} ${key.key_id}`}
                    title={t.keys.revokeTitle(key.label || key.key_id)}
                    text={t.keys.revokeText}
                    isPending={revoke.isPending}
                    error={revoke.error}
                    confirm={(done) => revoke.mutate(key.key_id, { onSuccess: done })}
                  />
                </span>
              </KeyLine>
            ))}
          </ul>
        )}
      </Shown>
      {secret !== null && <Secret title={t.keys.secret} secret={secret} close={() => setSecret(null)} />}
    </section>
  )
}
