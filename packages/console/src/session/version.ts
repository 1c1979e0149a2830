import { Store } from '../data/store.ts'
import { connection } from './connection.ts'

/** Whether the service has a later release of these pages than the one that is open. */
export const isReplaced = new Store(false)

/** Between two looks that nothing but time led to. */
const PAUSE_MS = 10 * 60_000

let lastLook = Date.now()

/** The script that a page begins with: its name has a digest of what is in it. */
const SCRIPT = /<script type="module"[^>]* src="([^"]+)"/
const own = document.querySelector('script[type="module"]')!.getAttribute('src')

/** Looks whether the service has other pages by now. Without an answer nothing is known. */
export async function lookForNewVersion(): Promise<void> {
  lastLook = Date.now()
  try {
    const response = await fetch('/console/', { cache: 'no-store' })
    const script = response.ok ? SCRIPT.exec(await response.text())?.[1] : undefined
    if (script !== undefined && script !== own) isReplaced.set(true)
  } catch {
    // The connection is looked after elsewhere.
  }
}

// A service that is back may be another release.
connection.subscribe(() => {
  if (connection.get() === 'there') void lookForNewVersion()
})
addEventListener('visibilitychange', () => {
  if (!document.hidden && Date.now() - lastLook > PAUSE_MS) void lookForNewVersion()
})
