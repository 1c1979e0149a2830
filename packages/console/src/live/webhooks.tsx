import { useState, type FormEvent } from 'react'
import { Link } from 'wouter'
import { useRead } from '../data/reads.ts'
import { useWrite } from '../data/writes.ts'
import { CopyAs } from '../parts/copy-as.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { FormEnd } from '../parts/form-end.tsx'
import { Secret } from '../parts/secret.tsx'
import { Empty, Shown } from '../parts/states.tsx'
import { useTitle } from '../parts/title.ts'
import { t } from '../texts/texts.ts'

/** Addresses that the account's events are sent to. */
export function Webhooks() {
  useTitle(t.live.webhooks)
  const [isAdding, setAdding] = useState(false)
  const [secret, setSecret] = useState<string | null>(null)
  const read = useRead('listWebhooks', {}, { refetchInterval: 15_000 })
  return (
    <>
      <div className="toolbar">
        <button type="button" className="primary button" onClick={() => setAdding(true)}>
          {t.webhooks.add}
        </button>
        <CopyAs id="listWebhooks" input={{}} />
      </div>
      <Shown read={read}>
        {({ webhooks }) =>
          webhooks.length === 0 ? (
            <Empty title={t.webhooks.empty}>
              <p>{t.webhooks.emptyText}</p>
            </Empty>
          ) : (
            <ul className="rows">
              {webhooks.map(({ webhook_id, url, status, types }) => (
                <li key={webhook_id}>
                  <Link href={`/live/webhooks/${webhook_id}`} className="row">
                    <span className="what">
                      <bdi className="filename">{url}</bdi>
                      <span className="soft small">
                        {types.length === 0 ? t.webhooks.allTypes : types.join(', ')}
                      </span>
                    </span>
                    <span className={`state ${status}`}>{t.webhooks.statuses[status]}</span>
                  </Link>
                </li>
              ))}
            </ul>
          )
        }
      </Shown>
      {isAdding && (
        <AddWebhook
          close={() => setAdding(false)}
          added={(given) => {
            setAdding(false)
            setSecret(given)
          }}
        />
      )}
      {secret !== null && <Secret title={t.webhooks.secret} secret={secret} close={() => setSecret(null)} />}
    </>
  )
}

function AddWebhook({ close, added }: { close: () => void; added: (secret: string) => void }) {
  const [url, setUrl] = useState('')
  const [types, setTypes] = useState('')
  const add = useWrite(
    (client, input: { url: string; types?: string[] }) => client.addWebhook(input),
    ['listWebhooks'],
  )
  function submit(event: FormEvent): void {
    event.preventDefault()
    const names = types.split(/[\s,]+/).filter((name) => name !== '')
    add.mutate(
      { url: url.trim(), ...(names.length > 0 && { types: names }) },
      { onSuccess: ({ secret }) => added(secret) },
    )
  }
  return (
    <Dialog title={t.webhooks.add} close={close}>
      <form onSubmit={submit}>
        <label className="field">
          <span>{t.webhooks.url}</span>
          <input
            type="url"
            required
            value={url}
            placeholder="https://"
            onChange={({ target }) => setUrl(target.value)}
          />
        </label>
        <label className="field">
          <span>{t.webhooks.types}</span>
          <input
            value={types}
            placeholder="MediaIngested, MediaDeleted"
            onChange={({ target }) => setTypes(target.value)}
          />
        </label>
        <p className="soft small">{t.webhooks.typesHint}</p>
        <FormEnd action={t.webhooks.add} isPending={add.isPending} error={add.error} cancel={close} />
      </form>
    </Dialog>
  )
}
