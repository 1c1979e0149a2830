/** One at a time for each key, in the order of asking. */
export class Turns<Key> {
  readonly #last = new Map<Key, Promise<void>>()

  /** Resolves when it is the caller's turn, with what ends it. */
  async take(key: Key): Promise<() => void> {
    const before = this.#last.get(key)
    const { promise: ended, resolve } = Promise.withResolvers<void>()
    this.#last.set(key, ended)
    await before
    return () => {
      if (this.#last.get(key) === ended) this.#last.delete(key)
      resolve()
    }
  }
}
