import { useEffect } from 'react'

const REACHED =
  'a[href], button:not(:disabled), input:not(:disabled), select, textarea, summary, [tabindex="0"]'

/** Whether nothing has the focus: what had it is not in the page any more. */
const isFocusLost = (): boolean => document.activeElement === null || document.activeElement === document.body

/** Gives the focus to an element, also to one that keys do not reach, such as a heading. */
function focusOn(element: HTMLElement): void {
  if (!element.matches(REACHED)) element.tabIndex = -1
  element.focus({ preventScroll: true })
}

/** The heading of a view, or of the part of one that is nearest; else what can be reached first in it. */
const startOf = (place: Element): HTMLElement | null =>
  place.querySelector<HTMLElement>(place.matches('main') ? 'h1' : 'h1, h2, h3') ??
  place.querySelector<HTMLElement>(REACHED)

/**
 * Keeps the focus in the page: when what had it goes, as a view that one leaves or a row that is deleted, the beginning of what is
 * left around it has it. Without that, keys would begin at the top of the page again, and nothing would be read aloud.
 */
export function useKeptFocus(): void {
  useEffect(() => {
    const listening = new AbortController()
    const { signal } = listening
    /** What had the focus last, and what it was in, from within. */
    let trail: Element[] = []
    addEventListener(
      'focusin',
      ({ target }) => {
        trail = []
        for (let at = target as Element | null; at; at = at.parentElement) trail.push(at)
      },
      { signal },
    )
    addEventListener(
      'focusout',
      ({ target }) => {
        // Left on purpose, by a press beside it.
        setTimeout(() => {
          if (isFocusLost() && (target as Element).isConnected && document.hasFocus()) trail = []
        })
      },
      { signal },
    )
    const observer = new MutationObserver(() => {
      if (!isFocusLost() || trail.length === 0 || trail[0]!.isConnected) return
      for (const place of trail) {
        const start = place.isConnected && place !== document.body ? startOf(place) : null
        if (start) return focusOn(start)
      }
    })
    observer.observe(document.body, { childList: true, subtree: true })
    return () => {
      observer.disconnect()
      listening.abort()
    }
  }, [])
}
