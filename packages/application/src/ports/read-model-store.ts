import type { LogPosition } from '@medialog/kernel'
import { EngineUnavailable } from './event-store.ts'
import type { ReadModelName, StoreName, Unwiped } from './projections.ts'

/** What a projection made of the event at `position`. */
export interface PositionedChange<Change> {
  position: LogPosition
  change: Change
}

/** One read model as its projection writes it. */
export interface ReadModelWriter<Change> {
  /** Which build of the read model this is: a later one has a higher number. */
  readonly epoch: number
  /** Up to where the log was applied. */
  readonly position: LogPosition
  /** It is of an older version, and serves until a build of this release's version takes its place. */
  readonly isOutdated: boolean
  /** Removed content takes so much of its room that a copy without it is worth the work. Never, where this is left out. */
  readonly isBloated?: boolean
  /**
   * Changes and checkpoint land together or not at all. What is not beyond the checkpoint is passed over, so the same
   * batch twice changes nothing. `hash` is that of the event at `position`, where there is one: kept with the checkpoint,
   * so that another log is not taken for the one that was applied.
   * @throws ReadModelBroken, EngineUnavailable; WriterReplaced
   */
  applyBatch(
    changes: readonly PositionedChange<Change>[],
    position: LogPosition,
    hash?: string | null,
  ): Promise<void> | void
  /** The state as it is at its position, held still while the writer goes on. To be closed. */
  snapshot(): Promise<ReadModelSnapshot> | ReadModelSnapshot
  /** Removed content that is still to be purged; purging continues in the background, also after a failure. */
  readonly unwiped: Unwiped
  /** Resolves once no file holds what was removed before the call; rejects when trying once failed. */
  flushErased(): Promise<void>
  close(): Promise<void>
}

export type Digests = ReadonlyMap<ReadModelName, string>

export interface ReadModelSnapshot {
  readonly position: LogPosition
  /** Of each read model: hex SHA-256 over all that two builds of one log must agree on. Lets other work through meanwhile. */
  digests(): Promise<Digests>
  close(): Promise<void> | void
}

/** A read model beside the one in service, from the beginning of the log: it is not read yet. */
export interface ReadModelBuild<Change> extends ReadModelWriter<Change> {
  /**
   * Takes content away that these changes, which are still to come here, take away elsewhere by now: at once where it
   * is there, and as soon as it lands where it is not. All else about them waits for their turn.
   */
  eraseAhead(changes: readonly PositionedChange<Change>[]): Promise<void> | void
  /**
   * Fills it with what is in service, without the room of removed content; only before anything else was done with it, and
   * where `isBloated` may be. Lets other work through meanwhile. @throws the signal's reason
   */
  copy?(signal: AbortSignal): Promise<void>
  /** Puts it into service for every reader at once; the one that was is taken away. It is then written to as before. */
  promote(): Promise<void>
  /** Takes it away. */
  discard(): Promise<void>
}

/** Where a read model is stored. Opening it for writing takes it from the former writer: see WriterReplaced. */
export interface ReadModelStore<Change> {
  readonly name: StoreName
  /**
   * The one in service; a new and empty one where there never was any.
   * @throws ReadModelBroken where it is of a version that cannot serve, lost or damaged: it is out of service from then
   *   on, until a build is promoted
   */
  open(): Promise<ReadModelWriter<Change>>
  build(): Promise<ReadModelBuild<Change>>
}

/** What a reader came upon: rows of that build that are not what was written. */
export interface Damage {
  epoch: number
  reason: string
}

/** The read model cannot be used any more: it must be rebuilt from the log. */
export class ReadModelBroken extends Error {
  constructor(name: string, cause: unknown) {
    super(`the read model ${name} is broken: ${(cause as Error).message}`, { cause })
    this.name = 'ReadModelBroken'
  }
}

/** Another process opened the read model for writing, or rebuilt it: this process must not write to it any more. */
export class WriterReplaced extends EngineUnavailable {
  constructor(name: StoreName, message: string) {
    super(name, message)
    this.name = 'WriterReplaced'
  }
}
