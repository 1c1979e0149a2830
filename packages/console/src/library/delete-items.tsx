import type { Erasure } from '@medialog/client'
import { useRead } from '../data/reads.ts'
import { useItemWrite } from '../data/writes.ts'
import { Dialog } from '../parts/dialog.tsx'
import { save } from '../parts/save.ts'
import { dateTime, Id, number } from '../parts/values.tsx'
import { t } from '../texts/texts.ts'
import { Problem } from '../parts/problem.tsx'

interface Props {
  ids: readonly string[]
  close: () => void
  /** Called when one leaves after they were deleted. */
  left: () => void
}

/** Asks, deletes, and shows the receipt of the erasure. */
export function DeleteItems({ ids, close, left }: Props) {
  const removal = useItemWrite((client, media_ids: string[]) =>
    client.deleteMediaBatch({ media_ids, receipt: true }),
  )
  const erasure = removal.data?.erasure
  const failed = removal.data?.failed
  const leave = (): void => {
    close()
    if (removal.data) left()
  }
  return (
    <Dialog
      title={removal.data ? t.remove.done : t.remove.title(number(ids.length), ids.length)}
      close={leave}
    >
      {failed && failed.count > 0 && (
        <Problem>
          {t.remove.failed(number(failed.count))} {Object.values(failed.reasons)[0]}
        </Problem>
      )}
      {erasure ? (
        <Receipt erasure={erasure} />
      ) : (
        <>
          <p>{t.remove.text}</p>
          <Problem>{removal.error?.message}</Problem>
        </>
      )}
      <div className="actions">
        {removal.data ? (
          <button type="button" className="button" onClick={leave}>
            {t.remove.toLibrary}
          </button>
        ) : (
          <>
            <button
              type="button"
              className="danger button"
              disabled={removal.isPending}
              onClick={() => removal.mutate([...ids])}
            >
              {removal.isPending ? t.remove.working : t.remove.confirm}
            </button>
            <button type="button" className="button" onClick={close}>
              {t.cancel}
            </button>
          </>
        )}
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
  if (!receipt) return <p role="status">{t.remove.pending}</p>
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
