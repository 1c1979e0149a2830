import { useEffect } from 'react'
import { t } from '../texts/texts.ts'

/** What the tab and the browser's history call the view. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · ${t.name}`
  }, [title])
}
