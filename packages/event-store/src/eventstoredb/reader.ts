import { setTimeout as sleep } from 'node:timers/promises'
import {
  EngineUnavailable,
  type BrokenEvent,
  type EventBatch,
  type LogReport,
  type LogVerifier,
  type ReadAllOptions,
  type ReadOptions,
} from '@medialog/application/ports'
import { BEGINNING, type LogPosition, type Revision, type StreamName } from '@medialog/kernel'
import { describeBroken, type ChainedEvent } from '../chain.ts'
import { LogDamaged } from '../errors.ts'
import type { LogReader } from '../log.ts'
import type { Availability } from './availability.ts'
import { isTransient } from './failures.ts'
import { feed } from './feed.ts'
import type { LogEnd } from './log-end.ts'
import { PAGE, positionOf, type ServerEvent } from './pages.ts'
import { NOT_OURS, Prover, type Head, type PagedEvent } from './prover.ts'
import { askForEach } from './several.ts'
import { decodeEvent } from './stored-event.ts'
import type { TruncationPorts, Truncations } from './truncations.ts'

export interface ReaderPorts extends TruncationPorts {
  end: LogEnd
  truncations: Truncations
}

/** A part of the log, without what is not to be seen. */
interface LogPage {
  events: PagedEvent[]
  /** Up to where this is all. */
  last: LogPosition
  /** Whether there may be more behind it. */
  full: boolean
}

/** Events of others between ours are read with them: less than this at a time would take many calls. */
const LEAST_READ = 64
const FIRST_PAUSE_MS = 20
const LONGEST_PAUSE_MS = 1_000

/** The reading half, and the proof. */
export class EventStoreDbReader implements LogReader, LogVerifier {
  #ports: ReaderPorts
  #availability: Availability
  #prover: Prover
  #closing = new AbortController()

  constructor(ports: ReaderPorts) {
    this.#ports = ports
    this.#availability = ports.availability
    this.#prover = new Prover({
      headAt: (stream, revision) => this.#headAt(stream, revision),
      shownFrom: (stream) => ports.truncations.before(stream),
    })
  }

  async *read(stream: StreamName, options: ReadOptions = {}): AsyncGenerator<ChainedEvent> {
    const { direction = 'forwards', limit = Infinity } = options
    const { pages, streams } = this.#ports
    const name = streams.onServer(stream)
    let from = options.from ?? (direction === 'forwards' ? 0 : null)
    for (let left = limit; left > 0 && (from === null || from >= 0);) {
      const count = Math.min(left, PAGE)
      const page = await this.#availability.attempt(() => pages.ofStream(name, from, direction, count))
      if (page === null) return
      for (const event of page) yield this.#decoded(pagedEvent(event, stream))
      if (page.length < count) return
      left -= count
      from = Number(page.at(-1)!.revision) + (direction === 'forwards' ? 1 : -1)
    }
  }

  async *readAll(
    after: LogPosition,
    { limit = Infinity, proven = false }: ReadAllOptions = {},
  ): AsyncGenerator<ChainedEvent> {
    const head = await this.head()
    let position = after
    for (let left = limit; left > 0;) {
      const { events, last, full } = await this.#page(position, head, left)
      const { broken } = proven ? await this.#prover.prove(events) : { broken: null }
      for (const paged of events) {
        if (paged.position === broken?.position) throw this.#damaged(broken)
        yield this.#decoded(paged)
      }
      if (!full) return
      left -= events.length
      position = last
    }
  }

  async eventAt(position: LogPosition): Promise<ChainedEvent | null> {
    const { pages, streams } = this.#ports
    const [event] = await this.#availability.attempt(() => pages.ofAll(position, 1))
    const stream = event && streams.of(event)
    if (!event || !stream || positionOf(event) !== position) return null
    const [shown] = await this.#shown([pagedEvent(event, stream)])
    return shown ? this.#decoded(shown) : null
  }

  async *subscribe(after: LogPosition, { signal }: { signal: AbortSignal }): AsyncGenerator<EventBatch> {
    const stop = AbortSignal.any([signal, this.#closing.signal])
    const { connection, limits, streams } = this.#ports
    let position = after
    // Checkpoints go beyond it: events of others count there.
    let fed = after
    let saidLive = false
    let pauseMs = FIRST_PAUSE_MS
    while (!stop.aborted) {
      let isCatchingUp = true
      try {
        const batches = feed(connection, {
          prefix: streams.prefix,
          after: fed,
          silenceMs: limits.silenceMs,
          isMissing: async (upTo) => (await this.head()) > upTo,
          signal: stop,
        })
        for await (const batch of batches) {
          const paged = batch.events.map((event) => pagedEvent(event, streams.of(event)!))
          // What lies further back may be hidden by now; what comes as it is appended is not.
          const shown = isCatchingUp ? await this.#shown(paged) : paged
          if (stop.aborted) return
          const events = shown.filter((event) => event.position > position).map((one) => this.#decoded(one))
          position = Math.max(position, paged.at(-1)?.position ?? BEGINNING)
          fed = Math.max(fed, batch.position)
          if (events.length > 0 || (batch.live && !saidLive)) {
            saidLive = batch.live
            yield { events, position, live: batch.live }
          }
          isCatchingUp = !batch.live
          pauseMs = FIRST_PAUSE_MS
        }
      } catch (error) {
        if (stop.aborted) return
        if (!isTransient(error) && !(error instanceof EngineUnavailable)) throw error
        this.#availability.suspect()
      }
      await sleep(pauseMs, undefined, { signal: stop }).catch(() => undefined)
      pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)
    }
  }

  head(): Promise<LogPosition> {
    return this.#availability.attempt(() => this.#ports.end.find())
  }

  async verify(onProgress: Parameters<LogVerifier['verify']>[0]): Promise<LogReport> {
    const started = performance.now()
    const head = await this.head()
    const report: LogReport = { events: 0, erased: 0, position: BEGINNING, broken: null, seconds: 0 }
    for (let full = true, from = BEGINNING; full && report.broken === null;) {
      if (this.#closing.signal.aborted) throw new EngineUnavailable('event log', 'the proof was broken off')
      const page = await this.#page(from, head, Infinity)
      const { good, erased, broken } = await this.#prover.prove(page.events)
      report.events += good
      report.erased += erased
      report.broken = broken
      report.position = page.events[good - 1]?.position ?? report.position
      ;({ full, last: from } = page)
      if (broken === null) onProgress({ position: report.position, head })
    }
    return { ...report, seconds: (performance.now() - started) / 1_000 }
  }

  async close(): Promise<void> {
    this.#closing.abort()
  }

  /** What comes after a position, up to and including `head`. */
  async #page(after: LogPosition, head: LogPosition, limit: number): Promise<LogPage> {
    const { pages, streams } = this.#ports
    if (after >= head) return { events: [], last: after, full: false }
    // The event at the position itself is read with the others.
    const count = Math.max(LEAST_READ, Math.min(limit + 1, PAGE))
    const read = await this.#availability.attempt(() => pages.ofAll(after, count))
    const paged: PagedEvent[] = []
    for (const event of read) {
      const stream = streams.of(event)
      const position = positionOf(event)
      if (stream !== null && position > after && position <= head) paged.push(pagedEvent(event, stream))
    }
    const shown = await this.#shown(paged)
    if (shown.length > limit) {
      const events = shown.slice(0, limit)
      return { events, last: events.at(-1)!.position, full: true }
    }
    const last = read.length > 0 ? positionOf(read.at(-1)!) : head
    return { events: shown, last, full: read.length === count && last < head }
  }

  /** Without those that their stream hides: reads of all streams do not leave them out. */
  async #shown(events: PagedEvent[]): Promise<PagedEvent[]> {
    const names = events.map(({ stream }) => stream)
    const from = await askForEach(names, (stream) => this.#ports.truncations.before(stream))
    return events.filter(({ stream, revision }) => revision >= from.get(stream)!)
  }

  async #headAt(stream: StreamName, revision: Revision): Promise<Head | null> {
    const { pages, streams } = this.#ports
    const name = streams.onServer(stream)
    const page = await this.#availability.attempt(() => pages.ofStream(name, revision, 'forwards', 1))
    const event = page?.[0]
    return event && Number(event.revision) === revision ? decodeEvent(event, stream) : null
  }

  #decoded({ event, position, stream, revision }: PagedEvent): ChainedEvent {
    if (event === null) throw this.#damaged({ position, stream, revision, reason: NOT_OURS })
    return event
  }

  #damaged(broken: BrokenEvent): LogDamaged {
    return new LogDamaged(this.#ports.connection.name, describeBroken(broken))
  }
}

const pagedEvent = (event: ServerEvent, stream: StreamName): PagedEvent => ({
  position: positionOf(event),
  stream,
  revision: Number(event.revision),
  event: decodeEvent(event, stream),
})
