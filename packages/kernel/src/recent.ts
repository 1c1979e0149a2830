/** As many values as it may hold; of more, the one that was asked for least recently is forgotten. */
export class Recent<Key, Value> {
  readonly #capacity: number
  /** In the order of their last use. */
  readonly #values = new Map<Key, Value>()
  /** At the end already, where it is there at all. */
  #last: Key | undefined

  constructor(capacity: number) {
    this.#capacity = capacity
  }

  clear(): void {
    this.#values.clear()
  }

  get(key: Key): Value | undefined {
    const value = this.#values.get(key)
    if (value !== undefined && key !== this.#last) this.set(key, value)
    return value
  }

  set(key: Key, value: Value): void {
    this.#last = key
    this.#values.delete(key)
    this.#values.set(key, value)
    if (this.#values.size > this.#capacity) this.#values.delete(this.#values.keys().next().value!)
  }
}
