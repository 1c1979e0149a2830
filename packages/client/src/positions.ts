/** Who begins feed after feed and leaves each is not to name all of them. */
const MOST_FEEDS = 4

/**
 * Log positions of what the client wrote and was told of by events: a read that names them waits for them, whichever process
 * answers it. Positions cannot be compared, so those of writes that ran at the same time are all kept, and one of each feed.
 */
export class Positions {
  #written: { position: string; at: number }[] = []
  readonly #told = new Map<object, string>()
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

  /** Of an event that a feed tells: what follows it in the same feed stands behind it in the log. */
  told(feed: object, position: string): void {
    if (!this.#told.has(feed) && this.#told.size === MOST_FEEDS)
      this.#told.delete(this.#told.keys().next().value!)
    this.#told.set(feed, position)
  }

  get all(): string[] {
    return [...this.#written.map(({ position }) => position), ...this.#told.values()]
  }
}
