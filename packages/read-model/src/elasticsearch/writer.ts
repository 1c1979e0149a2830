import type { Client } from '@elastic/elasticsearch'
import type {
  PositionedChange,
  ReadModelBuild,
  ReadModelSnapshot,
  Unwiped,
} from '@medialog/application/ports'
import { createLock, type LogPosition } from '@medialog/kernel'
import type { Checkpoint } from './checkpoint.ts'
import { failureOf } from './connection.ts'
import type { IndexContent } from './definition.ts'
import { Expunging } from './expunging.ts'
import { openSnapshot } from './snapshot.ts'
import { Writing } from './writing.ts'

export interface WriterOptions<Change> {
  client: Client
  index: string
  epoch: number
  checkpoint: Checkpoint
  content: IndexContent<Change>
  /** Whether it is: then what is applied is seen when `applyBatch` resolves, unless readers refresh. */
  isInService: boolean
  /** See IndexDefinition. */
  isRefreshedByReaders: boolean
  isOutdated: boolean
  onWipeFailed: (error: Error) => void
  /** Puts it into service, and takes it away. */
  promote: () => Promise<void>
  remove: () => Promise<void>
}

/** One build of a read model. Batches, snapshots and what is erased ahead take turns. */
export class IndexWriter<Change> implements ReadModelBuild<Change> {
  readonly epoch: number
  readonly isOutdated: boolean
  readonly #client: Client
  readonly #index: string
  readonly #checkpoint: Checkpoint
  readonly #content: IndexContent<Change>
  readonly #expunging: Expunging
  readonly #promote: () => Promise<void>
  readonly #remove: () => Promise<void>
  readonly #exclusively = createLock()
  readonly #isRefreshedByReaders: boolean
  #isInService: boolean
  /** Whether something may have been written that was not made visible. Of what a former writer did nothing is known. */
  #unseen = true

  constructor(options: WriterOptions<Change>) {
    const { client, index, checkpoint } = options
    this.epoch = options.epoch
    this.isOutdated = options.isOutdated
    this.#client = client
    this.#index = index
    this.#checkpoint = checkpoint
    this.#content = options.content
    this.#isInService = options.isInService
    this.#isRefreshedByReaders = options.isRefreshedByReaders
    this.#promote = options.promote
    this.#remove = options.remove
    this.#expunging = new Expunging(client, index, options.onWipeFailed)
    // A stop came between a removal and its wiping.
    if (checkpoint.unwiped) this.#expunging.schedule(1)
  }

  get position(): LogPosition {
    return this.#checkpoint.position
  }

  get unwiped(): Unwiped {
    return this.#expunging.unwiped
  }

  /**
   * Documents first, visible with the request that writes them, then the checkpoint: what comes to an end in between is
   * done again, and finds most of it done. While it is looked whether this writer still may, what is there is read.
   */
  applyBatch(
    changes: readonly PositionedChange<Change>[],
    position: LogPosition,
    hash: string | null = null,
  ): Promise<void> {
    return this.#inTurn(async () => {
      if (position <= this.position) return
      const news = changes.filter((change) => change.position > this.position)
      if (news.length > 0) {
        const allowed = this.#checkpoint.check()
        const applied = this.apply(news, allowed)
        await Promise.allSettled([allowed, applied])
        // The reason why it may not write comes before the failure of the write.
        await allowed
        await applied
      }
      const { erasing } = this.#content
      this.#expunging.schedule(news.filter(({ change }) => erasing?.erases(change)).length)
      await this.#checkpoint.moveTo(position, hash, this.unwiped.removals > 0)
      erasing?.passed(position)
    })
  }

  /** Applies the changes, whether they are beyond the checkpoint or not, and leaves that where it is. */
  async apply(
    changes: readonly PositionedChange<Change>[],
    allowed: Promise<void> = Promise.resolve(),
  ): Promise<void> {
    const isSeenAtOnce = this.#isInService && !this.#isRefreshedByReaders
    const refresh = isSeenAtOnce && !this.#unseen
    const writing = new Writing({ client: this.#client, index: this.#index, allowed, refresh })
    this.#unseen = true
    await this.#content.apply(changes, writing)
    if (!isSeenAtOnce) return
    if (!writing.isSeen) await this.#refresh()
    this.#unseen = false
  }

  eraseAhead(changes: readonly PositionedChange<Change>[]): Promise<void> {
    return this.#inTurn(async () => {
      const { erasing } = this.#content
      const ahead = changes.filter(
        ({ change, position }) => position > this.position && erasing?.erases(change),
      )
      if (erasing && ahead.length > 0) this.#expunging.schedule(await erasing.eraseAhead(ahead))
    })
  }

  snapshot(): Promise<ReadModelSnapshot> {
    return this.#inTurn(async () => {
      await this.#refresh()
      const opened = await openSnapshot(this.#client, this.#index)
      return {
        position: this.position,
        digests: () => this.#watched(() => this.#content.digests(opened)),
        close: () => this.#watched(() => opened.close()),
      }
    })
  }

  flushErased(): Promise<void> {
    return this.#watched(() => this.#expunging.flush())
  }

  promote(): Promise<void> {
    return this.#inTurn(async () => {
      await this.#refresh()
      await this.#promote()
      this.#isInService = true
    })
  }

  async discard(): Promise<void> {
    await this.close()
    await this.#watched(() => this.#remove())
  }

  close(): Promise<void> {
    return this.#exclusively(() => this.#expunging.stop())
  }

  async #refresh(): Promise<void> {
    await this.#client.indices.refresh({ index: this.#index })
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    return this.#exclusively(() => this.#watched(work))
  }

  async #watched<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      throw failureOf(error)
    }
  }
}
