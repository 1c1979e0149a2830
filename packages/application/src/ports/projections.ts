import type { LogPosition } from '@medialog/kernel'

export const READ_MODELS = ['catalog', 'accounts', 'usage', 'work', 'batches', 'history'] as const
export type ReadModelName = (typeof READ_MODELS)[number]

/**
 * Read models of one store have one file or index, one checkpoint and one leader, and are rebuilt together. Accounts are
 * apart (`access`): a damaged page of another read model keeps no API key away.
 */
export const STORES = ['catalog', 'access', 'records'] as const
export type StoreName = (typeof STORES)[number]

const STORE_OF: Record<ReadModelName, StoreName> = {
  catalog: 'catalog',
  accounts: 'access',
  usage: 'records',
  work: 'records',
  batches: 'records',
  history: 'records',
}
export const storeOf = (name: ReadModelName): StoreName => STORE_OF[name]

export interface Unwiped {
  /** Changes that took content away whose bytes the files may still hold. */
  removals: number
  /** Why the last try failed, or null. */
  error: string | null
}

export interface RebuildProgress {
  /** `building` beside the one in service, `comparing` digests at the same position, then `done`. */
  phase: 'building' | 'comparing' | 'done'
  position: LogPosition
  head: LogPosition
}

export interface RebuildReport {
  readModel: ReadModelName
  /** Where both builds stood when they were compared. */
  position: LogPosition
  events: number
  /** Hex SHA-256 over the read model in service and over the fresh one. */
  digestInService: string
  digestRebuilt: string
  identical: boolean
  /** Whether the fresh one is in service now. */
  swapped: boolean
  seconds: number
}

export interface ReadModelStatus {
  name: ReadModelName
  position: LogPosition
  /** Events in the log that it has not applied. 0 when caught up. */
  behind: number
  /** Counting stopped at `behind`: there are more. */
  atLeast: boolean
  /** Why it stands still or is being rebuilt, or null. */
  error: string | null
  unwiped: Unwiped
  /** The process that keeps it up to date, for people; null: none is known to. */
  leader: string | null
  /** Whether it is this one. */
  isLeader: boolean
}

/** Keeps the read models up to date with the log, and rebuilds them. */
export interface Projections {
  /** What this read model (default: every one) shows by now; makes no call, so it may be used for every answer. */
  position(readModel?: ReadModelName): LogPosition
  /** Resolves once the read models named (default all) have applied `position`; false when `timeoutMs` passes first. */
  reached(
    position: LogPosition,
    options?: { readModels?: readonly ReadModelName[]; timeoutMs?: number },
  ): Promise<boolean>
  status(): Promise<ReadModelStatus[]>
  /** Rebuilds the read model's store beside the one in service, compares, swaps: one report for each read model in it. */
  rebuild(name: ReadModelName, onProgress: (progress: RebuildProgress) => void): Promise<RebuildReport[]>
  /** The same without swapping. */
  verify(name: ReadModelName, onProgress: (progress: RebuildProgress) => void): Promise<RebuildReport[]>
  close(): Promise<void>
}
