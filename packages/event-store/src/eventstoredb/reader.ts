import {
  EngineUnavailable,
  StreamDamaged,
  type DamagedStream,
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
import type { Continuity } from './continuity.ts'
import type { LogEnd } from './log-end.ts'
import type { LogPage, LogPages, LogPagesPorts } from './log-pages.ts'
import { PAGE, positionOf, type ServerEvent } from './pages.ts'
import { Prover, wrongWith, type Head } from './prover.ts'
import { decodeEvent } from './stored-event.ts'
import { subscription } from './subscription.ts'

export interface ReaderPorts extends LogPagesPorts {
  continuity: Continuity
  end: LogEnd
  log: LogPages
}

const MOST_LISTED = 100

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
    this.#log = ports.log
    this.#prover = this.#newProver()
  }

  #newProver(): Prover {
    const { truncations } = this.#ports
    return new Prover({
      headAt: (stream, revision) => this.#headAt(stream, revision),
      async shownFrom(stream) {
        const { from, damage } = await truncations.shown(stream)
        return damage === null ? from : 0
      },
    })
  }

  async *read(stream: StreamName, options: ReadOptions = {}): AsyncGenerator<ChainedEvent> {
    const { direction = 'forwards', limit = Infinity } = options
    const isForwards = direction === 'forwards'
    let from = options.from ?? (isForwards ? 0 : null)
    for (let left = limit; left > 0 && (from === null || from >= 0);) {
      const count = Math.min(left, PAGE)
      const page = await this.#page(stream, from, direction, count)
      if (isForwards ? isCutBelow(page, from!) : isCutAtItsEnd(page, count)) await this.#requireShown(stream)
      for (const event of page ?? []) yield this.#log.decoded(event, stream)
      if (page === null || page.length < count) return
      left -= count
      from = Number(page.at(-1)!.revision) + (isForwards ? 1 : -1)
    }
  }

  #page(
    stream: StreamName,
    from: Revision | null,
    direction: 'forwards' | 'backwards',
    count: number,
  ): Promise<ServerEvent[] | null> {
    const { damages, pages, streams } = this.#ports
    const name = streams.onServer(stream)
    return damages.guard(stream, () =>
      this.#availability.attempt(() => pages.ofStream(name, from, direction, count)),
    )
  }

  /** @throws StreamDamaged where less is shown than the service left of it */
  async #requireShown(stream: StreamName): Promise<void> {
    const { damages, truncations } = this.#ports
    const { damage } = await truncations.shown(stream)
    if (damage !== null) throw damages.note({ stream, revision: null, reason: damage })
  }

  async *readAll(
    after: LogPosition,
    { limit = Infinity, proven = false }: ReadAllOptions = {},
  ): AsyncGenerator<ChainedEvent> {
    const head = await this.head()
    let position = after
    for (let left = limit; left > 0;) {
      const { events, last, full } = await this.#log.after(position, head, left)
      const good = proven ? await this.#proven(events) : events
      yield* good
      if (!full) return
      left -= good.length
      position = last
    }
  }

  /** Without what is bad, and what comes behind it in its stream. */
  async #proven(events: readonly ChainedEvent[]): Promise<ChainedEvent[]> {
    const { damages } = this.#ports
    for (const examined of (await this.#prover.prove(events)).examined) {
      const reason = wrongWith(examined)
      const { stream, revision, position } = examined
      if (reason !== null) damages.note({ stream: stream!, revision, reason }, position)
    }
    return events.filter((event) => !damages.covers(event))
  }

  async eventAt(position: LogPosition): Promise<ChainedEvent | null> {
    const { pages, streams } = this.#ports
    const [event] = await this.#availability.attempt(() => pages.ofAll(position, 1))
    if (!event || streams.of(event) === null || positionOf(event) !== position) return null
    const { events } = await this.#log.shown([event])
    return events[0] ?? null
  }

  /** Whether the server still returns the event of a position where it reads all streams. */
  async retains(position: LogPosition): Promise<boolean> {
    const [event] = await this.#availability.attempt(() => this.#ports.pages.ofAll(position, 1))
    return event !== undefined && positionOf(event) === position
  }

  subscribe(after: LogPosition, { signal }: { signal: AbortSignal }): AsyncGenerator<EventBatch> {
    const stop = AbortSignal.any([signal, this.#closing.signal])
    return subscription(this.#ports, after, stop)
  }

  head(): Promise<LogPosition> {
    return this.#availability.attempt(() => this.#ports.end.find())
  }

  async verify(onProgress: Parameters<LogVerifier['verify']>[0]): Promise<LogReport> {
    const started = performance.now()
    const head = await this.head()
    const report: LogReport = {
      events: 0,
      erased: 0,
      position: BEGINNING,
      found: 0,
      findings: [],
      seconds: 0,
    }
    for await (const { page, examined, erased } of this.#proofs(head)) {
      report.erased += erased
      for (const event of examined) {
        const { position, stream, revision } = event
        const reason = wrongWith(event)
        if (reason === null) report.events++
        else if (++report.found <= MOST_LISTED) report.findings.push({ position, stream, revision, reason })
        if (report.found === 0) report.position = position
      }
      onProgress({ position: page.last, head })
    }
    return { ...report, seconds: (performance.now() - started) / 1_000 }
  }

  async *examine(): AsyncGenerator<ExaminedEvent[]> {
    for await (const { examined } of this.#proofs(await this.head())) yield examined
  }

  async *#proofs(
    head: LogPosition,
  ): AsyncGenerator<{ page: LogPage; examined: ExaminedEvent[]; erased: number }> {
    // Of its own: the other one remembers events that may be erased since, which are to be counted.
    const prover = this.#newProver()
    for (let full = true, from = BEGINNING; full;) {
      if (this.#closing.signal.aborted) throw new EngineUnavailable('event log', 'the proof was broken off')
      const page = await this.#log.after(from, head, Infinity)
      const shown = [...page.events, ...page.withheld].sort((a, b) => a.position - b.position)
      const { examined, erased } = await prover.prove(shown)
      for (const { position, stream, revision, reason, isHidden } of page.damaged)
        examined.push({
          position,
          stream,
          revision,
          type: null,
          hash: null,
          fault: isHidden ? null : reason,
          misplaced: isHidden ? reason : null,
        })
      examined.sort((a, b) => a.position - b.position)
      yield { page, examined, erased }
      ;({ full, last: from } = page)
    }
  }

  /** Asks the server only of what is known or noted to be damaged. @throws EngineUnavailable, StreamDamaged */
  async requireUndamaged(stream: StreamName): Promise<void> {
    const { damages } = this.#ports
    const known = await damages.of(stream)
    if (!known) return
    const damage = await this.#stillDamaged(known)
    if (damage) throw new StreamDamaged(damage)
    damages.forget(stream)
  }

  damaged(stream?: StreamName): Promise<DamagedStream[]> {
    return this.#ports.damages.list((noted) => this.#stillDamaged(noted), stream)
  }

  /** Null where its operator has mended it. */
  async #stillDamaged({ stream, revision, reason }: DamagedStream): Promise<DamagedStream | null> {
    const { damage } = await this.#ports.truncations.shown(stream)
    if (damage !== null) return { stream, revision: null, reason: damage }
    const event = revision === null ? null : await this.#eventOf(stream, revision)
    if (!event) return null
    const decoded = decodeEvent(event, stream)
    if (!decoded) return { stream, revision, reason }
    const [examined] = (await this.#prover.prove([decoded])).examined
    const wrong = wrongWith(examined!)
    return wrong === null ? null : { stream, revision, reason: wrong }
  }

  async close(): Promise<void> {
    this.#closing.abort()
  }

  async #headAt(stream: StreamName, revision: Revision): Promise<Head | null> {
    const event = await this.#eventOf(stream, revision)
    return event && decodeEvent(event, stream)
  }

  /** Null where reads do not show it. */
  async #eventOf(stream: StreamName, revision: Revision): Promise<ServerEvent | null> {
    const [event] = (await this.#page(stream, revision, 'forwards', 1)) ?? []
    return event && Number(event.revision) === revision ? event : null
  }
}

/** Whether events may be missing before the page, of a stream read on from a revision. */
const isCutBelow = (page: readonly ServerEvent[] | null, from: Revision): boolean =>
  page === null || (page.length === 0 ? from === 0 : Number(page[0]!.revision) > from)

/** Whether events may be missing before the page, of a stream that was read backwards to its beginning. */
const isCutAtItsEnd = (page: readonly ServerEvent[] | null, count: number): boolean =>
  page === null || (page.length < count && Number(page.at(-1)?.revision ?? 1) > 0)
