/** How many there are of each name, whatever the names: one may be that of a property that every object has. */
export class Tally {
  readonly #counts = new Map<string, number>()

  add(name: string, count = 1): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + count)
  }

  toObject(): { [name: string]: number } {
    return Object.fromEntries(this.#counts)
  }
}
