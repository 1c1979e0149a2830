import { BEGINNING, type LogPosition } from '@medialog/kernel'
import { PAGE, positionOf, type Pages } from './pages.ts'
import type { Streams } from './streams.ts'

const FIRST_LOOK = 4

/** Where the log ends: its last event, behind which the server and others may have written more. */
export class LogEnd {
  #pages: Pages
  #streams: Streams
  /** What the last look found: looks after it go no further back. */
  #seen = { upTo: BEGINNING, head: BEGINNING }

  constructor(pages: Pages, streams: Streams) {
    this.#pages = pages
    this.#streams = streams
  }

  /** One attempt; BEGINNING for an empty log. */
  async find(): Promise<LogPosition> {
    let newest: LogPosition | null = null
    let before: LogPosition | null = null
    for (let count = FIRST_LOOK; ; count = Math.min(8 * count, PAGE)) {
      const page = await this.#pages.ofAllBefore(before, count)
      for (const event of page) {
        before = positionOf(event)
        newest ??= before
        // Another log, which ends before this one did.
        if (newest < this.#seen.upTo) this.#seen = { upTo: BEGINNING, head: BEGINNING }
        if (before <= this.#seen.upTo) return this.#found(newest, this.#seen.head)
        if (this.#streams.of(event) !== null) return this.#found(newest, before)
      }
      if (page.length < count) return this.#found(newest ?? BEGINNING, BEGINNING)
    }
  }

  #found(newest: LogPosition, head: LogPosition): LogPosition {
    if (newest > this.#seen.upTo) this.#seen = { upTo: newest, head }
    return head
  }
}
