import type { LogPosition, RecordedEvent, Revision, Uuid } from '@medialog/kernel'

/** Who and what causes events: lands in their metadata. */
export interface Origin {
  actor: string
  accountId?: Uuid
  requestId?: Uuid
  correlationId?: string
  causationId?: string
  traceparent?: string
}

/** Background work and recovery. */
export const SYSTEM: Origin = { actor: 'system' }

export interface Executed<T> {
  /** None when the command had been carried out before. */
  events: RecordedEvent[]
  /** Position of the stream's last event: reads that reached it show the outcome. */
  position: LogPosition
  revision: Revision
  /** What `select` saw in the state right after this command, before any other. */
  selected: T
}

export interface ExecuteOptions<State, T> {
  /** Looks at the state right after the command. */
  select?: (state: State) => T
  /** The command undoes: what it does not find must not come later, from an append that was reported as failed. */
  undoes?: true
  /** Decides only if this is the stream's last revision (null: it has no events). @throws WrongExpectedRevision */
  at?: Revision | null
}

export interface PeekOptions {
  /** Also what is being appended at the moment, which may fail. */
  pending?: boolean
}
