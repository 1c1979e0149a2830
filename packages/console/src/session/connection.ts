import { useSyncExternalStore } from 'react'

type State = 'there' | 'lost'

let state: State = 'there'
const listeners = new Set<() => void>()

/** Whether the service answered last. */
export const connection = {
  set(now: State): void {
    if (now === state) return
    state = now
    for (const listener of listeners) listener()
  },
}

export const useConnection = (): State =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => state,
  )
