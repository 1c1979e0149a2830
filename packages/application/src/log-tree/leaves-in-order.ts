import type { LogLeaves, PlacedLeaf } from '../ports/index.ts'

const PAGE = 2_048

/** The leaves one after the other, with a look at the next. */
export class LeavesInOrder {
  readonly #leaves: LogLeaves
  readonly #size: number
  #page: PlacedLeaf[] = []
  #at = 0
  #next = 0

  constructor(leaves: LogLeaves, size: number) {
    this.#leaves = leaves
    this.#size = size
  }

  /** Index of the next one. */
  get index(): number {
    return this.#next
  }

  /** The next one, where it is at hand; else `load` has to be waited for. Null behind the last. */
  peek(): PlacedLeaf | null | undefined {
    return this.#next >= this.#size ? null : this.#page[this.#at]
  }

  async load(): Promise<void> {
    const page = await this.#leaves.read(this.#next, Math.min(PAGE, this.#size - this.#next))
    if (page.length === 0) throw new Error(`leaf ${this.#next} of ${this.#size} is not there`)
    this.#page = page
    this.#at = 0
  }

  advance(): void {
    this.#at++
    this.#next++
  }
}
