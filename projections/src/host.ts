import type {
  Projections,
  ReadModelName,
  ReadModelStatus,
  RebuildProgress,
  RebuildReport,
} from '@medialog/application/ports'
import type { LogPosition } from '@medialog/kernel'
import { createLock } from './lock.ts'
import type { HostPorts, Projected } from './ports.ts'
import { createReached } from './reached.ts'
import { rebuild } from './rebuild.ts'
import { Runner } from './runner.ts'

/** Counting stops there: whoever is that far behind is behind. */
const COUNTED = 10_000

/** The projections as one process or thread runs them. */
export interface ProjectionHost extends Projections {
  /** Resolves once no file of the read models in service holds what was removed before the call. */
  flushErased(): Promise<void>
  counters(): ProjectionCounters[]
  /** Told where each read model stands now, and at each commit from now on. Answers how to stop that. */
  onReached(listener: (name: ReadModelName, position: LogPosition) => void): () => void
}

/** For metrics: cheap to ask. */
export interface ProjectionCounters {
  name: ReadModelName
  position: LogPosition
  /** Events applied since the start. */
  applied: number
  failing: boolean
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
      const runner = new Runner(one, ports, announce)
      return [runner.name, { ...one, runner, oneAtATime: createLock() }] as const
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
    position: () => Math.min(...[...hosted.values()].map(({ runner }) => runner.position)),
    reached: (position, options) => reached.wait(position, { readModels: [...hosted.keys()], ...options }),
    status: () => Promise.all([...hosted.values()].map(({ runner }) => statusOf(runner, ports))),
    rebuild: async (name, onProgress) => make(name, onProgress, true),
    verify: async (name, onProgress) => make(name, onProgress, false),

    async flushErased() {
      await Promise.all([...hosted.values()].map(({ runner }) => runner.flushErased()))
    },

    counters: () =>
      [...hosted.values()].map(({ runner: { name, position, applied, error } }) => ({
        name,
        position,
        applied,
        failing: error !== null,
      })),

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
  const { name, position, error } = runner
  return { name, position, behind: await countAfter(), error }

  /** Positions may skip numbers: only counting tells how many events there are. */
  async function countAfter(): Promise<number> {
    let count = 0
    if ((await log.head()) <= position) return count
    for await (const _ of log.readAll(position, { limit: COUNTED })) count++
    return count
  }
}
