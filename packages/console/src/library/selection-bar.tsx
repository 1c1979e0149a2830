import { useState } from 'react'
import { Icon } from '../parts/icons.tsx'
import { number } from '../parts/values.tsx'
import { t } from '../texts/texts.ts'
import { DeleteItems } from './delete-items.tsx'
import { MoveItem } from './move-item.tsx'
import { MOST_SELECTED, useSelection } from './selection.ts'

/** What can be done with all items that were chosen. */
export function SelectionBar() {
  const { chosen, clear } = useSelection()
  const [dialog, setDialog] = useState<'move' | 'delete' | null>(null)
  if (chosen.size === 0) return null
  const ids = [...chosen]
  const close = (): void => setDialog(null)
  return (
    <div className="selection-bar" role="region" aria-label={t.selection.label}>
      <p role="status">
        {t.selection.count(number(chosen.size))}
        {chosen.size === MOST_SELECTED && <span className="soft"> {t.selection.most}</span>}
      </p>
      <button type="button" className="button" onClick={() => setDialog('move')}>
        {t.move.action}
      </button>
      <button type="button" className="danger button" onClick={() => setDialog('delete')}>
        <Icon name="trash" />
        {t.remove.action}
      </button>
      <button type="button" className="quiet button" onClick={clear}>
        {t.selection.clear}
      </button>
      {dialog === 'move' && <MoveItem ids={ids} from="" close={close} moved={clear} />}
      {dialog === 'delete' && <DeleteItems ids={ids} close={close} left={clear} />}
    </div>
  )
}
