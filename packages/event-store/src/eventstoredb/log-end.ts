import { BEGINNING, type LogPosition } from '@medialog/kernel'
import { TimedOut } from './failures.ts'
import { positionOf, type Pages } from './pages.ts'
import type { Streams } from './streams.ts'

const FIRST_LOOK = 4
const LARGEST_LOOK = 32_768
/** After a look at so many events of others the server is asked, once, to pass over the rest. */
const PASSED_BY_HAND = 2_048

/**
 * Where the log ends: its last event, behind which the server and other programs may have written more. All
 * callers share one look at a time, and the next look resumes one that failed: other programs' events are read once.
 */
export class LogEnd {
  #pages: Pages
  #streams: Streams
  /** What the last look found: looks after it go no further back. */
  #seen = { upTo: BEGINNING, head: BEGINNING }
  /** What looks that failed have passed, from `top` down to `bottom`, both inclusive: no event of the log. */
  #passed: { top: LogPosition; bottom: LogPosition } | null = null
  #current: Promise<unknown> = Promise.resolve()
  #next: Promise<LogPosition> | null = null

  constructor(pages: Pages, streams: Streams) {
    this.#pages = pages
    this.#streams = streams
  }

  /** One attempt; BEGINNING for an empty log. A look that began before the call may miss an append: it is not joined. */
  find(): Promise<LogPosition> {
    return (this.#next ??= this.#current.then(() => {
      const look = this.#look()
      this.#next = null
      this.#current = look.catch(() => undefined)
      return look
    }))
  }

  async #look(): Promise<LogPosition> {
    const former = this.#passed
    let isJoined = former === null
    let newest: LogPosition | null = null
    let before: LogPosition | null = null
    for (let count = FIRST_LOOK; ; count = Math.min(8 * count, LARGEST_LOOK)) {
      let left = count
      for await (const event of this.#pages.allBefore(before, count)) {
        left--
        const position = positionOf(event)
        newest ??= position
        // Another log, which ends before this one did.
        if (newest < Math.max(this.#seen.upTo, former?.top ?? BEGINNING)) {
          this.#seen = { upTo: BEGINNING, head: BEGINNING }
          this.#passed = null
          return this.#look()
        }
        if (position <= this.#seen.upTo) return this.#found(newest, this.#seen.head)
        if (this.#streams.of(event) !== null) return this.#found(newest, position)
        const isSkipping = former !== null && !isJoined && position <= former.top
        if (isSkipping) isJoined = true
        before = isSkipping ? former.bottom : position
        if (isJoined) this.#passed = { top: newest, bottom: before }
        if (isSkipping) {
          left = 0
          break
        }
      }
      if (left > 0) return this.#found(newest ?? BEGINNING, BEGINNING)
      if (count === PASSED_BY_HAND) {
        const last = await this.#beforeOthers(before!)
        if (last !== undefined) return this.#found(newest!, last)
      }
    }
  }

  /** The log's last event before the position; undefined where the server takes too long to find it. */
  async #beforeOthers(position: LogPosition): Promise<LogPosition | undefined> {
    try {
      const last = await this.#pages.lastBefore(position, this.#streams.prefix)
      return last ? positionOf(last) : BEGINNING
    } catch (error) {
      if (error instanceof TimedOut) return undefined
      throw error
    }
  }

  #found(newest: LogPosition, head: LogPosition): LogPosition {
    this.#passed = null
    if (newest > this.#seen.upTo) this.#seen = { upTo: newest, head }
    return head
  }
}
