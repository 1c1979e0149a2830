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
  }

  get position(): LogPosition {
    return this.#position
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
  }

  /** See ReadModelBuild. */
  eraseAhead(changes: readonly PositionedChange<Change>[]): void {
    const ahead = changes.filter(
      ({ change, position }) => position > this.#position && this.#definition.erases?.(change),
    )
    if (ahead.length === 0) return
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

  flushErased(): Promise<void> {
    return this.#wiping.flush()
  }

  async close(): Promise<void> {
    this.#wiping.stop()
    if (this.#database.isOpen) this.#database.close()
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
