import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { LogPosition, Revision, StreamName } from '@medialog/kernel'
import { describeBroken, type ChainedEvent } from '../chain.ts'
import { IS_THERE } from './schema.ts'
import { messageOf } from './sqlite-error.ts'

export interface Page {
  events: ChainedEvent[]
  /** Position of the last one read; where reading began if there was none. */
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
  #nameOf: StatementSync
  #head: StatementSync

  constructor(database: DatabaseSync) {
    const select = (condition: string, order: string) => {
      const statement = database.prepare(
        `SELECT position, stream, revision, event FROM events WHERE ${condition} AND ${IS_THERE} ORDER BY ${order} LIMIT ?`,
      )
      statement.setReturnArrays(true)
      return statement
    }
    this.#after = select('position > ? AND position <= ?', 'position')
    this.#forwards = select('stream = ? AND revision >= ?', 'revision')
    this.#backwards = select('stream = ? AND revision <= ?', 'revision DESC')
    this.#streamOf = database.prepare('SELECT stream FROM streams WHERE name = ?')
    this.#nameOf = database.prepare('SELECT name FROM streams WHERE stream = ?')
    this.#head = database.prepare('SELECT coalesce(max(position), 0) AS head FROM events')
  }

  head(): LogPosition {
    return this.#head.get()!.head as number
  }

  /** The number that the file knows the stream by, or null. */
  streamNumber(stream: StreamName): number | null {
    return (this.#streamOf.get(stream)?.stream as number | undefined) ?? null
  }

  after(position: LogPosition, upTo: LogPosition, limit: number): Page {
    return this.#collect(this.#after, position, [position, upTo, Math.min(limit, MOST_EVENTS)])
  }

  ofStream(stream: number, from: Revision, direction: 'forwards' | 'backwards', limit: number): Page {
    const statement = direction === 'forwards' ? this.#forwards : this.#backwards
    return this.#collect(statement, 0, [stream, from, Math.min(limit, MOST_EVENTS)])
  }

  #collect(statement: StatementSync, before: LogPosition, bounds: [number, number, limit: number]): Page {
    const page: Page = { events: [], last: before, full: false }
    let text = 0
    for (const row of statement.iterate(...bounds)) {
      const [position, stream, revision, event] = row as unknown as [number, number, number, string]
      page.events.push(this.#parsed(event, { position, stream, revision }))
      page.last = position
      text += event.length
      if (text >= MOST_TEXT) return { ...page, full: true }
    }
    return { ...page, full: page.events.length === bounds[2] }
  }

  #parsed(
    event: string,
    { position, stream, revision }: { position: number; stream: number; revision: number },
  ) {
    try {
      return JSON.parse(event) as ChainedEvent
    } catch (error) {
      const name = (this.#nameOf.get(stream)?.name as StreamName | undefined) ?? null
      const reason = `the row is not an event (${messageOf(error)})`
      throw new UnreadableRow(describeBroken({ position, stream: name, revision, reason }), { cause: error })
    }
  }
}

/** A row's text is no JSON: somebody wrote it by hand, or a page is damaged. */
export class UnreadableRow extends Error {
  override name = 'UnreadableRow'
}
