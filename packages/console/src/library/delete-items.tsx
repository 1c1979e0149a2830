import type { Erasure } from '@medialog/client'
import { useState } from 'react'
import { useRead } from '../data/reads.ts'
import { useItemWrite } from '../data/writes.ts'
import { Question } from '../parts/confirm.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { save } from '../parts/save.ts'
import { dateTime, Id, number } from '../parts/values.tsx'
import { t } from '../texts/texts.ts'
import { Problem } from '../parts/problem.tsx'
import { useSelection } from './selection.ts'

interface Props {
  /** Their names by id. */
  items: ReadonlyMap<string, string>
  close: () => void
  /** Called when one leaves after they were deleted. */
  left: () => void
}

/** So many are deleted by a press, and so many are named. */
const FEW = 10

/** Asks, deletes, and shows the receipt of the erasure. */
export function DeleteItems({ items: given, close, left }: Props) {
  // The selection may change while the dialog is open; what one has agreed to does not.
  const [items] = useState(given)
  const { forget } = useSelection()
  const ids = [...items.keys()]
  const removal = useItemWrite((client, media_ids: string[]) =>
    client.deleteMediaBatch({ media_ids, receipt: true }),
  )
  const leave = (): void => {
    close()
    forget(ids)
    left()
  }
  if (!removal.data)
    return (
      <Dialog title={t.remove.title(number(ids.length), ids.length)} close={close}>
        <Question
          action={removal.isPending ? t.remove.working : t.remove.confirm}
          words={ids.length > FEW ? t.remove.words : undefined}
          isPending={removal.isPending}
          error={removal.error}
          confirm={() => removal.mutate(ids)}
          cancel={close}
        >
          <ul className="named">
            {[...items.entries()].slice(0, FEW).map(([id, name]) => (
              <li key={id}>
                <bdi>{name}</bdi>
              </li>
            ))}
            {ids.length > FEW && <li className="soft">{t.remove.more(number(ids.length - FEW))}</li>}
          </ul>
          <p>{t.remove.text}</p>
        </Question>
      </Dialog>
    )
  const { erasure, failed } = removal.data
  return (
    <Dialog title={t.remove.done} close={leave}>
      {failed && failed.count > 0 && (
        <Problem>
          {t.remove.failed(number(failed.count))} {Object.values(failed.reasons)[0]}
        </Problem>
      )}
      {erasure && <Receipt erasure={erasure} />}
      <div className="actions">
        <button type="button" className="button" onClick={leave} data-first>
          {t.remove.toLibrary}
        </button>
      </div>
    </Dialog>
  )
}

/** Of an erasure that may still be under way: it is looked after until it is done. */
function Receipt({ erasure: begun }: { erasure: Erasure }) {
  const isPending = begun.status === 'pending'
  const later = useRead(
    'readErasure',
    { erasure_id: begun.erasure_id },
    { enabled: isPending, refetchInterval: 1000 },
  )
  const { erasure_id, receipt, note, key } = later.data ?? begun
  if (!receipt) return <p>{t.remove.pending}</p>
  const file = new Blob([JSON.stringify({ receipt, note, key }, null, 2)], { type: 'application/json' })
  return (
    <div className="receipt">
      <p>{t.remove.receipt}</p>
      {note === null && <p className="soft">{t.remove.noNote}</p>}
      <dl>
        <div>
          <dt>{t.remove.erasedAt}</dt>
          <dd>{dateTime(receipt.erased_at)}</dd>
        </div>
        <div>
          <dt>{t.remove.digest}</dt>
          <dd>
            <Id value={receipt.digest} />
          </dd>
        </div>
        {receipt.stores.map(({ store, how }) => (
          <div key={store}>
            <dt>{store}</dt>
            <dd>{how}</dd>
          </div>
        ))}
      </dl>
      <button type="button" className="button" onClick={() => save(`${erasure_id}.json`, file)}>
        {t.remove.download}
      </button>
    </div>
  )
}
