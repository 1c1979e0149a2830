import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  EngineUnavailable,
  ReadModelBroken,
  WriterReplaced,
  type Damage,
  type EventBatch,
  type ReadModelBuild,
  type StoreName,
  type ReadModelWriter,
  type Unwiped,
} from '@medialog/application/ports'
import { createLock, type LogPosition } from '@medialog/kernel'
import { applyEvents } from './apply.ts'
import type { HostPorts, Projected } from './ports.ts'

const FIRST_RETRY_MS = 50
const LAST_RETRY_MS = 10_000
/** A damaged read model is rebuilt at once; one that is damaged again within the hour after ever longer. */
const FIRST_REMAKE_AGAIN_MS = 10_000
const LAST_REMAKE_AGAIN_MS = 3_600_000
/** A copy that failed, for want of room perhaps, is tried again so much later. */
const COMPACT_AGAIN_MS = 600_000

export interface RunnerEvents {
  onReached(name: StoreName, position: LogPosition): void
  /** Another process writes to the read model: this one cannot any more. */
  onReplaced?(): void
  /** Rebuilds the read model, which is damaged or outdated, and swaps it in. */
  remake(): Promise<void>
  /** Swaps a copy without the room of removed content in. */
  compact(): Promise<void>
}

/** Keeps one read model up with the log until it is closed; errors are shown, retried with back-off and never skipped. */
export class Runner<Change> {
  readonly name: StoreName
  readonly #projected: Projected<Change>
  readonly #ports: HostPorts
  readonly #events: RunnerEvents
  readonly #stopping = new AbortController()
  /** Batches and swaps take turns. */
  readonly #exclusively = createLock()
  /** The build beside it, which must learn of erasures. */
  readonly #builds = new Set<ReadModelBuild<Change>>()
  #writer: ReadModelWriter<Change> | null = null
  /** Why it stands still. */
  #trouble: string | null = null
  #damage: string | null = null
  /** Nothing can be written before it is rebuilt. */
  #unwritable = false
  #remaking: Promise<void> = Promise.resolve()
  #compacting: Promise<void> | null = null
  #compactedAt = -Infinity
  #remakes = { inARow: 0, lastAt: -Infinity }
  #running: Promise<void> = Promise.resolve()

  constructor(projected: Projected<Change>, ports: HostPorts, events: RunnerEvents) {
    this.name = projected.projection.name
    this.#projected = projected
    this.#ports = ports
    this.#events = events
  }

  /** Why it stands still or is being rebuilt, or null. */
  get error(): string | null {
    return this.#damage === null ? this.#trouble : `damaged, being rebuilt from the log: ${this.#damage}`
  }

  get isDamaged(): boolean {
    return this.#damage !== null
  }

  get isOutdated(): boolean {
    return this.#writer?.isOutdated ?? false
  }

  get isOpen(): boolean {
    return this.#writer !== null
  }

  get unwiped(): Unwiped {
    return this.#writer?.unwiped ?? { removals: 0, error: null }
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

  /** Puts a build at or before this one's position into its place, after bringing it exactly to that position. */
  swap(build: ReadModelBuild<Change>, catchUp: (position: LogPosition) => Promise<void>): Promise<void> {
    return this.#exclusively(async () => {
      await catchUp(this.position)
      const old = this.#writer
      await build.promote()
      this.#writer = build
      this.#damage = null
      this.#unwritable = false
      this.#events.onReached(this.name, this.position)
      await old?.close()
    })
  }

  /** From now on the build takes away what the one in service takes away. */
  accompany(build: ReadModelBuild<Change>): void {
    this.#builds.add(build)
  }

  /** The end of that. Answers whether the build is the one in service now. */
  leave(build: ReadModelBuild<Change>): boolean {
    this.#builds.delete(build)
    return this.#writer === build
  }

  /** What a reader came upon. Of a build that is not in service any more it is no news. */
  damaged({ epoch, reason }: Damage): void {
    if (epoch === this.#writer?.epoch) this.#remakeOver(reason)
  }

  /** See ReadModelWriter: of the one in service and of what is made beside it. */
  async flushErased(): Promise<void> {
    const writers = this.#writer ? [this.#writer, ...this.#builds] : [...this.#builds]
    await Promise.all(writers.map((writer) => writer.flushErased()))
  }

  async close(): Promise<void> {
    this.#stopping.abort()
    await this.#running
    await this.#exclusively(async () => this.#writer?.close())
  }

  async #open(): Promise<void> {
    this.#writer = await this.#projected.store.open()
    this.#events.onReached(this.name, this.position)
    if (this.isOutdated) this.#remaking = this.#remakeUntilDone('it is of an older version')
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping
    let retryMs = FIRST_RETRY_MS
    while (!signal.aborted) {
      if (this.#unwritable) await Promise.race([this.#remaking, once(signal, 'abort')])
      const before = this.position
      await this.#attempt(() => this.#follow(signal))
      if (signal.aborted) return
      retryMs = this.position > before ? FIRST_RETRY_MS : Math.min(retryMs * 2, LAST_RETRY_MS)
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
        await applyEvents(projection, this.#ports, this.#withBuilds(), events, position)
      } finally {
        if (this.position > before) this.#events.onReached(this.name, this.position)
      }
    }
    this.#trouble = null
    this.#compactWhereBloated()
  }

  /** What is applied here is erased there: a build that is slow to get so far must not keep what is to be in no file. */
  #withBuilds(): Pick<ReadModelWriter<Change>, 'applyBatch'> {
    const { writer } = this
    return {
      applyBatch: async (changes, position, hash) => {
        await writer.applyBatch(changes, position, hash)
        for (const build of this.#builds)
          try {
            await build.eraseAhead(changes)
          } catch (error) {
            // One that keeps what is erased is of no use, and no reason to stand still: the rebuild will find out.
            this.#ports.logger.error({ readModel: this.name, err: error }, 'a build could not erase')
            await build.discard()
          }
      },
    }
  }

  async #attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      if (this.#stopping.signal.aborted) return
      this.#trouble = (error as Error).message
      this.#ports.logger.error(
        { readModel: this.name, position: this.position, err: error },
        'projection stands still',
      )
      if (error instanceof WriterReplaced) this.#events.onReplaced?.()
      if (!(error instanceof ReadModelBroken)) return
      this.#unwritable = true
      this.#remakeOver(this.#trouble)
    }
  }

  /** While the one in service goes on. */
  #compactWhereBloated(): void {
    if (!this.writer.isBloated || this.#compacting || this.isDamaged) return
    if (performance.now() - this.#compactedAt < COMPACT_AGAIN_MS) return
    this.#compacting = this.#compact().finally(() => (this.#compacting = null))
  }

  async #compact(): Promise<void> {
    const { name: readModel } = this
    try {
      await this.#events.compact()
      this.#ports.logger.info({ readModel }, 'the room of removed content was reclaimed')
    } catch (error) {
      if (this.#stopping.signal.aborted) return
      this.#compactedAt = performance.now()
      this.#ports.logger.warn({ readModel, err: error }, 'the room of removed content could not be reclaimed')
    }
  }

  #remakeOver(damage: string): void {
    if (this.#damage !== null) return
    this.#damage = damage
    this.#remaking = this.#remakeUntilDone(damage)
  }

  async #remakeUntilDone(reason: string): Promise<void> {
    const { signal } = this.#stopping
    const details = { readModel: this.name, reason }
    let pauseMs = this.#pauseBeforeRemake()
    this.#ports.logger.warn({ ...details, pauseMs }, 'the read model is being rebuilt from the log')
    while ((this.isDamaged || this.isOutdated) && !signal.aborted)
      try {
        if (pauseMs > 0) await sleep(pauseMs, undefined, { signal })
        await this.#events.remake()
        this.#ports.logger.warn(details, 'the read model was rebuilt from the log')
      } catch (error) {
        if (signal.aborted || (error as Error).name === 'AbortError') return
        pauseMs = Math.min(Math.max(pauseMs * 2, FIRST_RETRY_MS), LAST_RETRY_MS)
        this.#ports.logger.error({ ...details, err: error, pauseMs }, 'rebuilding it failed and is retried')
      }
    this.#remakes.lastAt = performance.now()
  }

  /** What is damaged again soon after may be so for good, and rebuilding it costs much. */
  #pauseBeforeRemake(): number {
    const isSoon = performance.now() - this.#remakes.lastAt < LAST_REMAKE_AGAIN_MS
    this.#remakes.inARow = isSoon ? this.#remakes.inARow + 1 : 0
    if (!isSoon) return 0
    return Math.min(FIRST_REMAKE_AGAIN_MS * 2 ** (this.#remakes.inARow - 1), LAST_REMAKE_AGAIN_MS)
  }
}
