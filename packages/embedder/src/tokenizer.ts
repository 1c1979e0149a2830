import { readFileSync } from 'node:fs'
import { CharacterClass, classOf, normalForm, normalUnit } from './characters.ts'

/** A text's word pieces, without the marks that open and close an input of the model. */
export interface Tokens {
  /** Indices into the vocabulary. */
  ids: number[]
  /** Where each begins and ends in the source text, in UTF-16 code units; marks inside a character share its place. */
  starts: number[]
  ends: number[]
  /** 1 where a word, mark or Han character begins, 0 where a piece continues a word. */
  begins: number[]
}

const LONGEST_WORD = 100
const REMEMBERED_WORDS = 20_000

interface Pieces {
  ids: number[]
  /** Length of each in UTF-16 units of the word's normal form. */
  lengths: number[]
}

/**
 * WordPiece as uncased BERT defines it: text is cleaned, lower-cased, freed of accents and cut at spaces, punctuation
 * and Han characters; each word becomes the longest pieces of the vocabulary, left to right, or one unknown token.
 */
export class WordPiece {
  readonly #first = new Map<string, number>()
  readonly #following = new Map<string, number>()
  readonly #remembered = new Map<string, Pieces>()
  readonly #unknown: number
  readonly #open: number
  readonly #close: number
  #longestPiece = 0

  /** @param vocabulary one piece a line, `##` marking those that continue a word; the line is the id. */
  constructor(vocabulary: string) {
    for (const [id, line] of vocabulary.split(/\r?\n/).entries()) {
      if (line === '') continue
      const continues = line.startsWith('##') && line.length > 2
      const piece = continues ? line.slice(2) : line
      ;(continues ? this.#following : this.#first).set(piece, id)
      this.#longestPiece = Math.max(this.#longestPiece, piece.length)
    }
    const special = (piece: string): number => {
      const id = this.#first.get(piece)
      if (id === undefined) throw new Error(`the vocabulary has no ${piece}`)
      return id
    }
    this.#unknown = special('[UNK]')
    this.#open = special('[CLS]')
    this.#close = special('[SEP]')
  }

  /** All word pieces of a text, at most `limit`. Linear in the text's length. */
  tokenize(text: string, limit = Infinity): Tokens {
    const tokens: Tokens = { ids: [], starts: [], ends: [], begins: [] }
    for (let at = 0; at < text.length && tokens.ids.length < limit;) at = this.#step(text, at, tokens)
    if (tokens.ids.length > limit) for (const list of Object.values(tokens)) list.length = limit
    return tokens
  }

  countTokens(text: string): number {
    return this.tokenize(text).ids.length
  }

  /** The model's input: opened, cut to `limit` tokens in all, closed. */
  encode(text: string, limit = 256): number[] {
    return [this.#open, ...this.tokenize(text, limit - 2).ids, this.#close]
  }

  /** Takes one word, mark or gap that begins at `at`; answers where the next begins. */
  #step(text: string, at: number, tokens: Tokens): number {
    const codePoint = text.codePointAt(at)!
    const width = codePoint > 0xffff ? 2 : 1
    switch (classOf(codePoint)) {
      case CharacterClass.letter:
      case CharacterClass.mapped:
        return this.#word(text, at, tokens)
      case CharacterClass.alone:
        for (const mark of normalForm(String.fromCodePoint(codePoint)))
          this.#push(tokens, this.#pieces(mark), at, at + width, null)
    }
    return at + width
  }

  #word(text: string, start: number, tokens: Tokens): number {
    const units: number[] = []
    // Where each unit of the normal form comes from; only kept once the two run apart.
    let origin: number[] | null = null
    let at = start
    let end = start
    for (; at < text.length;) {
      const codePoint = text.codePointAt(at)!
      const kind = classOf(codePoint)
      if (kind === CharacterClass.space || kind === CharacterClass.alone) break
      const width = codePoint > 0xffff ? 2 : 1
      if (kind === CharacterClass.letter) {
        origin?.push(at)
        units.push(normalUnit(codePoint))
      } else {
        origin ??= units.map((_, index) => start + index)
        if (kind === CharacterClass.mapped)
          for (const unit of normalForm(String.fromCodePoint(codePoint)).split('')) {
            origin.push(at)
            units.push(unit.charCodeAt(0))
          }
      }
      at += width
      if (kind !== CharacterClass.dropped) end = at
    }
    this.#push(tokens, this.#pieces(wordOf(units)), start, end, origin)
    return at
  }

  #push(tokens: Tokens, pieces: Pieces, start: number, end: number, origin: number[] | null): void {
    let from = 0
    for (const [index, id] of pieces.ids.entries()) {
      const to = from + pieces.lengths[index]!
      const last = index === pieces.ids.length - 1
      tokens.ids.push(id)
      tokens.starts.push(origin ? origin[from]! : start + from)
      tokens.begins.push(index === 0 ? 1 : 0)
      tokens.ends.push(last ? end : origin ? origin[to]! : start + to)
      from = to
    }
  }

  #pieces(word: string): Pieces {
    const known = this.#remembered.get(word)
    if (known) return known
    const pieces = this.#cut(word) ?? { ids: [this.#unknown], lengths: [word.length] }
    // A full memory is forgotten as a whole: cheaper than keeping an order, and the common words are back at once.
    if (this.#remembered.size >= REMEMBERED_WORDS) this.#remembered.clear()
    if (word.length <= LONGEST_WORD) this.#remembered.set(word, pieces)
    return pieces
  }

  /** Greedy longest match; null where some part of the word is not in the vocabulary or the word is too long. */
  #cut(word: string): Pieces | null {
    if (word.length > LONGEST_WORD && Array.from(word).length > LONGEST_WORD) return null
    const pieces: Pieces = { ids: [], lengths: [] }
    for (let from = 0; from < word.length;) {
      const vocabulary = from === 0 ? this.#first : this.#following
      let to = Math.min(word.length, from + this.#longestPiece)
      let id: number | undefined
      for (; to > from; to--) if ((id = vocabulary.get(word.slice(from, to))) !== undefined) break
      if (id === undefined) return null
      pieces.ids.push(id)
      pieces.lengths.push(to - from)
      from = to
    }
    return pieces
  }
}

/** In slices: a word may be as long as the text, and arguments of a call are not. */
function wordOf(units: number[]): string {
  if (units.length < 4096) return String.fromCharCode(...units)
  let word = ''
  for (let at = 0; at < units.length; at += 4096) word += String.fromCharCode(...units.slice(at, at + 4096))
  return word
}

const VOCABULARY = new URL('../model/all-MiniLM-L6-v2/vocab.txt', import.meta.url)
let shared: WordPiece | undefined

/** The tokenizer of the model in the box, read at first use (about 10 ms, 5 MB). */
export const tokenizer = (): WordPiece => (shared ??= new WordPiece(readFileSync(VOCABULARY, 'utf8')))

/** Word pieces of a text with their places in it, at most `limit`. */
export const tokenize = (text: string, limit?: number): Tokens => tokenizer().tokenize(text, limit)

/** How many word pieces a text has; the model takes 254 of them at once. */
export const countTokens = (text: string): number => tokenizer().countTokens(text)
