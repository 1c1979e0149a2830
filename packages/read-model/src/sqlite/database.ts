import { DatabaseSync } from 'node:sqlite'
import {
  ReadModelBroken,
  type PositionedChange,
  type ReadModelName,
  type ReadModelSnapshot,
  type ReadModelWriter,
  type Unwiped,
} from '@medialog/application/ports'
import type { LogPosition } from '@medialog/kernel'
import { copyCompacted, isBloated } from './compaction.ts'
import { isFileDamage } from './damage.ts'
import type { ReadModelDefinition } from './definition.ts'
import { digestRows } from './digest.ts'
import { openForWriting, readCheckpoint, versionOf } from './open-database.ts'
import { Wiping } from './wiping.ts'

export interface ReadModelFile {
  path: string
  epoch: number
  /** Receives the error of each failed try to purge removed content; it is tried again. */
  onWipeFailed?: (error: Error) => void
}

/**
 * One read model in one file: rows and checkpoint commit in one transaction. Not synced at every commit: after a loss
 * of power the file is at an earlier commit, and the log has the rest.
 */
export class ReadModelDatabase<Change> implements ReadModelWriter<Change> {
  readonly epoch: number
  readonly isOutdated: boolean
  readonly #definition: ReadModelDefinition<Change>
  readonly #path: string
  readonly #database: DatabaseSync
  readonly #apply: (changes: readonly PositionedChange<Change>[]) => void
  readonly #eraseNow: ((change: Change) => boolean) | undefined
  readonly #saveCheckpoint: (position: LogPosition, hash: string | null) => void
  readonly #wiping: Wiping
  #position: LogPosition
  /** What is erased elsewhere and had not landed here yet. */
  #erasedAhead: PositionedChange<Change>[] = []
  /** While it is filled: what is erased elsewhere waits for that. */
  #copying: Promise<void> | null = null
  #isBloated: boolean

  /** @throws ReadModelBroken for a file that is lost, damaged, none or of another version */
  constructor(
    definition: ReadModelDefinition<Change>,
    { path, epoch, onWipeFailed = () => undefined }: ReadModelFile,
  ) {
    this.epoch = epoch
    this.#definition = definition
    this.#path = path
    this.#database = openForWriting(definition, path)
    this.isOutdated = versionOf(this.#database) < definition.version
    this.#apply = definition.prepare(this.#database)
    this.#eraseNow = definition.prepareErasing?.(this.#database)
    const save = this.#database.prepare('UPDATE checkpoint SET position = ?, hash = ?')
    this.#saveCheckpoint = (position, hash) => void save.run(position, hash)
    this.#position = readCheckpoint(this.#database)
    this.#wiping = new Wiping(this.#database, onWipeFailed)
    this.#isBloated = this.#findBloat()
  }

  get position(): LogPosition {
    return this.#position
  }

  get isBloated(): boolean {
    return this.#isBloated
  }

  get unwiped(): Unwiped {
    return this.#wiping.unwiped
  }

  applyBatch(
    changes: readonly PositionedChange<Change>[],
    position: LogPosition,
    hash: string | null = null,
  ): void {
    if (position <= this.#position) return
    const news = changes.filter((change) => change.position > this.#position)
    const ahead = this.#erasedAhead.filter((change) => change.position > position)
    const left = this.#transact(() => {
      this.#apply(news)
      this.#saveCheckpoint(position, hash)
      return this.#erase(ahead)
    })
    this.#position = position
    this.#erasedAhead = left
    const removals = news.filter(({ change }) => this.#definition.erases?.(change)).length
    this.#scheduleWipe(removals + ahead.length - left.length)
    if (removals > 0) this.#isBloated = this.#findBloat()
  }

  /** See ReadModelBuild. */
  eraseAhead(changes: readonly PositionedChange<Change>[]): void {
    const ahead = changes.filter(
      ({ change, position }) => position > this.#position && this.#definition.erases?.(change),
    )
    if (ahead.length === 0) return
    if (this.#copying) return void this.#erasedAhead.push(...ahead)
    const left = this.#transact(() => this.#erase(ahead))
    this.#erasedAhead.push(...left)
    this.#scheduleWipe(ahead.length - left.length)
  }

  snapshot(): ReadModelSnapshot {
    const database = new DatabaseSync(this.#path, { readOnly: true })
    const { digestQueries, canonical } = this.#definition
    try {
      database.exec('BEGIN')
      return {
        // The first read takes the snapshot.
        position: readCheckpoint(database),
        async digests() {
          const digests = new Map<ReadModelName, string>()
          for (const [readModel, queries] of digestQueries)
            digests.set(readModel, await digestRows(database, queries, canonical))
          return digests
        },
        close: () => database.close(),
      }
    } catch (error) {
      database.close()
      throw this.#brokenOr(error)
    }
  }

  /** Fills the file, which must be empty, with what the one at `path` holds: see ReadModelBuild. */
  protected fillFrom(path: string, signal: AbortSignal): Promise<void> {
    this.#copying = this.#fill(path, signal).finally(() => (this.#copying = null))
    return this.#copying
  }

  async #fill(path: string, signal: AbortSignal): Promise<void> {
    this.#position = await copyCompacted(this.#database, path, this.#definition.compaction!, signal)
    const ahead = this.#erasedAhead.filter(({ position }) => position > this.#position)
    this.#erasedAhead = this.#transact(() => this.#erase(ahead))
    this.#scheduleWipe(ahead.length - this.#erasedAhead.length)
  }

  async flushErased(): Promise<void> {
    // One that fails is thrown away.
    if (this.#copying) await this.#copying.catch(() => undefined)
    await this.#wiping.flush()
  }

  async close(): Promise<void> {
    // Its failure is reported to who asked for the copy.
    if (this.#copying) await this.#copying.catch(() => undefined)
    this.#wiping.stop()
    if (this.#database.isOpen) this.#database.close()
  }

  #findBloat(): boolean {
    const { compaction } = this.#definition
    return compaction !== undefined && !this.isOutdated && isBloated(this.#database, compaction)
  }

  /** Answers what was not there to be erased. */
  #erase(changes: readonly PositionedChange<Change>[]): PositionedChange<Change>[] {
    return changes.filter(({ change }) => !this.#eraseNow?.(change))
  }

  #scheduleWipe(removals: number): void {
    if (removals > 0) this.#wiping.schedule(removals)
  }

  #transact<T>(work: () => T): T {
    try {
      this.#database.exec('BEGIN IMMEDIATE')
      const outcome = work()
      this.#database.exec('COMMIT')
      return outcome
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK')
      throw this.#brokenOr(error)
    }
  }

  #brokenOr = (error: unknown): unknown =>
    isFileDamage(error) ? new ReadModelBroken(this.#definition.name, error) : error
}
