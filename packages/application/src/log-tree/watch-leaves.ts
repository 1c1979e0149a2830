import { setTimeout as sleep } from 'node:timers/promises'
import type { LogPosition } from '@medialog/kernel'
import { EngineUnavailable, type EventStore, type LogLeaves } from '../ports/index.ts'
import { PATIENCE_MS, type KeptTree } from './follow-log.ts'
import { restoreTree } from './growing-blocks.ts'

export interface WatchingPorts {
  eventStore: Pick<EventStore, 'head'>
  leaves: LogLeaves
}

const LOOK_EVERY_MS = 50

const behind = (): EngineUnavailable =>
  new EngineUnavailable(
    'leaves of the log',
    'they are behind the log: a process with the role projections keeps them',
  )

/** The tree that another process keeps, read from its leaves. */
export class TreeWatcher implements KeptTree {
  readonly #ports: WatchingPorts
  readonly #stopping = new AbortController()
  /** The last leaf that was seen. */
  #seen: { size: number; position: LogPosition } = { size: 0, position: -1 }

  constructor(ports: WatchingPorts) {
    this.#ports = ports
  }

  async holds(position: LogPosition): Promise<void> {
    await this.#reached(position)
    await this.#ports.leaves.flush()
  }

  async now() {
    await this.#reached(await this.#ports.eventStore.head())
    const tree = await restoreTree(this.#ports.leaves)
    return { size: tree.size, root: tree.root() }
  }

  async close(): Promise<void> {
    this.#stopping.abort()
  }

  /** Leaves that cannot be asked for now may be made or moved, and are asked for again. */
  async #reached(position: LogPosition): Promise<void> {
    const { signal } = this.#stopping
    const until = performance.now() + PATIENCE_MS
    for (;;) {
      let away: EngineUnavailable | null = null
      try {
        if ((await this.#last()) >= position) return
      } catch (error) {
        if (!(error instanceof EngineUnavailable)) throw error
        away = error
      }
      if (signal.aborted) throw new EngineUnavailable('leaves of the log', 'the log is closed')
      if (performance.now() > until) throw away ?? behind()
      await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined)
    }
  }

  /** Asked again each time: lost leaves are made again from the first on. */
  async #last(): Promise<LogPosition> {
    const { leaves } = this.#ports
    const size = await leaves.size()
    if (size === this.#seen.size) return this.#seen.position
    const [last] = size === 0 ? [] : await leaves.read(size - 1, 1)
    this.#seen = { size, position: last?.position ?? -1 }
    return this.#seen.position
  }
}
