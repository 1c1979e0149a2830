import { setTimeout as sleep } from 'node:timers/promises'
import type {
  ReadModelBuild,
  ReadModelSnapshot,
  RebuildProgress,
  RebuildReport,
} from '@medialog/application/ports'
import type { LogPosition } from '@medialog/kernel'
import { replay } from './apply.ts'
import type { HostPorts, Projected } from './ports.ts'
import type { Runner } from './runner.ts'

/** What was erased between two looks at the log makes two honest builds differ; the next comparison heals that. */
const COMPARISONS = 3
const LOOK_AGAIN_MS = 20

export interface RebuildOptions {
  /** Whether the new one goes into service. */
  swap: boolean
  onProgress: (progress: RebuildProgress) => void
  signal: AbortSignal
}

type Compared = Pick<RebuildReport, 'position' | 'digestInService' | 'digestRebuilt' | 'identical'>

/**
 * Makes a read model from the beginning of the log beside the one in service, compares both at one position, then
 * swaps it in or throws it away. Readers and the projection in service go on all the while. The new one never gets
 * ahead of the one in service, whose snapshots so are always at a position that the new one can be brought to.
 */
export async function rebuild<Change>(
  { projection, store, runner }: Projected<Change> & { runner: Runner<Change> },
  ports: HostPorts,
  { swap, onProgress, signal }: RebuildOptions,
): Promise<RebuildReport> {
  const started = performance.now()
  const readModel = projection.name
  const build = await store.build()
  let events = 0
  const report = (phase: RebuildProgress['phase']): void => {
    signal.throwIfAborted()
    onProgress({ readModel, phase, position: build.position, head: runner.position })
  }
  const catchUp = async (upTo: LogPosition): Promise<void> => {
    events += await replay(projection, ports, build, upTo, () => report('building'))
  }

  let swapped = false
  try {
    report('building')
    // Once more for what came meanwhile: the snapshot to come holds the one in service still for less.
    for (let round = 0; round < 2; round++) await catchUp(runner.position)
    const compared = await compareSettled()
    if (swap) {
      await runner.swap(build, catchUp)
      swapped = true
    }
    const seconds = (performance.now() - started) / 1_000
    onProgress({ readModel, phase: 'done', position: build.position, head: runner.position })
    return { readModel, ...compared, events, swapped, seconds }
  } finally {
    if (!swapped) await build.discard()
  }

  /** Compares, and again while a difference may be an erasure that one of the two has seen and the other has not. */
  async function compareSettled(): Promise<Compared> {
    for (let comparison = 1; ; comparison++) {
      const compared = await compare(build, runner.writer.snapshot(), catchUp, () => report('comparing'))
      if (compared.identical || comparison === COMPARISONS) return compared
      // Every erasure comes after an event that allows it: no event, no erasure.
      const head = await ports.log.head()
      if (head <= compared.position || !(await goesOnTo(runner, head, signal))) return compared
    }
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
    const digestRebuilt = await digestOf(build.snapshot())
    // A damaged file may not be readable to its end: then it differs, and a rebuild repairs it.
    const digestInService = await inService.digest().catch((error: Error) => `unreadable: ${error.message}`)
    return { position, digestInService, digestRebuilt, identical: digestInService === digestRebuilt }
  } finally {
    inService.close()
  }
}

async function digestOf(snapshot: ReadModelSnapshot): Promise<string> {
  try {
    return await snapshot.digest()
  } finally {
    snapshot.close()
  }
}
