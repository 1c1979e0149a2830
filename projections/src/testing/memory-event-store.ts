import { createHash } from 'node:crypto'
import {
  WrongExpectedRevision,
  type Appended,
  type DamagedStream,
  type EventBatch,
  type EventStore,
  type ReadAllOptions,
  type ReadOptions,
} from '@medialog/application/ports'
import type {
  ExpectedRevision,
  LogPosition,
  NewEvent,
  RecordedEvent,
  Revision,
  StreamName,
} from '@medialog/kernel'

const BATCH = 100
/** Positions are no numbers of events: readers must not count on it. */
const STEP = 7

/** The log in memory, for tests of its readers: the EventStore port without the disk. */
export class MemoryEventStore implements EventStore {
  #events: RecordedEvent[] = []
  #position: LogPosition = 0
  readonly #streams = new Map<StreamName, RecordedEvent[]>()
  #appended = Promise.withResolvers<void>()

  async append(
    stream: StreamName,
    expected: ExpectedRevision,
    events: readonly NewEvent[],
  ): Promise<Appended> {
    const there = this.#streams.get(stream) ?? []
    const earlier = there.findIndex(({ id }) => id === events[0]?.id)
    if (earlier >= 0) return appendedOf(there.slice(earlier, earlier + events.length))
    const actual = there.at(-1)?.revision ?? null
    if ((actual ?? 'no-stream') !== expected) throw new WrongExpectedRevision(stream, expected, actual)
    const recorded = events.map((event, index) => {
      const revision = (actual ?? -1) + 1 + index
      return {
        ...structuredClone(event),
        stream,
        revision,
        position: (this.#position += STEP),
        prev: '',
        hash: '',
      }
    })
    for (const event of recorded) {
      event.prev = there.at(-1)?.hash ?? sha256(stream)
      event.hash = sha256(event.prev + JSON.stringify(event))
      there.push(event)
    }
    this.#streams.set(stream, there)
    this.#events.push(...recorded)
    this.#appended.resolve()
    this.#appended = Promise.withResolvers()
    return appendedOf(recorded)
  }

  async *read(stream: StreamName, options: ReadOptions = {}): AsyncIterable<RecordedEvent> {
    const { direction = 'forwards', from, limit = Infinity } = options
    const there = [...(this.#streams.get(stream) ?? [])]
    const events =
      direction === 'forwards'
        ? there.filter(({ revision }) => revision >= (from ?? 0))
        : there.filter(({ revision }) => revision <= (from ?? Infinity)).reverse()
    yield* events.slice(0, limit)
  }

  async eventAt(position: LogPosition): Promise<RecordedEvent | null> {
    return this.#events.find((event) => event.position === position) ?? null
  }

  async *readAll(
    after: LogPosition,
    { limit = Infinity }: ReadAllOptions = {},
  ): AsyncIterable<RecordedEvent> {
    yield* this.#after(after, limit)
  }

  async *subscribe(after: LogPosition, { signal }: { signal: AbortSignal }): AsyncIterable<EventBatch> {
    const aborted = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
    let position = after
    for (;;) {
      const appended = this.#appended.promise
      const events = this.#after(position, BATCH)
      position = events.at(-1)?.position ?? position
      const live = position >= this.#position
      if (signal.aborted) return
      yield { events, position, live }
      if (live) await Promise.race([appended, aborted])
    }
  }

  async head(): Promise<LogPosition> {
    return this.#position
  }

  async truncate(stream: StreamName, before: Revision): Promise<void> {
    const there = this.#streams.get(stream) ?? []
    const kept = there.filter((event, index) => event.revision >= before || index === there.length - 1)
    this.#streams.set(stream, kept)
    const left = new Set(kept)
    this.#events = this.#events.filter((event) => event.stream !== stream || left.has(event))
  }

  damaged(): Promise<DamagedStream[]> {
    return Promise.resolve([])
  }

  trouble(): string | null {
    return null
  }

  async close(): Promise<void> {}

  #after(position: LogPosition, limit: number): RecordedEvent[] {
    const start = this.#events.findIndex((event) => event.position > position)
    return start < 0 ? [] : this.#events.slice(start, start + Math.min(limit, this.#events.length))
  }
}

const appendedOf = (events: RecordedEvent[]): Appended => ({
  events,
  revision: events.at(-1)!.revision,
  position: events.at(-1)!.position,
})

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
