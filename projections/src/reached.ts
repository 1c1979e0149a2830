import {
  READ_MODELS,
  storeOf,
  type Projections,
  type ReadModelName,
  type StoreName,
} from '@medialog/application/ports'
import { BEGINNING, type LogPosition } from '@medialog/kernel'

interface Waiter {
  position: LogPosition
  readModels: readonly ReadModelName[]
  resolve: (reached: boolean) => void
}

/** The calls that wait for positions of read models. */
interface Reached {
  moved: (store: StoreName, position: LogPosition) => void
  wait: Projections['reached']
  /** Where it stands, or the last of all; the beginning until it was heard of. */
  position: Projections['position']
  /** Calls that still wait get false. */
  close(): void
}

export function createReached(): Reached {
  const positions = new Map<StoreName, LogPosition>()

  const positionOf = (name: ReadModelName): LogPosition | undefined => positions.get(storeOf(name))
  const waiting = new Set<Waiter>()
  let closed = false

  const isThere = ({ position, readModels }: Omit<Waiter, 'resolve'>): boolean =>
    readModels.every((name) => (positionOf(name) ?? -1) >= position)

  return {
    moved(store, position) {
      positions.set(store, position)
      for (const waiter of waiting) if (isThere(waiter)) waiter.resolve(true)
    },

    position(name) {
      if (name !== undefined) return positionOf(name) ?? BEGINNING
      return Math.min(...READ_MODELS.map((each) => positionOf(each) ?? BEGINNING))
    },

    wait(position, { readModels = READ_MODELS, timeoutMs } = {}) {
      if (isThere({ position, readModels })) return Promise.resolve(true)
      if (closed) return Promise.resolve(false)
      return new Promise((resolve) => {
        const waiter: Waiter = {
          position,
          readModels,
          resolve(reached) {
            clearTimeout(timer)
            waiting.delete(waiter)
            resolve(reached)
          },
        }
        const timer = timeoutMs === undefined ? undefined : setTimeout(waiter.resolve, timeoutMs, false)
        waiting.add(waiter)
      })
    },

    close() {
      closed = true
      for (const waiter of waiting) waiter.resolve(false)
    },
  }
}
