import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { Revision, StreamName } from '@medialog/kernel'
import { firstPrev, headerJson, link, newSalt } from '../chain.ts'
import type { EncodedEvent } from '../encoded-event.ts'
import type { AppendRequest, Outcome, TruncateRequest } from './protocol.ts'
import { IS_THERE } from './schema.ts'
import { messageOf } from './sqlite-error.ts'
import { storedText } from './stored-event.ts'

interface StreamHead {
  stream: number
  revision: Revision
  hash: string
}

const MOST_HEADS = 10_000

/** The one writer of a log: decides appends in the order they came, and commits a group of them with one fsync. */
export class GroupCommit {
  #database: DatabaseSync
  #heads = new Map<StreamName, StreamHead | null>()
  #position: number
  #lastOf: StatementSync
  #revisionsFrom: StatementSync
  #insertStream: StatementSync
  #insertEvent: StatementSync
  #erase: StatementSync

  constructor(database: DatabaseSync) {
    this.#database = database
    this.#lastOf = database.prepare(
      `SELECT streams.stream, revision, event ->> 'hash' AS hash FROM streams JOIN events USING (stream)
       WHERE name = ? ORDER BY revision DESC LIMIT 1`,
    )
    this.#revisionsFrom = database.prepare(
      `SELECT event FROM events WHERE stream = ? AND revision >= ? AND ${IS_THERE} ORDER BY revision LIMIT ?`,
    )
    this.#insertStream = database.prepare('INSERT INTO streams (name) VALUES (?)')
    this.#insertEvent = database.prepare('INSERT INTO events VALUES (?, ?, ?, ?)')
    this.#erase = database.prepare(
      `UPDATE events SET event = zeroblob(octet_length(event)) WHERE stream = ? AND revision < ? AND ${IS_THERE}`,
    )
    this.#position = database.prepare('SELECT coalesce(max(position), 0) AS head FROM events').get()!
      .head as number
  }

  get position(): number {
    return this.#position
  }

  /** One outcome a request. A conflict fails alone; so does an append that the disk has no room for. */
  append(requests: readonly AppendRequest[]): Outcome[] {
    try {
      return this.#transaction(() => requests.map((request) => this.#decide(request)))
    } catch (error) {
      if (requests.length > 1) return requests.flatMap((request) => this.append([request]))
      return [{ kind: 'unavailable', message: messageOf(error) }]
    }
  }

  /** Overwrites the events with zeros; their bytes are in the write-ahead log until the next checkpoint. */
  erase(requests: readonly TruncateRequest[]): void {
    this.#transaction(() => {
      for (const { stream, before } of requests) {
        const head = this.#headOf(stream)
        if (head) this.#erase.run(head.stream, Math.min(before, head.revision))
      }
    })
  }

  #transaction<T>(work: () => T): T {
    const position = this.#position
    this.#database.exec('BEGIN IMMEDIATE')
    try {
      const result = work()
      this.#database.exec('COMMIT')
      return result
    } catch (error) {
      // Some errors (a full disk) have rolled back by themselves.
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK')
      this.#position = position
      this.#heads.clear()
      throw error
    }
  }

  #decide({ stream, expected, events }: AppendRequest): Outcome {
    const head = this.#headOf(stream)
    const actual = head?.revision ?? -1
    if (expected === actual) return { kind: 'recorded', events: this.#record(stream, head, events) }
    const recorded =
      head && expected < actual ? this.#recordedBefore(head.stream, expected + 1, events) : null
    return recorded
      ? { kind: 'recorded', events: recorded }
      : { kind: 'conflict', actual: head?.revision ?? null }
  }

  #record(name: StreamName, head: StreamHead | null, events: readonly EncodedEvent[]): string[] {
    const stream = head?.stream ?? Number(this.#insertStream.run(name).lastInsertRowid)
    let revision = head?.revision ?? -1
    let prev = head?.hash ?? firstPrev(name)
    const recorded = events.map(({ id, type, version, metadata, data }) => {
      const salt = newSalt()
      const header = headerJson({ id, stream: name, revision: ++revision, type, version, metadata })
      const { digest, hash } = link(prev, header, salt, data)
      const position = ++this.#position
      const text = storedText({ header, data, salt, digest, prev, hash }, position)
      this.#insertEvent.run(position, stream, revision, text)
      prev = hash
      return text
    })
    this.#heads.set(name, { stream, revision, hash: prev })
    return recorded
  }

  /** The events from `revision` on if they are the very ones asked for, else null. */
  #recordedBefore(stream: number, revision: Revision, events: readonly EncodedEvent[]): string[] | null {
    const rows = this.#revisionsFrom.all(stream, revision, events.length)
    const texts = rows.map(({ event }) => event as string)
    const same =
      texts.length === events.length &&
      texts.every((text, index) => isEvent(text, events[index]!, revision + index))
    return same ? texts : null
  }

  #headOf(name: StreamName): StreamHead | null {
    const known = this.#heads.get(name)
    if (known !== undefined) return known
    const head = (this.#lastOf.get(name) as unknown as StreamHead | undefined) ?? null
    if (this.#heads.size >= MOST_HEADS) this.#heads.clear()
    this.#heads.set(name, head)
    return head
  }
}

function isEvent(text: string, { id }: EncodedEvent, revision: Revision): boolean {
  const recorded = JSON.parse(text) as { id: string; revision: Revision }
  return recorded.id === id && recorded.revision === revision
}
