import { EventEmitter } from 'node:events'
import { sizeOf, type Decision, type Expected, type Proposed, type Stored } from './stored.ts'

/** Where a fresh server's first event of ours comes to lie, behind what it wrote for itself. */
const WRITTEN_AT_THE_START = 3
/** What a record takes up beside its event. */
const RECORD_BYTES = 131
/** The revision of a tombstone, and `$tb` of a stream that was deleted: the largest there is, as far as a number holds it. */
export const DELETED = 2 ** 63

/** What a server keeps on its disk: it outlives the server, and two servers of a cluster share it. */
export class ServerLog {
  /** Emits `grown`. */
  readonly changes = new EventEmitter().setMaxListeners(0)
  #all: Stored[] = []
  /** What is left of each stream, in order. */
  #streams = new Map<string, Stored[]>()
  /** Ids that the server remembers for a while, wherever they lie. */
  #ids = new Map<string, { stream: string; revision: number; position: number }>()
  #bytes = 0

  constructor() {
    this.addSystemEvents(WRITTEN_AT_THE_START)
  }

  /** Atomic. The same ids at the same revisions again are the first append; some of them only are a conflict. */
  append(stream: string, expected: Expected, proposed: readonly Proposed[]): Decision {
    if (this.isTombstoned(stream)) return { kind: 'deleted' }
    const last = this.last(stream)
    const actual = last?.revision ?? -1
    const isDeleted = this.#truncatedBefore(stream) === DELETED
    // The stream comes back, and its revisions go on.
    if (isDeleted && expected === -1) this.#setTruncatedBefore(stream, actual + 1)
    else if (expected < actual) {
      const position = this.#recordedBefore(stream, expected + 1, proposed)
      if (position !== null) return { kind: 'recorded', revision: expected + proposed.length, position }
    }
    if (expected !== actual && !(isDeleted && expected === -1))
      return { kind: 'conflict', actual: last?.revision ?? null }
    for (const event of proposed) this.#write(stream, event)
    const written = this.last(stream)!
    this.changes.emit('grown')
    return { kind: 'recorded', revision: written.revision, position: written.position }
  }

  last(stream: string): Stored | undefined {
    return this.#streams.get(stream)?.at(-1)
  }

  /** What a read of the stream shows, in order; null where it was never written to. */
  visible(stream: string): Stored[] | null {
    const events = this.#streams.get(stream)
    const before = this.#truncatedBefore(stream)
    if (!events || before === DELETED) return null
    return events.filter(({ revision }) => revision >= before)
  }

  /** Index in `all` of the first event at or after the position. */
  indexAt(position: number): number {
    let [low, high] = [0, this.#all.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#all[middle]!.position < position) low = middle + 1
      else high = middle
    }
    return low
  }

  /** Everything in order: what is hidden, metadata and system events included. */
  get all(): readonly Stored[] {
    return this.#all
  }

  /** What a server writes for itself now and then. */
  addSystemEvents(count: number): void {
    for (let written = 0; written < count; written++)
      this.#write('$stats-127.0.0.1:2113', {
        id: crypto.randomUUID(),
        type: '$statsCollected',
        contentType: 'application/json',
        data: Buffer.from('{"proc-cpu":1.5}'),
        metadata: Buffer.alloc(0),
      })
    this.changes.emit('grown')
  }

  /** Hides all of a stream, until somebody writes to it again. */
  softDelete(stream: string): void {
    this.#setTruncatedBefore(stream, DELETED)
    this.changes.emit('grown')
  }

  /** Ends a stream for good. What it holds stays in the log until a scavenge, and so does the tombstone. */
  tombstone(stream: string): void {
    const nothing = Buffer.alloc(0)
    const event = { id: crypto.randomUUID(), contentType: 'application/octet-stream', data: nothing }
    this.#write(stream, { ...event, type: '$streamDeleted', metadata: nothing }, DELETED)
    this.changes.emit('grown')
  }

  /** Of the stream itself, or of the one whose metadata it holds. */
  isTombstoned(stream: string): boolean {
    return this.last(stream.replace(/^\$\$/, ''))?.revision === DELETED
  }

  /** Takes what is hidden out of the log for good; the last event of a stream stays, positions stay as they are. */
  scavenge(): void {
    for (const [stream, events] of this.#streams) {
      // Of the metadata of a stream only the last counts.
      const isEnded = stream.startsWith('$$') || this.isTombstoned(stream)
      const before = isEnded ? Infinity : this.#truncatedBefore(stream)
      const left = events.filter((event, index) => event.revision >= before || index === events.length - 1)
      this.#streams.set(stream, left)
    }
    this.#all = [...this.#streams.values()].flat().sort((a, b) => a.position - b.position)
  }

  /** As after a restart, or once many others were written. */
  forgetIds(): void {
    this.#ids.clear()
  }

  /** Somebody's hand in the log: changes the event that lies at the position. */
  tamper(position: number, change: Partial<Stored>): void {
    const event = this.#all[this.indexAt(position)]
    if (event?.position !== position) throw new RangeError(`nothing lies at ${position}`)
    Object.assign(event, change)
  }

  /** Somebody's hand in the log: takes the event out of it. */
  takeOut(position: number): void {
    const [event] = this.#all.splice(this.indexAt(position), 1)
    const events = this.#streams.get(event!.stream)!
    events.splice(events.indexOf(event!), 1)
  }

  /** As a server that was restored from a backup: nothing that came behind the position was ever there. */
  goBackTo(position: number): void {
    for (const { position: lies } of this.#all.filter((event) => event.position > position))
      this.takeOut(lies)
    for (const [stream, events] of this.#streams) if (events.length === 0) this.#streams.delete(stream)
    this.#bytes = endOf(this.#all.at(-1)!)
    this.forgetIds()
  }

  /** Somebody's hand in the log: two events change places in it; each stays in its stream. */
  exchange(one: number, other: number): void {
    const [first, second] = [this.indexAt(one), this.indexAt(other)]
    const [a, b] = [this.#all[first]!, this.#all[second]!]
    ;[a.position, b.position] = [other, one]
    ;[this.#all[first], this.#all[second]] = [b, a]
  }

  /** An intruder's event in the log, that was never appended, where no event is. */
  putIn(event: Stored): void {
    this.#all.splice(this.indexAt(event.position), 0, event)
    this.#streams.set(event.stream, [...(this.#streams.get(event.stream) ?? []), event])
    this.#bytes = Math.max(this.#bytes, endOf(event))
  }

  #write(
    stream: string,
    event: Proposed,
    revision = (this.#streams.get(stream)?.at(-1)?.revision ?? -1) + 1,
  ): void {
    const events = this.#streams.get(stream) ?? []
    const position = (this.#bytes += RECORD_BYTES + stream.length) - stream.length
    this.#bytes += sizeOf(event)
    const stored: Stored = { ...event, stream, revision, position, created: BigInt(Date.now()) * 10_000n }
    this.#streams.set(stream, events)
    events.push(stored)
    this.#all.push(stored)
    this.#ids.set(event.id, { stream, revision, position })
  }

  /** Position of the last one if they are all recorded from `revision` on, hidden or not. */
  #recordedBefore(stream: string, revision: number, proposed: readonly Proposed[]): number | null {
    let last: number | null = null
    for (const [index, { id }] of proposed.entries()) {
      const place = this.#places(stream, revision + index, id)
      if (place === null) return null
      last = place
    }
    return last
  }

  #places(stream: string, revision: number, id: string): number | null {
    const known = this.#ids.get(id)
    if (known?.stream === stream && known.revision === revision) return known.position
    const stored = this.#streams.get(stream)?.find((event) => event.revision === revision)
    return stored?.id === id ? stored.position : null
  }

  #setTruncatedBefore(stream: string, revision: number): void {
    // The largest one is written as it is: as a number it would be another.
    const before = revision === DELETED ? '9223372036854775807' : String(revision)
    const event = { id: crypto.randomUUID(), type: '$metadata', contentType: 'application/json' }
    const data = Buffer.from(`{"$tb":${before}}`)
    this.#write(`$$${stream}`, { ...event, data, metadata: Buffer.alloc(0) })
  }

  #truncatedBefore(stream: string): number {
    const metadata = this.last(`$$${stream}`)
    if (!metadata) return 0
    const { $tb = 0 } = JSON.parse(Buffer.from(metadata.data).toString()) as { $tb?: number }
    return $tb
  }
}

/** The position behind it. */
const endOf = (event: Stored): number => event.position + event.stream.length + sizeOf(event)
