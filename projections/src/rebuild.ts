import { setTimeout as sleep } from 'node:timers/promises'
import {
  ReadModelBroken,
  type Digests,
  type ReadModelBuild,
  type ReadModelSnapshot,
  type RebuildProgress,
  type RebuildReport,
} from '@medialog/application/ports'
import type { LogPosition } from '@medialog/kernel'
import { replay } from './apply.ts'
import type { HostPorts, Projected } from './ports.ts'
import type { Runner } from './runner.ts'

/** What was erased between two looks at the log makes two honest builds differ; the next comparison heals that. */
const COMPARISONS = 3
const LOOK_AGAIN_MS = 20
/** How often one that takes long says how far it is. */
const REPORT_MS = 10_000

interface RebuildOptions {
  /** Whether the new one goes into service. */
  swap: boolean
  onProgress: (progress: RebuildProgress) => void
  signal: AbortSignal
}

type Served<Change> = Projected<Change> & { runner: Runner<Change> }
/** Both builds at the position. */
interface Compared {
  position: LogPosition
  readModels: Pick<RebuildReport, 'readModel' | 'digestInService' | 'digestRebuilt' | 'identical'>[]
}

/**
 * Makes a read model from the beginning of the log beside the one in service, compares both at one position, then
 * swaps it in or throws it away. Readers and the projection in service go on all the while. The new one never gets
 * ahead of the one in service, whose snapshots so are always at a position that the new one can be brought to.
 */
export async function rebuild<Change>(
  served: Served<Change>,
  ports: HostPorts,
  { swap, onProgress, signal }: RebuildOptions,
): Promise<RebuildReport[]> {
  const { projection, runner } = served
  const started = performance.now()
  let events = 0
  return beside(served, async (build) => {
    const report = (phase: RebuildProgress['phase']): void => {
      signal.throwIfAborted()
      onProgress({ phase, position: build.position, head: runner.position })
    }
    const catchUp = async (upTo: LogPosition): Promise<void> => {
      events += await replay(projection, ports, build, upTo, () => report('building'))
    }
    report('building')
    // Once more for what came meanwhile: the snapshot to come holds the one in service still for less.
    for (let round = 0; round < 2; round++) await catchUp(runner.position)
    const { position, readModels } = await compareSettled(build, catchUp, () => report('comparing'))
    if (swap) await runner.swap(build, catchUp)
    const seconds = (performance.now() - started) / 1_000
    onProgress({ phase: 'done', position: build.position, head: runner.position })
    return readModels.map((compared) => ({ ...compared, position, events, swapped: swap, seconds }))
  })

  /** Compares, and again while a difference may be an erasure that one of the two has seen and the other has not. */
  async function compareSettled(
    build: ReadModelBuild<Change>,
    catchUp: (upTo: LogPosition) => Promise<void>,
    onComparing: () => void,
  ): Promise<Compared> {
    for (let comparison = 1; ; comparison++) {
      const compared = await compare(build, await snapshotOf(runner), catchUp, onComparing)
      const isIdentical = compared.readModels.every(({ identical }) => identical)
      if (isIdentical || comparison === COMPARISONS) return compared
      // Every erasure comes after an event that allows it: no event, no erasure.
      const head = await ports.log.head()
      if (head <= compared.position || !(await goesOnTo(runner, head, signal))) return compared
    }
  }
}

/**
 * Rebuilds a read model that is damaged or of an older version, and puts it into service. The former one, where it can
 * be opened at all, goes on until then.
 */
export async function remake<Change>(
  served: Served<Change>,
  ports: HostPorts,
  signal: AbortSignal,
): Promise<void> {
  const { runner } = served
  signal.throwIfAborted()
  // A rebuild that was asked for may have come first.
  if (!runner.isDamaged && !runner.isOutdated) return
  await beside(served, async (build) => {
    const catchUp = catchingUp(served, ports, build, signal)
    for (let round = 0; round < 2; round++)
      await catchUp(runner.isOpen ? runner.position : await ports.log.head())
    await runner.swap(build, catchUp)
  })
}

/** Puts a copy into service that has not the room of removed content, which the one in service has. */
export async function compact<Change>(
  served: Served<Change>,
  ports: HostPorts,
  signal: AbortSignal,
): Promise<void> {
  const { runner } = served
  signal.throwIfAborted()
  // A rebuild may have come first.
  if (!runner.isOpen || !runner.writer.isBloated) return
  await beside(served, async (build) => {
    await build.copy!(signal)
    const catchUp = catchingUp(served, ports, build, signal)
    await catchUp(runner.position)
    await runner.swap(build, catchUp)
  })
}

/** Brings the build up to a position of the log. */
const catchingUp =
  <Change>(
    { projection }: Served<Change>,
    ports: HostPorts,
    build: ReadModelBuild<Change>,
    signal: AbortSignal,
  ) =>
  async (upTo: LogPosition): Promise<void> => {
    let reportedAt = performance.now()
    await replay(projection, ports, build, upTo, (position) => {
      signal.throwIfAborted()
      if (performance.now() - reportedAt < REPORT_MS) return
      reportedAt = performance.now()
      ports.logger.warn({ readModel: projection.name, position, upTo }, 'the read model is being rebuilt')
    })
  }

/** Runs work on a build, which learns all the while of what is erased elsewhere, and takes it away if it was not swapped in. */
async function beside<Change, T>(
  { store, runner }: Served<Change>,
  work: (build: ReadModelBuild<Change>) => Promise<T>,
): Promise<T> {
  const build = await store.build()
  runner.accompany(build)
  try {
    return await work(build)
  } finally {
    if (!runner.leave(build)) await build.discard()
  }
}

/** Waits for the one in service; false when it stands still. */
async function goesOnTo(
  runner: { position: LogPosition; error: string | null },
  position: LogPosition,
  signal: AbortSignal,
): Promise<boolean> {
  while (runner.position < position) {
    if (runner.error !== null) return false
    await sleep(LOOK_AGAIN_MS, undefined, { signal })
  }
  return true
}

/** Where a damaged file does not even allow that, nothing equals it. */
async function snapshotOf<Change>(runner: Runner<Change>): Promise<ReadModelSnapshot> {
  try {
    return await runner.writer.snapshot()
  } catch (error) {
    if (!(error instanceof ReadModelBroken)) throw error
    return { position: runner.position, digests: () => Promise.reject(error), close: () => undefined }
  }
}

/** Both at exactly the snapshot's position. */
async function compare<Change>(
  build: ReadModelBuild<Change>,
  inService: ReadModelSnapshot,
  catchUp: (upTo: LogPosition) => Promise<void>,
  onComparing: () => void,
): Promise<Compared> {
  try {
    const { position } = inService
    await catchUp(position)
    onComparing()
    const rebuilt = await digestsOf(await build.snapshot())
    // A damaged file may be readable in part: then it differs, and a rebuild repairs it.
    const found = await inService.digests().catch((error: Error) => error)
    const readModels = [...rebuilt].map(([readModel, digestRebuilt]) => {
      const digestInService =
        found instanceof Error ? `unreadable: ${found.message}` : (found.get(readModel) ?? 'not there')
      const identical = digestInService === digestRebuilt
      return { readModel, digestInService, digestRebuilt, identical }
    })
    return { position, readModels }
  } finally {
    await inService.close()
  }
}

async function digestsOf(snapshot: ReadModelSnapshot): Promise<Digests> {
  try {
    return await snapshot.digests()
  } finally {
    await snapshot.close()
  }
}
