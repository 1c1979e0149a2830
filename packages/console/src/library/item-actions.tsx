import { useState } from 'react'
import { Icon } from '../parts/icons.tsx'
import { t } from '../texts/texts.ts'
import { DeleteItems } from './delete-items.tsx'
import { MoveItem } from './move-item.tsx'

interface Props {
  /** Their names by id. */
  items: ReadonlyMap<string, string>
  /** The collection that the items are in; empty where they are in several. */
  from: string
  moved?: () => void
  /** Called when one leaves after they were deleted. */
  left: () => void
}

/** Moves or deletes items, each in a dialog. */
export function ItemActions({ items, from, moved, left }: Props) {
  const [dialog, setDialog] = useState<'move' | 'delete' | null>(null)
  const close = (): void => setDialog(null)
  return (
    <>
      <button type="button" className="button" onClick={() => setDialog('move')}>
        {t.move.action}
      </button>
      <button type="button" className="danger button" onClick={() => setDialog('delete')}>
        <Icon name="trash" />
        {t.remove.action}
      </button>
      {dialog === 'move' && <MoveItem ids={[...items.keys()]} from={from} close={close} moved={moved} />}
      {dialog === 'delete' && <DeleteItems items={items} close={close} left={left} />}
    </>
  )
}
