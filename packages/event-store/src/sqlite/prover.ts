import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { BrokenEvent, ExaminedEvent } from '@medialog/application/ports'
import type { LogPosition, Revision, StreamName } from '@medialog/kernel'
import { BROKEN_PREV, brokenLink, firstPrev } from '../chain.ts'
import { MOST_EVENTS, MOST_TEXT } from './pages.ts'
import { HASH, isRevisionOf, linksIn, typeIn } from './stored-event.ts'

export interface ProvenPage {
  /** Texts of the events, those left out whose payload was erased. */
  texts: string[]
  erased: number
  /** Position of the last row, erased ones included. */
  last: LogPosition
  /** Whether there may be more behind it. */
  full: boolean
  /** What comes after `last` and is not as it was written, or null. */
  broken: BrokenEvent | null
}

/** Where a stream stood when it was last looked at. */
interface Head {
  name: StreamName
  revision: Revision
  position: LogPosition
  /** Null for an erased event: its hash went with it. */
  hash: string | null
}

/** Bounds what the heads of many streams take up: about 5 MB. Whichever is not among them is looked up. */
const MOST_HEADS = 20_000

/**
 * Reads the log and proves it in the same go: positions without a gap, revisions in order, each event the one that its
 * row says, every digest and hash recomputed. An event's predecessor is looked up wherever it lies, so that the proof
 * can begin at any position; what came before that is taken as it is.
 */
export class Prover {
  #database: DatabaseSync
  #head: StatementSync
  #rows: StatementSync
  #at: StatementSync
  #nameOf: StatementSync
  #heads = new Map<number, Head>()

  constructor(database: DatabaseSync) {
    this.#database = database
    this.#head = database.prepare('SELECT coalesce(max(position), 0) AS head FROM events')
    this.#rows = database.prepare(
      'SELECT position, stream, revision, event FROM events WHERE position > ? AND position <= ? ORDER BY position LIMIT ?',
    )
    this.#rows.setReturnArrays(true)
    this.#at = database.prepare(
      `SELECT position, ${HASH} AS hash FROM events WHERE stream = ? AND revision = ?`,
    )
    this.#nameOf = database.prepare('SELECT name FROM streams WHERE stream = ?')
  }

  /** Position of the last row, 0 for an empty log. */
  head(): LogPosition {
    return this.#head.get()!.head as number
  }

  /** The rows after `after` up to and including `upTo`, at most `limit` of them. */
  page(after: LogPosition, upTo: LogPosition, limit = Infinity): ProvenPage {
    const page: ProvenPage = { texts: [], erased: 0, last: after, full: false, broken: null }
    const most = Math.min(limit, MOST_EVENTS)
    let text = 0
    for (const row of this.#rows.iterate(after, upTo, most)) {
      const [position, stream, revision, event] = row as unknown as [number, number, number, unknown]
      page.broken = this.#brokenRow(page.last + 1, position, stream, revision, event)
      if (page.broken) return page
      page.last = position
      if (typeof event === 'string') {
        page.texts.push(event)
        text += event.length
      } else page.erased++
      if (text >= MOST_TEXT) break
    }
    page.full = page.texts.length + page.erased === most || text >= MOST_TEXT
    if (!page.full && page.last < upTo) page.broken = this.#missing(page.last + 1, upTo + 1)
    return page
  }

  /** The rows after `after` up to and including `upTo`, a page of them, each with what is wrong with it. */
  examine(after: LogPosition, upTo: LogPosition): ExaminedEvent[] {
    const examined: ExaminedEvent[] = []
    let text = 0
    let expected = after + 1
    for (const row of this.#rows.iterate(after, upTo, MOST_EVENTS)) {
      const [position, stream, revision, event] = row as unknown as [number, number, number, unknown]
      const one = this.#examined(position, stream, revision, event)
      if (position !== expected) one.misplaced ??= `no event has position ${expected} before it`
      expected = position + 1
      examined.push(one)
      if (typeof event === 'string') text += event.length
      if (text >= MOST_TEXT) break
    }
    return examined
  }

  #brokenRow(
    expected: LogPosition,
    position: LogPosition,
    stream: number,
    revision: Revision,
    event: unknown,
  ): BrokenEvent | null {
    if (position !== expected) return this.#missing(expected, position)
    const { stream: name, fault, misplaced } = this.#examined(position, stream, revision, event)
    const reason = fault ?? misplaced
    return reason === null ? null : { position, stream: name, revision, reason }
  }

  #examined(position: LogPosition, stream: number, revision: Revision, event: unknown): ExaminedEvent {
    const name = this.#nameIn(stream)
    const found: ExaminedEvent = {
      position,
      stream: name,
      revision,
      type: null,
      hash: null,
      fault: null,
      misplaced: null,
    }
    if (name === null) return { ...found, fault: 'its stream has no name' }
    if (typeof event !== 'string') {
      if (!isZeros(event)) return { ...found, fault: 'the row is not an event' }
      return { ...found, misplaced: this.#whyNotErased(stream, revision) }
    }
    const links = linksIn(event, position)
    if (!links) return { ...found, fault: 'the row is not an event of this position' }
    if (!isRevisionOf(links.header, name, revision))
      return { ...found, fault: 'the row holds an event of another place' }
    const before = this.#before(stream, revision)
    const wrong = brokenLink(links, before ? before.hash : revision === 0 ? firstPrev(name) : null)
    const own = wrong === BROKEN_PREV ? null : wrong
    const misplaced = own === null ? (this.#misplaced(position, revision, before) ?? wrong) : null
    if (wrong === null && misplaced === null)
      this.#remember(stream, { name, revision, position, hash: links.hash })
    return { ...found, type: typeIn(links.header), hash: links.hash, fault: own, misplaced }
  }

  #misplaced(
    position: LogPosition,
    revision: Revision,
    before: { position: LogPosition } | null,
  ): string | null {
    if (revision > 0 && !before) return `revision ${revision - 1} of its stream is missing`
    if (before && before.position > position) return `it stands before revision ${revision - 1} of its stream`
    return null
  }

  #remember(stream: number, head: Head): void {
    if (this.#heads.size >= MOST_HEADS) this.#heads.clear()
    this.#heads.set(stream, { ...head, hash: head.hash && copyOf(head.hash) })
  }

  /** Only a stream's past is erased: all before it was too, and something follows. */
  #whyNotErased(stream: number, revision: Revision): string | null {
    const before = revision === 0 ? undefined : this.#at.get(stream, revision - 1)
    if (revision > 0 && before?.hash !== null) return 'it is erased, and the revision before it is not'
    return this.#at.get(stream, revision + 1) ? null : 'it is erased, and nothing follows it in its stream'
  }

  #before(stream: number, revision: Revision): { position: LogPosition; hash: string | null } | null {
    if (revision === 0) return null
    const head = this.#heads.get(stream)
    if (head?.revision === revision - 1) return head
    return (
      (this.#at.get(stream, revision - 1) as { position: number; hash: string | null } | undefined) ?? null
    )
  }

  #nameIn(stream: number): StreamName | null {
    const known = this.#heads.get(stream)?.name
    return known ?? (this.#nameOf.get(stream)?.name as StreamName | undefined) ?? null
  }

  /** Positions from `first` to before `next` have no row. The gap in the stream shows whose the missing one was. */
  #missing(first: LogPosition, next: LogPosition): BrokenEvent {
    if (next - first > 1)
      return { position: first, stream: null, revision: null, reason: `${next - first} events are missing` }
    const { count, head } = this.#database
      .prepare('SELECT count(*) AS count, max(position) AS head FROM events')
      .get() as { count: number; head: number }
    const reason = 'the event is missing'
    // With several missing, a stream's gap may be another position's.
    if (head - count !== 1) return { position: first, stream: null, revision: null, reason }
    const gap = this.#database
      .prepare(
        `SELECT name, revision - 1 AS revision FROM events AS one JOIN streams USING (stream)
         WHERE revision > 0 AND NOT EXISTS
           (SELECT 1 FROM events AS before WHERE before.stream = one.stream AND before.revision = one.revision - 1)`,
      )
      .get() as { name: StreamName; revision: number } | undefined
    return { position: first, stream: gap?.name ?? null, revision: gap?.revision ?? null, reason }
  }
}

const isZeros = (event: unknown): boolean => event instanceof Uint8Array && event.every((byte) => byte === 0)

/** A part of a string keeps the whole of it in memory; a copy does not. */
const copyOf = (digits: string): string => Buffer.from(digits, 'latin1').toString('latin1')
