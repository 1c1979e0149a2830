/** What may still become a mark when more text comes. */
const OPEN = /\[[\d,\s]{0,40}$/
const MARK = /\[\s*\d{1,6}(?:\s*,\s*\d{1,6})*\s*\]/g

/**
 * Marks like `[7]` and `[2, 7]` in a text that comes in pieces, numbered anew in the order in which the text names them.
 * Those of passages that there are not go.
 */
export class Citations {
  readonly #passages: number
  readonly #cited: number[] = []
  #held = ''

  constructor(passages: number) {
    this.#passages = passages
  }

  /** Places of the passages, from 0: the first is `[1]`. */
  get cited(): number[] {
    return [...this.#cited]
  }

  /** As much of the text as is certain by now. */
  push(piece: string): string {
    const text = this.#held + piece
    this.#held = OPEN.exec(text)?.[0] ?? ''
    return this.#renumbered(text.slice(0, text.length - this.#held.length))
  }

  /** The rest. */
  end(): string {
    const rest = this.#held
    this.#held = ''
    return rest
  }

  #renumbered(text: string): string {
    return text.replace(MARK, (mark) => {
      const numbers = mark.match(/\d+/g)!.flatMap((number) => this.#numberOf(Number(number) - 1) ?? [])
      return numbers.length > 0 ? `[${[...new Set(numbers)].join(', ')}]` : ''
    })
  }

  #numberOf(place: number): number | null {
    if (place < 0 || place >= this.#passages) return null
    if (!this.#cited.includes(place)) this.#cited.push(place)
    return this.#cited.indexOf(place) + 1
  }
}
