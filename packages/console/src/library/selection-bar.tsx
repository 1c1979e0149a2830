import { useEffect, useRef } from 'react'
import { useAnnounced } from '../parts/announcement.tsx'
import { number } from '../parts/values.tsx'
import { t } from '../texts/texts.ts'
import { ItemActions } from './item-actions.tsx'
import { MOST_SELECTED, useSelection } from './selection.ts'

/** What can be done with all items that were chosen. Alt+A leads here from a row of the list, and back to it. */
export function SelectionBar() {
  const bar = useRef<HTMLDivElement>(null)
  const { chosen, clear } = useSelection()
  const count = t.selection.count(number(chosen.size))
  useAnnounced(t.selection.announced(number(chosen.size)))
  useEffect(() => {
    // The bar may stand where the row is that one has just chosen, or one after it.
    const focused = document.querySelector('.items :focus')
    const isCovered =
      focused && focused.getBoundingClientRect().bottom > bar.current!.getBoundingClientRect().top
    if (isCovered) focused.scrollIntoView({ block: 'nearest' })
    const listening = new AbortController()
    let row: HTMLElement | null = null
    addEventListener(
      'keydown',
      (event) => {
        if (!event.altKey || event.code !== 'KeyA') return
        const focused = document.activeElement as HTMLElement
        const isHere = bar.current!.contains(focused)
        if (!isHere && !focused.closest('.items')) return
        event.preventDefault()
        if (isHere) row?.focus()
        else {
          row = focused
          bar.current!.querySelector('button')!.focus()
        }
      },
      { signal: listening.signal },
    )
    return () => listening.abort()
  }, [])
  return (
    <div ref={bar} className="selection-bar" role="region" aria-label={t.selection.label}>
      <p>
        {count}
        {chosen.size === MOST_SELECTED && <span className="soft"> {t.selection.most}</span>}
        <span className="visually-hidden"> {t.selection.keys}</span>
      </p>
      <ItemActions items={chosen} from="" moved={clear} left={clear} />
      <button type="button" className="quiet button" onClick={clear}>
        {t.selection.clear}
      </button>
    </div>
  )
}
