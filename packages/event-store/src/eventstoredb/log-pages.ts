import type { BrokenEvent } from '@medialog/application/ports'
import type { LogPosition, StreamName } from '@medialog/kernel'
import { describeBroken, type ChainedEvent } from '../chain.ts'
import { LogDamaged } from '../errors.ts'
import { PAGE, positionOf, type ServerEvent } from './pages.ts'
import { NOT_OURS, type PagedEvent } from './prover.ts'
import { askForEach } from './several.ts'
import { decodeEvent } from './stored-event.ts'
import type { TruncationPorts, Truncations } from './truncations.ts'

export interface LogPagesPorts extends TruncationPorts {
  truncations: Truncations
}

/** A part of the log, without what is not to be seen. */
export interface LogPage {
  events: PagedEvent[]
  /** Up to where this is all. */
  last: LogPosition
  /** Whether there may be more behind it. */
  full: boolean
}

/** Events of others between ours are read with them: less than this at a time would take many calls. */
const LEAST_READ = 64

/** The log in pages: its own events of all that the server has, as they were appended, without those that are hidden. */
export class LogPages {
  #ports: LogPagesPorts

  constructor(ports: LogPagesPorts) {
    this.#ports = ports
  }

  /** What comes after a position, up to and including `head`. */
  async after(position: LogPosition, head: LogPosition, limit: number): Promise<LogPage> {
    const { availability, pages, streams } = this.#ports
    if (position >= head) return { events: [], last: position, full: false }
    // The event at the position itself is read with the others.
    const count = Math.max(LEAST_READ, Math.min(limit + 1, PAGE))
    const read = await availability.attempt(() => pages.ofAll(position, count))
    const paged: PagedEvent[] = []
    for (const event of read) {
      const stream = streams.of(event)
      const lies = positionOf(event)
      if (stream !== null && lies > position && lies <= head) paged.push(pagedEvent(event, stream))
    }
    const shown = await this.shown(paged)
    if (shown.length > limit) {
      const events = shown.slice(0, limit)
      return { events, last: events.at(-1)!.position, full: true }
    }
    const last = read.length > 0 ? positionOf(read.at(-1)!) : head
    return { events: shown, last, full: read.length === count && last < head }
  }

  /** Without those that their stream hides: reads of all streams do not leave them out. */
  async shown(events: PagedEvent[]): Promise<PagedEvent[]> {
    const names = events.map(({ stream }) => stream)
    const from = await askForEach(names, (stream) => this.#ports.truncations.before(stream))
    return events.filter(({ stream, revision }) => revision >= from.get(stream)!)
  }

  /** @throws LogDamaged for one that the service did not write */
  decoded({ event, position, stream, revision }: PagedEvent): ChainedEvent {
    if (event === null) throw this.damaged({ position, stream, revision, reason: NOT_OURS })
    return event
  }

  damaged(broken: BrokenEvent): LogDamaged {
    return new LogDamaged(this.#ports.connection.name, describeBroken(broken))
  }
}

export const pagedEvent = (event: ServerEvent, stream: StreamName): PagedEvent => ({
  position: positionOf(event),
  stream,
  revision: Number(event.revision),
  event: decodeEvent(event, stream),
})
