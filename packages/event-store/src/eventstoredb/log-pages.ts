import type { BrokenEvent, StreamDamaged } from '@medialog/application/ports'
import { BEGINNING, type LogPosition, type StreamName } from '@medialog/kernel'
import type { ChainedEvent } from '../chain.ts'
import type { Damages } from './damages.ts'
import { TimedOut } from './failures.ts'
import { PAGE, positionOf, type ServerEvent } from './pages.ts'
import { askForEach } from './several.ts'
import { decodeEvent } from './stored-event.ts'
import { TOMBSTONED, type Shown, type TruncationPorts, type Truncations } from './truncations.ts'

export interface LogPagesPorts extends TruncationPorts {
  truncations: Truncations
  damages: Damages
}

/** An event that readers are not given. */
export interface DamagedEvent extends BrokenEvent {
  stream: StreamName
  /** It is as it was written; its stream does not show it. */
  isHidden: boolean
}

/** Events of the log as they were appended, without those that their stream hides lawfully. */
export interface LogEvents {
  events: ChainedEvent[]
  /** As they were written and shown, in streams that hide others: readers are not given a part of a stream. */
  withheld: ChainedEvent[]
  damaged: DamagedEvent[]
}

export interface LogPage extends LogEvents {
  /** Up to where this is all. */
  last: LogPosition
  /** Whether there may be more behind it. */
  full: boolean
}

const MOST_LOOKED = 10_000

/** What somebody else appended to a stream of the log. */
const NOT_OURS = 'the event was not written by the service'
/** The type that the server gives to a tombstone. */
const TOMBSTONE = '$streamDeleted'

const NONE: LogEvents = { events: [], withheld: [], damaged: [] }

/** The log in pages: its own events of all that the server has. Streams that are damaged are noted on the way. */
export class LogPages {
  #ports: LogPagesPorts
  /** The server takes too long to pass over others' events: they are read, too, until one of ours comes. */
  #readsOthers = false
  /** Position of the last change of metadata that was looked at, by stream. */
  #looked = new Map<StreamName, LogPosition>()

  constructor(ports: LogPagesPorts) {
    this.#ports = ports
  }

  /** What comes after a position, up to and including `head`; at most `limit` events that are not damaged. */
  async after(position: LogPosition, head: LogPosition, limit: number): Promise<LogPage> {
    const { streams } = this.#ports
    if (position >= head) return { ...NONE, last: position, full: false }
    // The event at the position itself is read with the others.
    const { read, isAll } = await this.#read(position, Math.min(limit + 1, PAGE))
    const ours = read.filter((event) => {
      const lies = positionOf(event)
      return streams.of(event) !== null && lies > position && lies <= head
    })
    const { events, ...others } = await this.shown(ours)
    if (events.length > limit) {
      const first = events.slice(0, limit)
      return { events: first, ...others, last: first.at(-1)!.position, full: true }
    }
    const last = isAll ? head : positionOf(read.at(-1)!)
    return { events, ...others, last, full: !isAll && last < head }
  }

  /** At most so many of ours, or events of all programs; `isAll`: no event comes behind them. */
  #read(position: LogPosition, count: number): Promise<{ read: ServerEvent[]; isAll: boolean }> {
    const { availability, pages, streams } = this.#ports
    return availability.attempt(async () => {
      if (!this.#readsOthers)
        try {
          const read = await pages.ofAll(position, count, streams.prefix)
          return { read, isAll: read.length < count }
        } catch (error) {
          if (!(error instanceof TimedOut)) throw error
          this.#readsOthers = true
        }
      const read = await pages.ofAll(position, PAGE)
      this.#readsOthers = !read.some((event) => streams.of(event) !== null && positionOf(event) > position)
      return { read, isAll: read.length < PAGE }
    })
  }

  /** Reads of all streams do not leave out what a stream hides: each is asked. */
  async shown(events: readonly ServerEvent[]): Promise<LogEvents> {
    const { streams, truncations } = this.#ports
    const names = events.map((event) => streams.of(event)!)
    const shown = await askForEach(names, (stream) => truncations.shown(stream))
    return this.#sorted(events, shown)
  }

  /** Of events that were appended a moment ago: nothing hides them yet. */
  fresh(events: readonly ServerEvent[]): LogEvents {
    return this.#sorted(events, new Map())
  }

  /** Looks what streams show whose metadata these events changed; once, however many subscriptions bring an event. */
  async look(changes: readonly ServerEvent[]): Promise<void> {
    const { damages, streams, truncations } = this.#ports
    const changed = new Set<StreamName>()
    for (const change of changes) {
      const stream = streams.ofMetadata(change)
      if (stream === null || positionOf(change) <= (this.#looked.get(stream) ?? BEGINNING)) continue
      if (this.#looked.size >= MOST_LOOKED) this.#looked.clear()
      this.#looked.set(stream, positionOf(change))
      changed.add(stream)
    }
    for (const [stream, { damage }] of await askForEach(changed, (name) => truncations.shown(name)))
      if (damage !== null) damages.note({ stream, revision: null, reason: damage })
  }

  #sorted(events: readonly ServerEvent[], shown: ReadonlyMap<StreamName, Shown>): LogEvents {
    const { damages, streams } = this.#ports
    const sorted: LogEvents = { events: [], withheld: [], damaged: [] }
    for (const event of events) {
      const stream = streams.of(event)!
      const { from = 0, damage = null } = shown.get(stream) ?? {}
      const decoded = decodeEvent(event, stream)
      const isTombstone = event.type === TOMBSTONE
      const isHidden = damage !== null && Number(event.revision) < from
      const ofStream = isTombstone ? TOMBSTONED : damage
      if (ofStream !== null) damages.note({ stream, revision: null, reason: ofStream })
      else if (!decoded) this.#noteForeign(event, stream)
      if (isTombstone || isHidden || !decoded)
        sorted.damaged.push({
          position: positionOf(event),
          stream,
          revision: isTombstone ? null : Number(event.revision),
          reason: isTombstone ? TOMBSTONED : isHidden ? damage : NOT_OURS,
          isHidden,
        })
      else if (damage !== null) sorted.withheld.push(decoded)
      else if (decoded.revision >= from) sorted.events.push(decoded)
    }
    return sorted
  }

  /** The event as it was appended. @throws StreamDamaged for one that the service did not write */
  decoded(event: ServerEvent, stream: StreamName): ChainedEvent {
    const decoded = decodeEvent(event, stream)
    if (decoded) return decoded
    throw this.#noteForeign(event, stream)
  }

  #noteForeign(event: ServerEvent, stream: StreamName): StreamDamaged {
    const damage = { stream, revision: Number(event.revision), reason: NOT_OURS }
    return this.#ports.damages.note(damage, positionOf(event))
  }
}
