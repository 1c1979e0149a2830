import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Appended, EventBatch, ReadOptions } from '@medialog/application/ports'
import type { ExpectedRevision, Json, LogPosition, NewEvent, Revision, StreamName } from '@medialog/kernel'
import { canonicalJson } from '../canonical-json.ts'
import type { ChainedEvent } from '../chain.ts'
import type { ChainedEventStore, LogReader } from '../log.ts'
import { holdExclusively, type DataFolderLock } from './lock.ts'
import { revisionNumber, type EncodedEvent } from './protocol.ts'
import { openSqliteLogReader } from './reader.ts'
import { startWriter, type Writer } from './writer-thread.ts'

/**
 * Opens the log file at `path` as its one writer, making it (and its folder) where there is none. Appends are written
 * by a thread of their own in groups, one fsync each; reads are made in the calling thread.
 * @throws DataFolderInUse, LogDamaged
 */
export async function openSqliteEventStore({ path }: { path: string }): Promise<ChainedEventStore> {
  mkdirSync(dirname(path), { recursive: true })
  const lock = holdExclusively(`${path}.lock`)
  try {
    const writer = await startWriter(path)
    return new SqliteEventStore(writer, openSqliteLogReader({ path }), lock)
  } catch (error) {
    lock.release()
    throw error
  }
}

class SqliteEventStore implements ChainedEventStore {
  #writer: Writer
  #reader: LogReader
  #lock: DataFolderLock

  constructor(writer: Writer, reader: LogReader, lock: DataFolderLock) {
    this.#writer = writer
    this.#reader = reader
    this.#lock = lock
  }

  async append(
    stream: StreamName,
    expected: ExpectedRevision,
    events: readonly NewEvent[],
  ): Promise<Appended> {
    if (events.length === 0) throw new RangeError('an append holds at least one event')
    const request = { stream, expected: revisionNumber(expected), events: events.map(encodeEvent) }
    const recorded = (await this.#writer.append(request, expected)).map(
      (text) => JSON.parse(text) as ChainedEvent,
    )
    const { revision, position } = recorded.at(-1)!
    return { events: recorded, revision, position }
  }

  async truncate(stream: StreamName, before: Revision): Promise<void> {
    await this.#writer.truncate(stream, before)
  }

  read(stream: StreamName, options?: ReadOptions): AsyncIterable<ChainedEvent> {
    return this.#reader.read(stream, options)
  }

  readAll(after: LogPosition, options?: { limit?: number }): AsyncIterable<ChainedEvent> {
    return this.#reader.readAll(after, options)
  }

  subscribe(after: LogPosition, options: { signal: AbortSignal }): AsyncIterable<EventBatch> {
    return this.#reader.subscribe(after, options)
  }

  head(): Promise<LogPosition> {
    return this.#reader.head()
  }

  /** Appends under way are finished first. */
  async close(): Promise<void> {
    await this.#reader.close()
    await this.#writer.close()
    this.#lock.release()
  }
}

function encodeEvent({ id, type, version, metadata, data }: NewEvent): EncodedEvent {
  // Metadata is flat text members: JSON by construction, though an interface has no index signature.
  return {
    id,
    type,
    version,
    metadata: canonicalJson(metadata as unknown as Json),
    data: canonicalJson(data),
  }
}
