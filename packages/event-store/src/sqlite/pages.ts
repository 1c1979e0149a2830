import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { LogPosition, Revision, StreamName } from '@medialog/kernel'
import type { ChainedEvent } from '../chain.ts'
import { IS_THERE } from './schema.ts'

export interface Page {
  events: ChainedEvent[]
  /** Position of the last one read, or where reading began. */
  last: LogPosition
  /** Whether there may be more behind it. */
  full: boolean
}

export const MOST_EVENTS = 512
/** In UTF-16 code units: bounds what a page of unusually large events holds in memory. */
export const MOST_TEXT = 4_194_304

/**
 * Reads the log in pages. Each is a read transaction of its own that ends with the call, so no reader ever holds a
 * snapshot that keeps the writer from cleaning up behind itself.
 */
export class Pages {
  #after: StatementSync
  #forwards: StatementSync
  #backwards: StatementSync
  #streamOf: StatementSync
  #head: StatementSync

  constructor(database: DatabaseSync) {
    const select = (condition: string, order: string) => {
      const statement = database.prepare(
        `SELECT event FROM events WHERE ${condition} AND ${IS_THERE} ORDER BY ${order} LIMIT ?`,
      )
      statement.setReturnArrays(true)
      return statement
    }
    this.#after = select('position > ? AND position <= ?', 'position')
    this.#forwards = select('stream = ? AND revision >= ?', 'revision')
    this.#backwards = select('stream = ? AND revision <= ?', 'revision DESC')
    this.#streamOf = database.prepare('SELECT stream FROM streams WHERE name = ?')
    this.#head = database.prepare('SELECT coalesce(max(position), 0) AS head FROM events')
  }

  head(): LogPosition {
    return this.#head.get()!.head as number
  }

  /** The number that the file knows the stream by, or null where there is none. */
  streamNumber(stream: StreamName): number | null {
    return (this.#streamOf.get(stream)?.stream as number | undefined) ?? null
  }

  after(position: LogPosition, upTo: LogPosition, limit: number): Page {
    const page = collect(this.#after, position, upTo, Math.min(limit, MOST_EVENTS))
    return { ...page, last: page.events.at(-1)?.position ?? position }
  }

  ofStream(
    stream: number,
    from: Revision,
    direction: 'forwards' | 'backwards',
    limit: number,
  ): Omit<Page, 'last'> {
    const statement = direction === 'forwards' ? this.#forwards : this.#backwards
    return collect(statement, stream, from, Math.min(limit, MOST_EVENTS))
  }
}

function collect(statement: StatementSync, first: number, second: number, limit: number): Omit<Page, 'last'> {
  const events: ChainedEvent[] = []
  let text = 0
  for (const row of statement.iterate(first, second, limit)) {
    const [event] = row as unknown as [string]
    events.push(JSON.parse(event) as ChainedEvent)
    text += event.length
    if (text >= MOST_TEXT) return { events, full: true }
  }
  return { events, full: events.length === limit }
}
