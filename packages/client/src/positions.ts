/** A client may follow many feeds one after another: a read names the latest only. */
const MOST_FEEDS = 4

/**
 * Log positions of the client's own writes and of the events it received: a read that names them waits for them, whichever
 * process answers it. Positions cannot be compared, so those of writes that ran at the same time are all kept, and one of each
 * feed.
 */
export class Positions {
  #written: { position: string; at: number }[] = []
  readonly #received = new Map<object, string>()
  #time = 0

  constructor(seen: readonly string[]) {
    for (const position of seen) this.begin()(position)
  }

  /** Of a write that begins; to be called with the position of its answer. */
  begin(): (position: string) => void {
    const begunAt = this.#time
    return (position) => {
      // What had ended before this one began stands before it in the log.
      this.#written = this.#written.filter(({ at }) => at > begunAt)
      this.#written.push({ position, at: ++this.#time })
    }
  }

  /** Of an event that came by a feed: the feed's later events have later positions. */
  received(feed: object, position: string): void {
    if (!this.#received.has(feed) && this.#received.size === MOST_FEEDS)
      this.#received.delete(this.#received.keys().next().value!)
    this.#received.set(feed, position)
  }

  /** Of a service that was restored to before them, nothing is to be waited for. */
  forget(): void {
    this.#written = []
    this.#received.clear()
  }

  get all(): string[] {
    return [...this.#written.map(({ position }) => position), ...this.#received.values()]
  }
}
