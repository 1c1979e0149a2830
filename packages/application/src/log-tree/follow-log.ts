import { BEGINNING, explain, type LogPosition } from '@medialog/kernel'
import { keepDoing, type Background } from '../core/background.ts'
import {
  EngineUnavailable,
  type EventBatch,
  type EventStore,
  type Leaf,
  type LogLeaves,
} from '../ports/index.ts'
import { restoreTree, type GrowingBlocks } from './growing-blocks.ts'
import type { NodeHash } from './leaf.ts'

export interface FollowingPorts {
  eventStore: Pick<EventStore, 'subscribe' | 'head'>
  leaves: LogLeaves
  /** Waits between tries, and reports failures. */
  background: Pick<Background, 'pause'>
}

/** How long somebody waits for the leaves before it is given up for now. */
export const PATIENCE_MS = 30_000

/** The tree over all events, kept up to date here or by another process. */
export interface KeptTree {
  /** Resolves once the leaves of all events up to there are kept for good. @throws EngineUnavailable */
  holds(position: LogPosition): Promise<void>
  /** How many leaves there are of all events that there were when it was asked, and their root. @throws EngineUnavailable */
  now(): Promise<{ size: number; root: NodeHash }>
  close(): Promise<void>
}

interface Waiting {
  position: LogPosition
  resolve: () => void
}

/**
 * Keeps a leaf of every event as the log grows, from where it stood. Whatever fails is tried again, from what is kept; a
 * death loses nothing, because the log is there to be followed again.
 */
export class TreeFollower implements KeptTree {
  readonly #ports: FollowingPorts
  readonly #stopping = new AbortController()
  readonly #running: Promise<void>
  readonly #onGrown: (size: number) => void
  #tree: GrowingBlocks | null = null
  #position: LogPosition = -1
  #trouble: string | null = null
  #waiting: Waiting[] = []

  /** `onGrown` hears how many leaves there are, whenever there are more. */
  constructor(ports: FollowingPorts, onGrown: (size: number) => void) {
    this.#ports = ports
    this.#onGrown = onGrown
    this.#running = this.#run()
  }

  async holds(position: LogPosition): Promise<void> {
    await this.#reached(position)
    await this.#ports.leaves.flush()
  }

  async now(): Promise<{ size: number; root: NodeHash }> {
    await this.#reached(await this.#ports.eventStore.head())
    const tree = this.#tree!
    return { size: tree.size, root: tree.root() }
  }

  /** What keeps it from following the log now, for people, or null. */
  get trouble(): string | null {
    return this.#trouble
  }

  async close(): Promise<void> {
    this.#stopping.abort()
    await this.#running
  }

  async #reached(position: LogPosition): Promise<void> {
    if (this.#tree && this.#position >= position) return
    if (this.#stopping.signal.aborted) throw new EngineUnavailable('leaves of the log', 'the log is closed')
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const waiting: Waiting = { position, resolve }
    this.#waiting.push(waiting)
    const giveUp = () =>
      reject(new EngineUnavailable('leaves of the log', this.#trouble ?? 'they are behind the log'))
    const timer = setTimeout(giveUp, PATIENCE_MS)
    this.#stopping.signal.addEventListener('abort', giveUp, { once: true })
    try {
      await promise
    } finally {
      clearTimeout(timer)
      this.#stopping.signal.removeEventListener('abort', giveUp)
      this.#waiting = this.#waiting.filter((other) => other !== waiting)
    }
  }

  #run(): Promise<void> {
    const { background } = this.#ports
    const { signal } = this.#stopping
    const onTrouble = (failure: unknown): void => {
      this.#trouble = failure === null ? null : explain(failure)
    }
    return keepDoing({ background, signal, onTrouble }, (onProgress) => this.#follow(signal, onProgress))
  }

  async #follow(signal: AbortSignal, onProgress: () => void): Promise<void> {
    const { eventStore, leaves } = this.#ports
    this.#tree = null
    const tree = await restoreTree(leaves)
    const [last] = tree.size > 0 ? await leaves.read(tree.size - 1, 1) : []
    this.#moved(tree, last?.position ?? BEGINNING)
    for await (const batch of eventStore.subscribe(last?.position ?? BEGINNING, { signal })) {
      await this.#add(tree, batch)
      this.#moved(tree, batch.position)
      onProgress()
    }
    if (!signal.aborted) throw new Error('the log was closed')
  }

  async #add(tree: GrowingBlocks, { events }: EventBatch): Promise<void> {
    if (events.length === 0) return
    const { size } = tree
    const blocks: NodeHash[] = []
    const added = events.map(({ position, stream, revision, hash }): Leaf => {
      const leaf = { position, stream, revision, hash }
      const block = tree.add(leaf)
      if (block) blocks.push(block)
      return leaf
    })
    await this.#ports.leaves.append(size, added, blocks)
  }

  #moved(tree: GrowingBlocks, position: LogPosition): void {
    this.#tree = tree
    this.#position = position
    for (const waiting of this.#waiting) if (waiting.position <= position) waiting.resolve()
    this.#onGrown(tree.size)
  }
}
