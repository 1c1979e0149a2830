import { createHash } from 'node:crypto'
import {
  WriterReplaced,
  type PositionedChange,
  type ReadModelBuild,
  type StoreName,
  type ReadModelStore,
} from '@medialog/application/ports'
import type { LogPosition } from '@medialog/kernel'

/** Builds of one read model that several hosts share: the last one to open it may write. */
export function createMemoryStore<Change>(
  name: StoreName,
  onMoved: (position: LogPosition) => void = () => undefined,
) {
  let inService: MemoryBuild | null = null
  let epochs = 0

  class MemoryBuild {
    readonly epoch = ++epochs
    readonly changes: PositionedChange<Change>[] = []
    position = 0
    owner = {}
  }

  function writerOf(build: MemoryBuild): ReadModelBuild<Change> {
    const owner = (build.owner = {})
    const requireOwned = (): void => {
      if (build.owner !== owner || (inService !== build && inService!.epoch > build.epoch))
        throw new WriterReplaced(name, 'Another process writes.')
    }
    return {
      epoch: build.epoch,
      get position() {
        return build.position
      },
      isOutdated: false,
      unwiped: { removals: 0, error: null },
      async applyBatch(changes, position) {
        requireOwned()
        build.changes.push(...changes.filter((change) => change.position > build.position))
        build.position = Math.max(build.position, position)
        if (inService === build) onMoved(build.position)
      },
      snapshot: () => ({
        position: build.position,
        digests: async () =>
          new Map([['accounts', createHash('sha256').update(JSON.stringify(build.changes)).digest('hex')]]),
        close: () => undefined,
      }),
      eraseAhead: () => undefined,
      flushErased: async () => undefined,
      async promote() {
        requireOwned()
        inService = build
      },
      discard: async () => undefined,
      close: async () => undefined,
    }
  }

  const store: ReadModelStore<Change> = {
    name,
    open: async () => writerOf((inService ??= new MemoryBuild())),
    build: async () => writerOf(new MemoryBuild()),
  }
  return {
    store,
    get changes(): readonly PositionedChange<Change>[] {
      return inService?.changes ?? []
    },
  }
}
