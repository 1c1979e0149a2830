import type { Uuid } from '@medialog/kernel'

/** Artifacts belong to one ingest of one item, so that erasing an old ingest never touches a newer one. */
export interface IngestRef {
  accountId: Uuid
  mediaId: Uuid
  ingestId: Uuid
}

/**
 * What an ingest left behind: text, metadata, vectors. Never the original file.
 * Contract suite: `describeArtifactStoreContract` in packages/artifacts. All of it @throws EngineUnavailable.
 */
export interface ArtifactStore {
  /** Writes durably, whole or not at all; writing the same name again replaces it. */
  put(ingest: IngestRef, name: string, bytes: Uint8Array): Promise<ArtifactReceipt>
  /**
   * As `put`, but only beside what the ingest has: null where it has nothing, or nothing any more. What was deleted
   * never comes back by it, however the two fall together.
   */
  add(ingest: IngestRef, name: string, bytes: Uint8Array): Promise<ArtifactReceipt | null>
  /** The bytes, or null. */
  get(ingest: IngestRef, name: string): Promise<Uint8Array | null>
  /** What the ingest has, in no particular order. */
  names(ingest: IngestRef): Promise<string[]>
  /** Removes what the ingest has under other names; nothing happens where it has nothing. */
  retain(ingest: IngestRef, names: readonly string[]): Promise<void>
  /** Removes everything of that one ingest; nothing happens where it is gone already. */
  deleteIngest(ingest: IngestRef): Promise<void>
  /** Every ingest that has artifacts, in no particular order. */
  list(): AsyncIterable<IngestRef>
  /** Whether it is a server of its own. */
  readonly remote: boolean
  /** Whether it answers, known within a few seconds. @throws EngineUnavailable */
  check(): Promise<void>
}

export interface ArtifactReceipt {
  /** Hex SHA-256 of the bytes. */
  sha256: string
  size: number
}

/**
 * Where uploads wait while they are worked on: always in a file of this machine, which is a copy where several share them.
 * Contract suite: `describeStagingContract` in packages/artifacts.
 */
export interface Staging {
  /**
   * Streams `source` to a file, hashing on the way; stops reading as soon as `limit(head)` is passed, where `head`
   * is the first 8 KiB (or all of a shorter file). Leaves nothing behind when it throws. `id`: a new one unless given.
   * @throws FileTooLarge, EngineUnavailable, also where less room is left than has to be
   */
  stage(
    source: AsyncIterable<Uint8Array>,
    limit: (head: Uint8Array) => number,
    id?: Uuid,
  ): Promise<StagedFile>
  /**
   * Removes one staged file; nothing happens where it is removed already. While storage is unavailable it is removed later, at the
   * latest by a sweep: who releases a file is done with it.
   */
  release(id: Uuid): Promise<void>
  /**
   * Removes what a crash left: every staged file but those that are arriving, that another living process has staged, or
   * that are needed still. `neededOf` is asked about those that no process holds, after that is certain; it may answer ids of
   * others too. Answers how many were removed. @throws EngineUnavailable, and what `neededOf` throws
   */
  sweep(neededOf: (ids: readonly Uuid[]) => Promise<ReadonlySet<Uuid>>): Promise<number>
  /**
   * A staged file that is taken up again, after a restart too, on any machine where machines share them.
   * @throws Error where it is gone, EngineUnavailable
   */
  reopen(id: Uuid): Promise<Pick<StagedFile, 'id' | 'path' | 'size' | 'head'>>
  /** How much room there is. */
  room(): Promise<Room>
}

/** Of the disk that uploads are written to, in bytes. */
export interface Room {
  free: number
  /** With less than that free no file is taken: what is there has to be written to and erased still. */
  reserved: number
}

/** With less than that nothing can be written that counts, whatever is to be left. */
const LEAST_FREE = 1_000_000

export const isDiskFull = ({ free, reserved }: Room): boolean => free < Math.max(reserved, LEAST_FREE)

/** What is said of a disk with less room than has to be left. */
export const fullDisk = ({ free, reserved }: Room): string =>
  `the disk is full: ${asMegabytes(free)} MB are free, and uploads are refused below ${asMegabytes(Math.max(reserved, LEAST_FREE))}`

const asMegabytes = (bytes: number): number => Math.floor(bytes / 1_000_000)

export interface StagedFile {
  id: Uuid
  /** A path on this machine. */
  path: string
  size: number
  /** Hex SHA-256. */
  sha256: string
  /** The first bytes, at most 8 KiB: enough to identify the format. */
  head: Uint8Array
}

export class FileTooLarge extends Error {
  readonly limit: number

  constructor(limit: number) {
    super(`the file is larger than ${limit} bytes`)
    this.name = 'FileTooLarge'
    this.limit = limit
  }
}
