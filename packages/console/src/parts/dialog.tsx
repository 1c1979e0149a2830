import { useLayoutEffect, useId, useRef, type KeyboardEvent, type ReactNode } from 'react'

interface Props {
  title: string
  /** Called when one wants to leave: by Escape, by a press beside the dialog, by the browser’s own way back. */
  close: () => void
  children: ReactNode
}

/**
 * A modal dialog of the browser's own: it keeps the focus and gives it back. It opens on the element with `data-first`,
 * else on its first one. A key that is held down, perhaps since before it opened, presses nothing in it.
 */
export function Dialog({ title, close, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null)
  const heading = useId()
  // Closed while it is still in the page: only then does the focus go back.
  useLayoutEffect(() => {
    const element = dialog.current!
    element.showModal()
    element.querySelector<HTMLElement>('[data-first]')?.focus()
    return () => element.close()
  }, [])
  function onKeyDown(event: KeyboardEvent): void {
    if (event.repeat && (event.key === 'Enter' || event.key === ' ')) event.preventDefault()
    // Not left to the browser, which closes a dialog at the second Escape whatever the page wants.
    if (event.key === 'Escape' && !event.nativeEvent.isComposing) {
      event.preventDefault()
      close()
    }
  }
  return (
    <dialog
      ref={dialog}
      aria-labelledby={heading}
      onKeyDown={onKeyDown}
      onCancel={(event) => {
        event.preventDefault()
        close()
      }}
      onClick={(event) => {
        // The second press of a double one, on what the dialog covers by then, does not close it.
        if (event.target === dialog.current && event.detail < 2) close()
      }}
    >
      <div className="dialog">
        <h2 id={heading}>{title}</h2>
        {children}
      </div>
    </dialog>
  )
}
