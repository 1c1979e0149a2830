/**
 * Log positions of the client's own writes: a read that names them waits for them, whichever process answers it. Positions
 * cannot be compared, so those of writes that ran at the same time are all kept.
 */
export class Positions {
  #written: { position: string; at: number }[] = []
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

  get all(): string[] {
    return this.#written.map(({ position }) => position)
  }
}
