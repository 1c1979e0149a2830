import {
  EngineUnavailable,
  type EventBatch,
  type ExaminedEvent,
  type LogReport,
  type LogVerifier,
  type ReadAllOptions,
  type ReadOptions,
} from '@medialog/application/ports'
import { BEGINNING, type LogPosition, type Revision, type StreamName } from '@medialog/kernel'
import type { ChainedEvent } from '../chain.ts'
import type { LogReader } from '../log.ts'
import type { Availability } from './availability.ts'
import type { LogEnd } from './log-end.ts'
import { pagedEvent, LogPages, type LogPagesPorts } from './log-pages.ts'
import { PAGE, positionOf } from './pages.ts'
import { Prover, type Head } from './prover.ts'
import { decodeEvent } from './stored-event.ts'
import { subscription } from './subscription.ts'

export interface ReaderPorts extends LogPagesPorts {
  end: LogEnd
}

/** The reading half, and the proof. */
export class EventStoreDbReader implements LogReader, LogVerifier {
  #ports: ReaderPorts
  #availability: Availability
  #log: LogPages
  #prover: Prover
  #closing = new AbortController()

  constructor(ports: ReaderPorts) {
    this.#ports = ports
    this.#availability = ports.availability
    this.#log = new LogPages(ports)
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
      for (const event of page) yield this.#log.decoded(pagedEvent(event, stream))
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
      const { events, last, full } = await this.#log.after(position, head, left)
      const { broken } = proven ? await this.#prover.prove(events) : { broken: null }
      for (const paged of events) {
        if (paged.position === broken?.position) throw this.#log.damaged(broken)
        yield this.#log.decoded(paged)
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
    const [shown] = await this.#log.shown([pagedEvent(event, stream)])
    return shown ? this.#log.decoded(shown) : null
  }

  subscribe(after: LogPosition, { signal }: { signal: AbortSignal }): AsyncGenerator<EventBatch> {
    const stop = AbortSignal.any([signal, this.#closing.signal])
    return subscription({ ...this.#ports, log: this.#log }, after, stop)
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
      const page = await this.#log.after(from, head, Infinity)
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

  async *examine(): AsyncGenerator<ExaminedEvent[]> {
    const head = await this.head()
    for (let full = true, from = BEGINNING; full;) {
      if (this.#closing.signal.aborted) throw new EngineUnavailable('event log', 'the proof was broken off')
      const page = await this.#log.after(from, head, Infinity)
      yield await this.#prover.examine(page.events)
      ;({ full, last: from } = page)
    }
  }

  async close(): Promise<void> {
    this.#closing.abort()
  }

  async #headAt(stream: StreamName, revision: Revision): Promise<Head | null> {
    const { pages, streams } = this.#ports
    const name = streams.onServer(stream)
    const page = await this.#availability.attempt(() => pages.ofStream(name, revision, 'forwards', 1))
    const event = page?.[0]
    return event && Number(event.revision) === revision ? decodeEvent(event, stream) : null
  }
}
