import { dirname } from 'node:path'
import type {
  Appended,
  DamagedStream,
  EventBatch,
  ExaminedEvent,
  LogReport,
  LogScavenger,
  LogVerifier,
  ReadAllOptions,
  ReadOptions,
  ScavengeReport,
} from '@medialog/application/ports'
import type { ExpectedRevision, LogPosition, NewEvent, Revision, StreamName } from '@medialog/kernel'
import type { ChainedEvent } from '../chain.ts'
import type { ChainedEventStore, LogReader } from '../log.ts'
import { holdExclusively, type DataFolderLock } from './lock.ts'
import { makeFolder } from './make-folder.ts'
import { encodeEvent, revisionNumber } from '../encoded-event.ts'
import { examineInThread } from './examiner-thread.ts'
import { openSqliteLogReader } from './reader.ts'
import { proveErased } from './scavenging.ts'
import { verifyInThread } from './verifier-thread.ts'
import { startWriter, type OnTrouble, type Writer } from './writer-thread.ts'

export interface SqliteEventStoreOptions {
  path: string
  /** Told when the writing thread dies, and when it cannot be started again. */
  onTrouble?: OnTrouble
}

/**
 * Opens the log file at `path` as its one writer, or makes it and its folder. Appends are written
 * by a thread of their own in groups, one fsync each; reads are made in the calling thread.
 * @throws DataFolderInUse, LogDamaged
 */
export async function openSqliteEventStore({
  path,
  onTrouble = () => undefined,
}: SqliteEventStoreOptions): Promise<ChainedEventStore> {
  makeFolder(dirname(path))
  const lock = holdExclusively(`${path}.lock`)
  try {
    const writer = await startWriter(path, onTrouble)
    return new SqliteEventStore(path, writer, openSqliteLogReader({ path }), lock)
  } catch (error) {
    lock.release()
    throw error
  }
}

class SqliteEventStore implements ChainedEventStore {
  #path: string
  #closing = new AbortController()
  #scavenges = new Set<AbortController>()
  #writer: Writer
  #reader: LogReader
  #lock: DataFolderLock

  constructor(path: string, writer: Writer, reader: LogReader, lock: DataFolderLock) {
    this.#path = path
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

  eventAt(position: LogPosition): Promise<ChainedEvent | null> {
    return this.#reader.eventAt(position)
  }

  readAll(after: LogPosition, options?: ReadAllOptions): AsyncIterable<ChainedEvent> {
    return this.#reader.readAll(after, options)
  }

  subscribe(after: LogPosition, options: { signal: AbortSignal }): AsyncIterable<EventBatch> {
    return this.#reader.subscribe(after, options)
  }

  head(): Promise<LogPosition> {
    return this.#reader.head()
  }

  trouble(): string | null {
    return this.#writer.trouble
  }

  /** A log of which a part is damaged is not opened. */
  async damaged(): Promise<DamagedStream[]> {
    return []
  }

  async verify(onProgress: Parameters<LogVerifier['verify']>[0]): Promise<LogReport> {
    const report = await verifyInThread(this.#path, onProgress, this.#closing.signal)
    if (report.found === 0) this.#writer.noteProven(report.position)
    return report
  }

  async scavenge(onProgress: Parameters<LogScavenger['scavenge']>[0]): Promise<ScavengeReport> {
    const stopping = new AbortController()
    this.#scavenges.add(stopping)
    try {
      const signal = AbortSignal.any([stopping.signal, this.#closing.signal])
      return await proveErased(this.#path, onProgress, signal)
    } finally {
      this.#scavenges.delete(stopping)
    }
  }

  async stopScavenge(): Promise<number> {
    for (const scavenge of this.#scavenges) scavenge.abort()
    return this.#scavenges.size
  }

  async retains(position: LogPosition): Promise<boolean> {
    return (await this.#reader.eventAt(position)) !== null
  }

  examine(): AsyncIterable<ExaminedEvent[]> {
    return examineInThread(this.#path, this.#closing.signal)
  }

  /** Appends under way are finished first. */
  async close(): Promise<void> {
    this.#closing.abort()
    await this.#reader.close()
    await this.#writer.close()
    this.#lock.release()
  }
}
