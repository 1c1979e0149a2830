import { MaxAppendSizeExceededError, NO_STREAM, WrongExpectedVersionError } from '@eventstore/db-client'
import { AppendTooLarge, WrongExpectedRevision, type Appended } from '@medialog/application/ports'
import type { ExpectedRevision, LogPosition, NewEvent, Revision, StreamName } from '@medialog/kernel'
import { firstPrev, type ChainedEvent } from '../chain.ts'
import type { Continuity } from './continuity.ts'
import type { Damages } from './damages.ts'
import { NotThereYet } from './failures.ts'
import type { ServerEvent } from './pages.ts'
import { encodeEvent, revisionNumber, type EncodedEvent } from '../encoded-event.ts'
import type { LogPages } from './log-pages.ts'
import { chained, decodeEvent } from './stored-event.ts'
import type { TruncationPorts } from './truncations.ts'

export interface AppenderPorts extends TruncationPorts {
  damages: Damages
  log: LogPages
  continuity: Continuity
  requireUndamaged(stream: StreamName): Promise<void>
}

const MOST_HEADS = 10_000

/**
 * Writes the log: each append linked to its stream's end, sent until its outcome is known. It is read back where what is
 * recorded may be another than what was sent, or has positions that the answer does not tell.
 */
export class Appender {
  #ports: AppenderPorts
  /** The end of the log when it was opened: what lies before it may have been appended by an earlier process. */
  #openedAt: LogPosition = Infinity
  /** Streams with an append whose outcome was never told: the next one may be its repetition. */
  #uncertain = new Set<StreamName>()
  /** The last event known of each stream. What a revision holds never changes, so it may be an old one. */
  #heads = new Map<StreamName, { revision: Revision; hash: string }>()

  constructor(ports: AppenderPorts) {
    this.#ports = ports
  }

  /** The log was opened, and ends there. */
  opened(end: LogPosition): void {
    this.#openedAt = end
  }

  /**
   * @throws AppendTooLarge, EngineUnavailable, StreamDamaged, WrongExpectedRevision; RangeError for no events, TypeError
   *   for what cannot be stored
   */
  append(stream: StreamName, expected: ExpectedRevision, events: readonly NewEvent[]): Promise<Appended> {
    return this.#ports.damages.guard(stream, () => this.#append(stream, expected, events))
  }

  async #append(
    stream: StreamName,
    expected: ExpectedRevision,
    events: readonly NewEvent[],
  ): Promise<Appended> {
    if (events.length === 0) throw new RangeError('an append holds at least one event')
    requireUuids(events)
    const encoded = events.map(encodeEvent)
    // The caller may have read the stream before it was damaged.
    const { availability, continuity } = this.#ports
    const seen = continuity.position
    await this.#ports.requireUndamaged(stream)
    const before = revisionNumber(expected)
    const prev = await this.#hashAt(stream, before)
    const sent = prev === null ? null : await this.#send(stream, expected, before, prev, encoded)
    const isNew = sent !== null && sent.position > Math.max(seen, this.#openedAt)
    const recorded = isNew ? [sent] : await this.#readBack(stream, before, encoded, prev !== null)
    this.#uncertain.delete(stream)
    if (recorded === null) throw new WrongExpectedRevision(stream, expected, await this.#revisionOf(stream))
    const last = recorded.at(-1)!
    // A server that came back as an older copy of itself between two calls.
    if (last.position < seen) await availability.requireSameLog()
    continuity.saw(last)
    if (this.#heads.size >= MOST_HEADS) this.#heads.clear()
    this.#heads.set(stream, last)
    return { events: recorded, revision: last.revision, position: last.position }
  }

  /** Null where there is no such event, or none that is shown. */
  async #hashAt(stream: StreamName, revision: Revision): Promise<string | null> {
    if (revision < 0) return firstPrev(stream)
    const known = this.#heads.get(stream)
    if (known?.revision === revision) return known.hash
    const [event] = await this.#from(stream, revision, 1)
    return event?.revision === revision ? event.hash : null
  }

  /**
   * The event as it was sent, where there is one and the first attempt was answered: it is what is recorded, unless its
   * position is of before. Null where it is to be read back.
   */
  async #send(
    stream: StreamName,
    expected: ExpectedRevision,
    before: Revision,
    prev: string,
    events: readonly EncodedEvent[],
  ): Promise<ChainedEvent | null> {
    const { availability, connection, limits, streams } = this.#ports
    const data = chained(stream, before, prev, events)
    const expectedRevision = expected === 'no-stream' ? NO_STREAM : BigInt(expected)
    const isFirst = !this.#uncertain.has(stream)
    let attempts = 0
    try {
      // The outcome of an attempt that was not answered is unknown; the same again is no second append.
      const { nextExpectedRevision, position } = await availability.attempt(() => {
        attempts++
        return connection.client.appendToStream(streams.onServer(stream), data, {
          ...connection.call,
          deadline: limits.callMs,
          expectedRevision,
        })
      })
      const [event, ...others] = data
      const isTold = position !== undefined && Number(nextExpectedRevision) === before + 1
      if (!isFirst || attempts > 1 || others.length > 0 || !isTold) return null
      return decodeEvent({ ...event!, streamId: stream, revision: nextExpectedRevision, position }, stream)
    } catch (error) {
      if (error instanceof WrongExpectedVersionError)
        throw new WrongExpectedRevision(stream, expected, revisionIn(error.actualVersion))
      if (error instanceof MaxAppendSizeExceededError) throw new AppendTooLarge(stream, { cause: error })
      this.#uncertain.add(stream)
      throw error
    }
  }

  /**
   * The events as they are recorded, which may have been by an earlier append of theirs: with other salts, and other
   * data perhaps. Null where they are not, or are not shown any more.
   */
  async #readBack(
    stream: StreamName,
    before: Revision,
    events: readonly EncodedEvent[],
    isRecorded: boolean,
  ): Promise<ChainedEvent[] | null> {
    const recorded = await this.#ports.availability.attempt(async () => {
      const found = await this.#page(stream, before + 1, events.length)
      const last = Number(found.at(-1)?.revision ?? before)
      if (isRecorded && last < before + events.length)
        throw new NotThereYet('an append is not to be seen yet')
      return found
    })
    const areThere =
      recorded.length === events.length &&
      recorded.every(
        ({ id, revision }, index) => id === events[index]!.id && Number(revision) === before + 1 + index,
      )
    return areThere ? recorded.map((event) => this.#ports.log.decoded(event, stream)) : null
  }

  async #revisionOf(stream: StreamName): Promise<Revision | null> {
    const { availability, pages, streams } = this.#ports
    const last = await availability.attempt(() => pages.lastOf(streams.onServer(stream)))
    return last ? Number(last.revision) : null
  }

  async #from(stream: StreamName, revision: Revision, limit: number): Promise<ChainedEvent[]> {
    const page = await this.#ports.availability.attempt(() => this.#page(stream, revision, limit))
    return page.map((event) => this.#ports.log.decoded(event, stream))
  }

  async #page(stream: StreamName, revision: Revision, limit: number): Promise<ServerEvent[]> {
    const { pages, streams } = this.#ports
    return (await pages.ofStream(streams.onServer(stream), revision, 'forwards', limit)) ?? []
  }
}

const revisionIn = (version: bigint | string): Revision | null =>
  typeof version === 'bigint' && version >= 0n ? Number(version) : null

/** The server would write another id in another way. */
function requireUuids(events: readonly NewEvent[]): void {
  for (const { id } of events)
    if (!/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id))
      throw new TypeError(`an event's id is a UUID in lower case, not '${id}'`)
}
