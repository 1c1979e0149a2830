import {
  EngineUnavailable,
  type Appended,
  type DamagedStream,
  type EngineTls,
  type EventBatch,
  type ExaminedEvent,
  type LogReport,
  type LogScavenger,
  type LogVerifier,
  type ReadAllOptions,
  type ReadOptions,
  type ScavengeReport,
} from '@medialog/application/ports'
import type {
  ExpectedRevision,
  LogPosition,
  NewEvent,
  RecordedEvent,
  Revision,
  StreamName,
} from '@medialog/kernel'
import type { ChainedEvent } from '../chain.ts'
import type { ChainedEventStore, LogReader } from '../log.ts'
import { AccessRefused } from '../errors.ts'
import { Appender } from './appender.ts'
import { Availability } from './availability.ts'
import { connect } from './connection.ts'
import { Continuity } from './continuity.ts'
import { Damages } from './damages.ts'
import { refusalOf } from './failures.ts'
import { LIMITS, type Limits } from './limits.ts'
import { LogEnd } from './log-end.ts'
import { LogPages, type LogPagesPorts } from './log-pages.ts'
import { Pages } from './pages.ts'
import { EventStoreDbReader } from './reader.ts'
import { Scavenging } from './scavenging.ts'
import { Streams } from './streams.ts'
import { Truncations } from './truncations.ts'

export interface EventStoreDbOptions {
  /** Of one node or a cluster, as EventStoreDB's clients read it: `esdb://user:password@host:2113`. */
  url: string
  /** Beyond what Node trusts; null: nothing. */
  tls?: EngineTls | null
  /** What names of the log's streams begin with: several logs can share a server. */
  prefix?: string
  /** Called when the server becomes unavailable. */
  onTrouble?: (what: string, error: unknown) => void
  /** Told of each damaged stream that is come upon, once. */
  onDamage?: (damage: DamagedStream) => void
  /** Whether the event may be the first that is left of its stream. Not given: any event may. */
  mayBegin?: (event: RecordedEvent) => boolean
  limits?: Partial<Limits>
}

const PREFIX = 'medialog.'

/**
 * Opens the log on a server. What fails before the log is open is thrown, and not reported to `onTrouble`.
 * @throws AccessRefused, InvalidAddress; EngineUnavailable where the server does not answer
 */
export async function openEventStoreDb(options: EventStoreDbOptions): Promise<ChainedEventStore> {
  let isOpen = false
  const store = new EventStoreDbStore({
    ...options,
    onTrouble: (...what) => isOpen && options.onTrouble?.(...what),
  })
  try {
    await store.requireAnswer()
    isOpen = true
    return store
  } catch (error) {
    await store.close()
    const refusal = refusalOf(error instanceof EngineUnavailable ? error.cause : error)
    throw refusal ? accessRefused(store.name, refusal) : error
  }
}

/** Other streams may be read and written to by every user, unless their operator has changed that. */
const accessRefused = (name: string, { isKnown }: { isKnown: boolean }): AccessRefused =>
  new AccessRefused(
    isKnown
      ? `EventStoreDB (${name}) does not let the user read the stream $all: the metadata of $all must name the user, or ` +
          'a group that it is in, in $r and $mr of its $acl'
      : `EventStoreDB (${name}) does not know the user, or its password`,
  )

/** The reading half, for processes that do not write. Makes no call yet. @throws InvalidAddress */
export const openEventStoreDbReader = (options: EventStoreDbOptions): LogReader =>
  new EventStoreDbStore(options)

class EventStoreDbStore implements ChainedEventStore {
  #ports: LogPagesPorts
  #reader: EventStoreDbReader
  #appender: Appender
  #scavenging: Scavenging

  constructor({
    url,
    tls,
    prefix = PREFIX,
    onTrouble = () => undefined,
    onDamage = () => undefined,
    mayBegin = () => true,
    limits: given,
  }: EventStoreDbOptions) {
    const connection = connect(url, tls)
    const limits = { ...LIMITS, ...given }
    const pages = new Pages(connection, limits)
    const streams = new Streams(prefix)
    const end = new LogEnd(pages, streams)
    const continuity = new Continuity({ pages, streams })
    const availability = new Availability({
      name: connection.name,
      limits,
      probe: () => pages.end(),
      isSteady: () => connection.isSteady(),
      contradiction: () => continuity.contradiction(),
      onTrouble,
    })
    const ports = { availability, connection, limits, pages, streams, mayBegin }
    const truncations = new Truncations(ports)
    const damages = new Damages({ ...ports, onDamage })
    const log = new LogPages({ ...ports, damages, truncations })
    this.#ports = { ...ports, damages, truncations }
    this.#reader = new EventStoreDbReader({ ...this.#ports, continuity, end, log })
    const requireUndamaged = (stream: StreamName) => this.#reader.requireUndamaged(stream)
    this.#appender = new Appender({ ...ports, continuity, damages, log, requireUndamaged })
    this.#scavenging = new Scavenging(this.#ports)
  }

  /** The server's address, without what is secret in it. */
  get name(): string {
    return this.#ports.connection.name
  }

  /** @throws EngineUnavailable; errors of the client */
  async requireAnswer(): Promise<void> {
    const { availability, pages } = this.#ports
    this.#appender.opened(await availability.attempt(() => pages.end()))
  }

  append(stream: StreamName, expected: ExpectedRevision, events: readonly NewEvent[]): Promise<Appended> {
    return this.#appender.append(stream, expected, events)
  }

  /** Hides the events at once; the server keeps their bytes until it is scavenged. */
  async truncate(stream: StreamName, before: Revision): Promise<void> {
    const { availability, damages, pages, streams, truncations } = this.#ports
    await damages.guard(stream, async () => {
      const last = await availability.attempt(() => pages.lastOf(streams.onServer(stream)))
      if (last) await truncations.hide(stream, Math.min(before, Number(last.revision)))
    })
  }

  read(stream: StreamName, options?: ReadOptions): AsyncIterable<ChainedEvent> {
    return this.#reader.read(stream, options)
  }

  readAll(after: LogPosition, options?: ReadAllOptions): AsyncIterable<ChainedEvent> {
    return this.#reader.readAll(after, options)
  }

  eventAt(position: LogPosition): Promise<ChainedEvent | null> {
    return this.#reader.eventAt(position)
  }

  subscribe(after: LogPosition, options: { signal: AbortSignal }): AsyncIterable<EventBatch> {
    return this.#reader.subscribe(after, options)
  }

  head(): Promise<LogPosition> {
    return this.#reader.head()
  }

  trouble(): string | null {
    return this.#ports.availability.trouble
  }

  damaged(stream?: StreamName): Promise<DamagedStream[]> {
    return this.#reader.damaged(stream)
  }

  verify(onProgress: Parameters<LogVerifier['verify']>[0]): Promise<LogReport> {
    return this.#reader.verify(onProgress)
  }

  scavenge(onProgress: Parameters<LogScavenger['scavenge']>[0]): Promise<ScavengeReport> {
    return this.#scavenging.scavenge(onProgress)
  }

  stopScavenge(): Promise<number> {
    return this.#scavenging.stop()
  }

  retains(position: LogPosition): Promise<boolean> {
    return this.#reader.retains(position)
  }

  examine(): AsyncIterable<ExaminedEvent[]> {
    return this.#reader.examine()
  }

  /** Its subscriptions end, and so does whatever waits for the server. */
  async close(): Promise<void> {
    await this.#ports.damages.close()
    this.#ports.availability.close()
    this.#scavenging.close()
    await this.#reader.close()
    await this.#ports.connection.close()
  }
}
