import { useEffect } from 'react'
import { Store, useStore } from '../data/store.ts'

const said = new Store('')

/** Has what changed read aloud: by a region that was there before, since one that comes with its text is often passed over. */
export const announce = (text: string): void => said.set(text)

/** Has a text of a view read aloud when it comes, and when it changes. */
export function useAnnounced(text: string): void {
  useEffect(() => {
    if (text !== '') announce(text)
  }, [text])
}

export const Announcements = () => (
  <p className="visually-hidden" role="status">
    {useStore(said)}
  </p>
)
