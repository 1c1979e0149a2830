import type {
  EventBatch,
  EventStore,
  LogScavenger,
  LogVerifier,
  ReadAllOptions,
  ReadOptions,
} from '@medialog/application/ports'
import type { LogPosition, StreamName } from '@medialog/kernel'
import type { ChainedEvent } from './chain.ts'

/** The reading half of the EventStore port; the events carry what a verifier of the chain needs. */
export interface LogReader {
  read(stream: StreamName, options?: ReadOptions): AsyncIterable<ChainedEvent>
  eventAt(position: LogPosition): Promise<ChainedEvent | null>
  readAll(after: LogPosition, options?: ReadAllOptions): AsyncIterable<ChainedEvent>
  subscribe(after: LogPosition, options: { signal: AbortSignal }): AsyncIterable<EventBatch>
  head(): Promise<LogPosition>
  /** Ends its subscriptions. */
  close(): Promise<void>
}

/** What every adapter of this package answers with: the port, its events with what proves them. */
export interface ChainedEventStore
  extends
    LogReader,
    LogVerifier,
    LogScavenger,
    Pick<EventStore, 'append' | 'truncate' | 'trouble' | 'damaged'> {}
