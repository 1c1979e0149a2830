import { setTimeout as sleep } from 'node:timers/promises'
import {
  EngineUnavailable,
  ReadModelBroken,
  type EventBatch,
  type ReadModelBuild,
  type ReadModelName,
  type ReadModelWriter,
} from '@medialog/application/ports'
import type { LogPosition } from '@medialog/kernel'
import { applyEvents } from './apply.ts'
import { createLock } from './lock.ts'
import type { HostPorts, Projected } from './ports.ts'

const FIRST_RETRY_MS = 50
const LAST_RETRY_MS = 10_000

/** Keeps one read model up with the log until it is closed; errors are shown, retried with back-off and never skipped. */
export class Runner<Change> {
  readonly name: ReadModelName
  /** Why it stands still, or null. */
  error: string | null = null
  /** Events applied since the start. */
  applied = 0
  readonly #projected: Projected<Change>
  readonly #ports: HostPorts
  readonly #onReached: (position: LogPosition) => void
  readonly #stopping = new AbortController()
  /** Batches and swaps take turns. */
  readonly #exclusively = createLock()
  #writer: ReadModelWriter<Change> | null = null
  #running: Promise<void> = Promise.resolve()

  constructor(
    projected: Projected<Change>,
    ports: HostPorts,
    onReached: (name: ReadModelName, position: LogPosition) => void,
  ) {
    this.name = projected.projection.name
    this.#projected = projected
    this.#ports = ports
    this.#onReached = (position) => onReached(this.name, position)
  }

  /** The one in service. */
  get writer(): ReadModelWriter<Change> {
    if (!this.#writer) throw new EngineUnavailable(this.name, `The read model ${this.name} is not open.`)
    return this.#writer
  }

  /** Where it stands; 0 while it could not be opened. */
  get position(): LogPosition {
    return this.#writer?.position ?? 0
  }

  /** Resolves once there is something to read, or it was seen that there is an error. */
  async start(): Promise<void> {
    await this.#attempt(() => this.#open())
    this.#running = this.#run()
  }

  /** Puts a build that stands at or before this one into its place, brought exactly to where this one stands. */
  swap(build: ReadModelBuild<Change>, catchUp: (position: LogPosition) => Promise<void>): Promise<void> {
    return this.#exclusively(async () => {
      await catchUp(this.position)
      const old = this.#writer
      await build.promote()
      this.#writer = build
      await old?.close()
    })
  }

  /** See ReadModelWriter. A swap in the middle leaves nothing to wipe: its new file never held it. */
  async flushErased(): Promise<void> {
    await this.#writer?.flushErased()
  }

  async close(): Promise<void> {
    this.#stopping.abort()
    await this.#running
    await this.#exclusively(async () => this.#writer?.close())
  }

  async #open(): Promise<void> {
    this.#writer = await this.#projected.store.open()
    this.#onReached(this.position)
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping
    let retryMs = FIRST_RETRY_MS
    while (!signal.aborted) {
      const before = this.applied
      await this.#attempt(() => this.#follow(signal))
      if (signal.aborted) return
      retryMs = this.applied > before ? FIRST_RETRY_MS : Math.min(retryMs * 2, LAST_RETRY_MS)
      await sleep(retryMs, undefined, { signal }).catch(() => undefined)
    }
  }

  /** Follows the log until it is stopped or something fails. */
  async #follow(signal: AbortSignal): Promise<void> {
    if (!this.#writer) await this.#open()
    for await (const batch of this.#ports.log.subscribe(this.position, { signal })) {
      if (signal.aborted) return
      await this.#exclusively(() => this.#apply(batch))
    }
  }

  async #apply({ events, position }: EventBatch): Promise<void> {
    const { projection } = this.#projected
    // A rebuilt one that was swapped in meanwhile stands exactly where its predecessor stood.
    if (position > this.position) {
      const before = this.position
      try {
        await applyEvents(projection, this.#ports, this.writer, events, position)
      } finally {
        this.applied += events.filter(
          (event) => event.position > before && event.position <= this.position,
        ).length
        if (this.position > before) this.#onReached(this.position)
      }
    }
    this.error = null
  }

  async #attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      if (this.#stopping.signal.aborted) return
      this.error = (error as Error).message
      this.#ports.logger.error(
        { readModel: this.name, position: this.position, err: error },
        'projection stands still',
      )
      if (error instanceof ReadModelBroken) await this.#startOver()
    }
  }

  /** A broken read model is made anew beside it and takes its place at once: an empty one that catches up is better. */
  async #startOver(): Promise<void> {
    await this.#attempt(async () => {
      const fresh = await this.#projected.store.build()
      await fresh.promote()
      await this.#writer?.close()
      this.#writer = fresh
      this.#ports.logger.info({ readModel: this.name }, 'the read model was broken: made anew from the log')
    })
  }
}
