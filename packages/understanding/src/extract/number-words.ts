import { damagedModel } from './model-facts.ts'

/** Words of a text between blanks, one after the other, and numbers among them: no list of all is ever made. */
export class NumberWords {
  readonly #text: string
  #at: number

  constructor(text: string, start = 0) {
    this.#text = text
    this.#at = start
  }

  /** The next word, or null at the end. */
  next(): string | null {
    const text = this.#text
    let start = this.#at
    while (start < text.length && text.charCodeAt(start) <= 32) start++
    let end = start
    while (end < text.length && text.charCodeAt(end) > 32) end++
    this.#at = end
    return start === end ? null : text.slice(start, end)
  }

  /** @throws UnreadableFile `corrupted` where none stands */
  number(): number {
    const value = this.numberOrEnd()
    if (value === null) throw damagedModel('it ends in the middle')
    return value
  }

  /** The next number, or null at the end. @throws UnreadableFile `corrupted` for a word that is none */
  numberOrEnd(): number | null {
    const word = this.next()
    if (word === null) return null
    // Some exporters write numbers as the language of their machine does: 1,5.
    const value = Number(word.replace(',', '.'))
    if (!Number.isFinite(value)) throw damagedModel('a number is none')
    return value
  }

  /** What is left of the line. */
  line(): string {
    const start = this.#at
    const end = this.#text.indexOf('\n', start)
    this.#at = end < 0 ? this.#text.length : end
    return this.#text.slice(start, this.#at).trim()
  }
}
