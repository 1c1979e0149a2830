import { useId, useState, type FormEvent } from 'react'
import { useRead } from '../data/reads.ts'
import { useItemWrite } from '../data/writes.ts'
import { announce } from '../parts/announcement.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { FormEnd } from '../parts/form-end.tsx'
import { number } from '../parts/values.tsx'
import { t } from '../texts/texts.ts'

interface Props {
  ids: readonly string[]
  from: string
  close: () => void
  moved?: (() => void) | undefined
}

/** Asks where to, and moves the items there. */
export function MoveItem({ ids, from, close, moved }: Props) {
  const [name, setName] = useState(from)
  const { data } = useRead('listCollections', {})
  const known = useId()
  const move = useItemWrite((client, collection: string) =>
    client.moveItems({ collection_id: collection, items: [...ids] }),
  )
  function submit(event: FormEvent): void {
    event.preventDefault()
    move.mutate(name.trim(), {
      onSuccess({ summary, collection_id }) {
        announce(t.move.moved(number(summary.moved), collection_id))
        moved?.()
        close()
      },
    })
  }
  return (
    <Dialog title={t.move.title} close={close}>
      <form onSubmit={submit}>
        <label className="field">
          <span>{t.move.name}</span>
          <input
            value={name}
            list={known}
            required
            maxLength={64}
            onChange={(event) => setName(event.target.value)}
            autoComplete="off"
          />
          <datalist id={known}>
            {data?.collections.map((collection) => (
              <option key={collection} value={collection} />
            ))}
          </datalist>
        </label>
        <p className="soft small">{t.move.hint}</p>
        <FormEnd action={t.move.action} isPending={move.isPending} error={move.error} cancel={close} />
      </form>
    </Dialog>
  )
}
