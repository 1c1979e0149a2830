import { number } from '../parts/values.tsx'
import { t } from '../texts/texts.ts'
import { ItemActions } from './item-actions.tsx'
import { MOST_SELECTED, useSelection } from './selection.ts'

/** What can be done with all items that were chosen. */
export function SelectionBar() {
  const { chosen, clear } = useSelection()
  return (
    <div className="selection-bar" role="region" aria-label={t.selection.label}>
      <p role="status">
        {t.selection.count(number(chosen.size))}
        {chosen.size === MOST_SELECTED && <span className="soft"> {t.selection.most}</span>}
      </p>
      <ItemActions items={chosen} from="" moved={clear} left={clear} />
      <button type="button" className="quiet button" onClick={clear}>
        {t.selection.clear}
      </button>
    </div>
  )
}
