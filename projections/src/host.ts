import {
  READ_MODELS,
  storeOf,
  type Damage,
  type Projections,
  type ReadModelName,
  type StoreName,
} from '@medialog/application/ports'
import type { LogPosition } from '@medialog/kernel'
import { Hosted } from './hosted.ts'
import type { HostPorts, Projected } from './ports.ts'
import { createReached } from './reached.ts'

/** The projections as one process or thread runs them. */
export interface ProjectionHost extends Projections {
  /** Resolves once no file of the read models in service holds what was removed before the call. */
  flushErased(): Promise<void>
  /** Damage that a reader found: that build is rebuilt beside, once for all reports. */
  damaged(store: StoreName, damage: Damage): void
  /** Told where each store stands now, and at each commit from now on. Answers how to stop that. */
  onReached(listener: (store: StoreName, position: LogPosition) => void): () => void
}

/** Opens the read models and starts to follow the log. One read model's trouble never stops another. */
export async function startProjections(
  projected: readonly Projected<never>[],
  ports: HostPorts,
): Promise<ProjectionHost> {
  const reached = createReached()
  const listeners = new Set<(store: StoreName, position: LogPosition) => void>([reached.moved])
  const onReached = (store: StoreName, position: LogPosition): void => {
    for (const listener of listeners) listener(store, position)
  }
  const all = projected.map((one) => new Hosted(one, ports, { onReached }))
  const hosted = new Map(all.map((one) => [one.name, one]))
  const readModels = READ_MODELS.filter((name) => hosted.has(storeOf(name)))
  await Promise.all(all.map((one) => one.start()))

  function named(name: ReadModelName): Hosted {
    const one = hosted.get(storeOf(name))
    if (!one) throw new RangeError(`there is no read model ${name}`)
    return one
  }

  return {
    position(readModel) {
      if (readModel !== undefined) return named(readModel).position
      return Math.min(...all.map(({ position }) => position))
    },
    reached: (position, options) => reached.wait(position, { readModels, ...options }),

    async status() {
      const statuses = new Map(
        await Promise.all(all.map(async (one) => [one.name, await one.status()] as const)),
      )
      return readModels.map((name) => ({ name, ...statuses.get(storeOf(name))! }))
    },

    rebuild: async (name, onProgress) => named(name).rebuild(onProgress),
    verify: async (name, onProgress) => named(name).verify(onProgress),

    async flushErased() {
      await Promise.all(all.map((one) => one.flushErased()))
    },

    damaged: (store, damage) => hosted.get(store)?.damaged(damage),

    onReached(listener) {
      for (const { name, position } of all) listener(name, position)
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },

    async close() {
      await Promise.all(all.map((one) => one.close()))
      reached.close()
    },
  }
}
