/** So many elements may be drawn by way of references, besides those that stand in the file. */
const MOST_REFERRED = 100_000
const REFERENCE = /url\(\s*["']?#([^)"']+)/g

/** Counts what a drawing draws by reference, so that one with exponentially many is told before it is drawn. */
export class SvgReferences {
  /** Where each element with an id begins and ends, in elements as they open. */
  readonly #ranges = new Map<string, { start: number; end: number }>()
  /** What is referred to, in the order of the places where it is. */
  readonly #references: { at: number; id: string }[] = []
  readonly #open: (string | null)[] = []
  readonly #costs = new Map<string, number>()
  #elements = 0

  open(attributes: Readonly<Record<string, string>>): void {
    const at = this.#elements++
    const { id } = attributes
    this.#open.push(id === undefined || this.#ranges.has(id) ? null : id)
    if (id !== undefined && !this.#ranges.has(id)) this.#ranges.set(id, { start: at, end: Infinity })
    for (const [name, value] of Object.entries(attributes)) {
      if (/(?:^|:)href$/.test(name) && value.trim().startsWith('#'))
        this.#references.push({ at, id: value.trim().slice(1) })
      for (const [, referred = ''] of value.matchAll(REFERENCE)) this.#references.push({ at, id: referred })
    }
  }

  close(): void {
    const id = this.#open.pop()
    if (id !== undefined && id !== null) this.#ranges.get(id)!.end = this.#elements
  }

  get endless(): boolean {
    return this.#within({ start: 0, end: Infinity }) > MOST_REFERRED
  }

  #within({ start, end }: { start: number; end: number }): number {
    let sum = 0
    for (let index = this.#firstAt(start); index < this.#references.length; index++) {
      const { at, id } = this.#references[index]!
      if (at >= end || sum > MOST_REFERRED) break
      sum += this.#cost(id)
    }
    return sum
  }

  /** What is in the middle of being counted refers to itself, and is not drawn again. */
  #cost(id: string): number {
    const known = this.#costs.get(id)
    if (known !== undefined) return known
    const range = this.#ranges.get(id)
    if (!range) return 0
    this.#costs.set(id, 0)
    const cost = range.end - range.start + this.#within(range)
    this.#costs.set(id, cost)
    return cost
  }

  /** Index of the first reference at or behind this element. */
  #firstAt(element: number): number {
    let [low, high] = [0, this.#references.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#references[middle]!.at < element) low = middle + 1
      else high = middle
    }
    return low
  }
}
