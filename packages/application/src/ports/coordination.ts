import type { LogPosition } from '@medialog/kernel'
import type { StoreName } from './projections.ts'

/** A small document as it was read or written. */
export interface Note<Value> {
  readonly id: string
  readonly value: Value
  /** Identifies this state among all of the same document. */
  readonly revision: string
}

/**
 * How processes that share read models agree with each other: small documents (JSON), each written only over the state
 * that its writer saw, and where the read models in service stand. Every method throws EngineUnavailable where the
 * engine is unavailable.
 */
export interface Coordination {
  /** As it was written last; null: it is not there. */
  read<Value>(id: string): Promise<Note<Value> | null>
  /** All whose ids begin like that, as they were written last. */
  list<Value>(beginning: string): Promise<Note<Value>[]>
  /** Writes it if it is as `before` (null: not there). Null where it is not: nothing was written then. */
  write<Value>(id: string, value: Value, before: Note<unknown> | null): Promise<Note<Value> | null>
  /** Removes it if it is as it was read. */
  remove(note: Note<unknown>): Promise<void>
  /** Up to where the log was applied, of those that are in service. */
  positions(): Promise<Map<StoreName, LogPosition>>
}
