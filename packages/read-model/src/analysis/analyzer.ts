import { Recent } from '@medialog/kernel'
import { termOf, type Term } from './term.ts'
import { charactersOf, termsOf, words } from './words.ts'

/** A text as BM25 sees it: each distinct term with how often it occurs. */
export interface AnalysedText {
  /** Occurrences of all terms. */
  length: number
  low: Uint32Array
  high: Uint32Array
  /** How often each occurs, at most 255. */
  frequency: Uint8Array
}

/** A word of a query, as typed, with the terms it is looked up by. */
export interface QueryWord {
  word: string
  terms: readonly Term[]
}

const MOST_REMEMBERED = 200_000
/** Words of queries: stemming one takes as long as adding up the postings of many. */
const ASKED_REMEMBERED = 10_000
/** In UTF-16 code units: a longer piece is no word, and unlikely to come back. */
const LONGEST_REMEMBERED = 40
const NOTHING: Piece = { ids: new Uint32Array(0), counted: 0 }

/** The terms of a piece of text by their ids. The first `counted` of them make up the length of a text. */
interface Piece {
  ids: Uint32Array
  counted: number
}

/** Turns text into terms. Remembers the words it has seen (texts repeat theirs): several million words a second. */
export class Analyzer {
  readonly #pieces = new Map<string, Piece>()
  readonly #idOfTerm = new Map<string, number>()
  readonly #asked = new Recent<string, readonly Term[]>(ASKED_REMEMBERED)
  #low = new Uint32Array(1024)
  #high = new Uint32Array(1024)
  #count = new Uint32Array(1024)

  analyse(text: string): AnalysedText {
    if (this.#pieces.size > MOST_REMEMBERED) this.#forget()
    const found: number[] = []
    let length = 0
    this.#eachPiece(text, ({ ids, counted }) => {
      for (const id of ids) if (this.#count[id]!++ === 0) found.push(id)
      length += counted
    })
    return this.#collect(found, length)
  }

  /** The distinct words of a query in order, those without terms (stop words) left out. */
  query(text: string): QueryWord[] {
    const asked = [...new Set(words(text))].map((word) => ({ word, terms: this.#termsOf(word) }))
    return asked.filter(({ terms }) => terms.length > 0)
  }

  #termsOf(word: string): readonly Term[] {
    const known = this.#asked.get(word)
    if (known) return known
    const terms = termsOf(word).map(termOf)
    if (word.length <= LONGEST_REMEMBERED) this.#asked.set(word, terms)
    return terms
  }

  #collect(found: number[], length: number): AnalysedText {
    const low = new Uint32Array(found.length)
    const high = new Uint32Array(found.length)
    const frequency = new Uint8Array(found.length)
    for (let index = 0; index < found.length; index++) {
      const id = found[index]!
      low[index] = this.#low[id]!
      high[index] = this.#high[id]!
      frequency[index] = Math.min(255, this.#count[id]!)
      this.#count[id] = 0
    }
    return { length, low, high, frequency }
  }

  /**
   * Cuts at what is surely no part of a word, and looks up the piece in between: most are single words. What a
   * piece is made of (identifiers, numbers, other scripts) is for `words` and `termsOf` to say.
   */
  #eachPiece(text: string, visit: (piece: Piece) => void): void {
    let start = -1
    for (let index = 0; index <= text.length; index++) {
      const kind = kindAt(text, index)
      const inside = kind === LETTER || (kind === JOINT && start >= 0 && kindAt(text, index + 1) === LETTER)
      if (inside) {
        if (start < 0) start = index
      } else if (start >= 0) {
        visit(this.#pieceOf(text.slice(start, index)))
        start = -1
      }
    }
  }

  #pieceOf(text: string): Piece {
    const known = this.#pieces.get(text)
    if (known) return known
    const found = [...words(text)]
    const terms = found.flatMap(termsOf)
    const all = [...terms, ...found.flatMap(charactersOf)]
    const piece =
      all.length === 0
        ? NOTHING
        : { ids: Uint32Array.from(all, (term) => this.#idOf(term)), counted: terms.length }
    if (text.length <= LONGEST_REMEMBERED) this.#pieces.set(text, piece)
    return piece
  }

  #idOf(text: string): number {
    const known = this.#idOfTerm.get(text)
    if (known !== undefined) return known
    const id = this.#idOfTerm.size
    if (id === this.#low.length) this.#grow()
    const { low, high } = termOf(text)
    this.#low[id] = low
    this.#high[id] = high
    this.#idOfTerm.set(text, id)
    return id
  }

  #grow(): void {
    const larger = (array: Uint32Array) => {
      const next = new Uint32Array(array.length * 2)
      next.set(array)
      return next
    }
    this.#low = larger(this.#low)
    this.#high = larger(this.#high)
    this.#count = larger(this.#count)
  }

  #forget(): void {
    this.#pieces.clear()
    this.#idOfTerm.clear()
  }
}

const GAP = 0
const LETTER = 1
const JOINT = 2

/** Per ASCII code: surely between words, part of one, or either, depending on what follows. */
const KIND = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code)
  if (/[A-Za-z0-9]/.test(character)) return LETTER
  return /[._\-'@/:+#]/.test(character) ? JOINT : GAP
})

/** What is not ASCII may be part of a word: left to the regular expressions of `words`. */
const kindAt = (text: string, index: number): number =>
  index >= text.length ? GAP : (KIND[text.charCodeAt(index)] ?? LETTER)
