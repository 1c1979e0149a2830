import type {
  Damage,
  Projections,
  ReadModelName,
  ReadModelStatus,
  RebuildProgress,
  RebuildReport,
} from '@medialog/application/ports'
import { createLock, type LogPosition } from '@medialog/kernel'
import type { HostPorts, Projected } from './ports.ts'
import { createReached } from './reached.ts'
import { rebuild, remake } from './rebuild.ts'
import { Runner } from './runner.ts'

/** Counting stops there: reading more of the log for a number would hold up catching up. */
const COUNTED = 10_000

/** The projections as one process or thread runs them. */
export interface ProjectionHost extends Projections {
  /** Resolves once no file of the read models in service holds what was removed before the call. */
  flushErased(): Promise<void>
  /** What a reader came upon: that build is made anew beside, once, however many say so. */
  damaged(name: ReadModelName, damage: Damage): void
  /** Told where each read model stands now, and at each commit from now on. Answers how to stop that. */
  onReached(listener: (name: ReadModelName, position: LogPosition) => void): () => void
}

/** Opens the read models and starts to follow the log. One read model's trouble never stops another. */
export async function startProjections<Changes extends unknown[]>(
  projected: readonly [...{ [Index in keyof Changes]: Projected<Changes[Index]> }],
  ports: HostPorts,
): Promise<ProjectionHost> {
  const reached = createReached()
  const closing = new AbortController()
  const listeners = new Set<(name: ReadModelName, position: LogPosition) => void>([reached.moved])
  const announce = (name: ReadModelName, position: LogPosition): void => {
    for (const listener of listeners) listener(name, position)
  }
  const hosted = new Map(
    // Pairs fit each other, as the signature says; which change type each has is nobody else's business.
    (projected as readonly unknown[] as readonly Projected<never>[]).map((one) => {
      const oneAtATime = createLock()
      const runner: Runner<never> = new Runner(one, ports, {
        onReached: announce,
        remake: () => oneAtATime(() => remake({ ...one, runner }, ports, closing.signal)),
      })
      return [runner.name, { ...one, runner, oneAtATime }] as const
    }),
  )
  await Promise.all([...hosted.values()].map(({ runner }) => runner.start()))

  function make(
    name: ReadModelName,
    onProgress: (progress: RebuildProgress) => void,
    swap: boolean,
  ): Promise<RebuildReport> {
    const one = hosted.get(name)
    if (!one) throw new RangeError(`there is no read model ${name}`)
    return one.oneAtATime(() => rebuild(one, ports, { swap, onProgress, signal: closing.signal }))
  }

  return {
    position(readModel) {
      if (readModel !== undefined) return hosted.get(readModel)!.runner.position
      return Math.min(...[...hosted.values()].map(({ runner }) => runner.position))
    },
    reached: (position, options) => reached.wait(position, { readModels: [...hosted.keys()], ...options }),
    status: () => Promise.all([...hosted.values()].map(({ runner }) => statusOf(runner, ports))),
    rebuild: async (name, onProgress) => make(name, onProgress, true),
    verify: async (name, onProgress) => make(name, onProgress, false),

    async flushErased() {
      await Promise.all([...hosted.values()].map(({ runner }) => runner.flushErased()))
    },

    damaged(name, damage) {
      hosted.get(name)?.runner.damaged(damage)
    },

    onReached(listener) {
      for (const { runner } of hosted.values()) listener(runner.name, runner.position)
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },

    async close() {
      closing.abort()
      await Promise.all(
        [...hosted.values()].map(async ({ runner, oneAtATime }) => {
          await oneAtATime(() => runner.close())
        }),
      )
      reached.close()
    },
  }
}

async function statusOf(runner: Runner<never>, { log }: HostPorts): Promise<ReadModelStatus> {
  const { name, position, error, unwiped } = runner
  const behind = await countAfter()
  return { name, position, behind, atLeast: behind === COUNTED, error, unwiped }

  /** Positions may skip numbers: only counting tells how many events there are. */
  async function countAfter(): Promise<number> {
    let count = 0
    if ((await log.head()) <= position) return count
    for await (const _ of log.readAll(position, { limit: COUNTED })) count++
    return count
  }
}
