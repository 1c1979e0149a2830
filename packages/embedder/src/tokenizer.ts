import { readFileSync } from 'node:fs'
import { Tokenizer } from '@huggingface/tokenizers'

/** A text's words as an uncased BERT parts them: marks and Han characters are words of their own, spaces are none. */
export interface Words {
  /** Where each begins and ends in the source text, in UTF-16 code units. */
  starts: number[]
  ends: number[]
  /** How many tokens the model has of each; none of one that it passes over. */
  tokens: number[]
}

const LONGEST_WORD = 100
const REMEMBERED_WORDS = 20_000

// The two sets that BERT's pre-tokenizer parts from everything around them.
const MARK = String.raw`\p{P}$+<=>^\x60|~`
const HAN = String.raw`\u4e00-\u9fff\u3400-\u4dbf\u{20000}-\u{2a6df}\u{2a700}-\u{2ceaf}\uf900-\ufaff\u{2f800}-\u{2fa1f}`
/** What parts words: \s without the vertical tab, the form feed and the byte order mark, which BERT drops within a word. */
const SPACE = String.raw`\t\n\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000`
const WORD = new RegExp(`[${MARK}${HAN}]|[^${SPACE}${MARK}${HAN}]+`, 'gu')

/**
 * WordPiece as uncased BERT defines it, by a library that knows no places: it is given one word at a time, which changes
 * nothing, because its pieces never reach over the end of a word, and makes the common ones cheap.
 */
export class WordPiece {
  readonly #library: Tokenizer
  readonly #remembered = new Map<string, readonly number[]>()
  readonly #open: number
  readonly #close: number

  /** @param vocabulary one piece a line, `##` marking those that continue a word; the line is the id. */
  constructor(vocabulary: string) {
    const lines = vocabulary.split(/\r?\n/).entries()
    const vocab = Object.fromEntries([...lines].flatMap(([id, piece]) => (piece === '' ? [] : [[piece, id]])))
    const special = (piece: string): number => {
      const id: unknown = vocab[piece]
      if (typeof id !== 'number') throw new Error(`the vocabulary has no ${piece}`)
      return id
    }
    special(UNKNOWN)
    this.#open = special('[CLS]')
    this.#close = special('[SEP]')
    this.#library = new Tokenizer(describeBert(vocab), {})
  }

  /** The words of a text, up to the one with which they have more than `limit` tokens. Linear in the text's length. */
  words(text: string, limit = Infinity): Words {
    const words: Words = { starts: [], ends: [], tokens: [] }
    let left = limit
    for (const [word, start] of wordsOf(text)) {
      const tokens = this.#tokens(word).length
      words.starts.push(start)
      words.ends.push(start + word.length)
      words.tokens.push(tokens)
      left -= tokens
      if (left < 0) break
    }
    return words
  }

  /** How many tokens a text has; where it is more than `limit`, some number above that. */
  countTokens(text: string, limit = Infinity): number {
    let count = 0
    for (const [word] of wordsOf(text)) if ((count += this.#tokens(word).length) > limit) break
    return count
  }

  /** The ids of the first `limit` tokens of a text. */
  ids(text: string, limit = Infinity): number[] {
    const ids: number[] = []
    for (const [word] of wordsOf(text)) {
      for (const id of this.#tokens(word)) ids.push(id)
      if (ids.length >= limit) break
    }
    if (ids.length > limit) ids.length = limit
    return ids
  }

  /** The model's input: opened, cut to `limit` tokens in all, closed. */
  encode(text: string, limit = 256): number[] {
    return [this.#open, ...this.ids(text, limit - 2), this.#close]
  }

  #tokens(word: string): readonly number[] {
    const known = this.#remembered.get(word)
    if (known) return known
    const { ids } = this.#library.encode(word, { add_special_tokens: false })
    // A full memory is forgotten as a whole: cheaper than keeping an order, and the common words are back at once.
    if (this.#remembered.size >= REMEMBERED_WORDS) this.#remembered.clear()
    if (word.length <= LONGEST_WORD) this.#remembered.set(copyOf(word), ids)
    return ids
  }
}

function* wordsOf(text: string): Generator<[word: string, start: number]> {
  for (const match of text.matchAll(WORD)) yield [match[0], match.index]
}

/** A string of its own: part of another one keeps all of that in memory. */
const copyOf = (word: string): string => Buffer.from(word, 'utf16le').toString('utf16le')

const UNKNOWN = '[UNK]'

/** What a tokenizer.json says of an uncased BERT. */
export const describeBert = (vocab: { [piece: string]: number }) => ({
  version: '1.0',
  truncation: null,
  padding: null,
  added_tokens: [],
  normalizer: {
    type: 'BertNormalizer',
    clean_text: true,
    handle_chinese_chars: true,
    strip_accents: null,
    lowercase: true,
  },
  pre_tokenizer: { type: 'BertPreTokenizer' },
  post_processor: null,
  decoder: null,
  model: {
    type: 'WordPiece',
    unk_token: UNKNOWN,
    continuing_subword_prefix: '##',
    max_input_chars_per_word: LONGEST_WORD,
    vocab,
  },
})

const VOCABULARY = new URL('../model/all-MiniLM-L6-v2/vocab.txt', import.meta.url)
let shared: WordPiece | undefined

/** The tokenizer of the model in the box, read at first use (about 50 ms). */
export const tokenizer = (): WordPiece => (shared ??= new WordPiece(readFileSync(VOCABULARY, 'utf8')))

/** How many tokens a text has; the model takes 254 of them at once. */
export const countTokens = (text: string, limit?: number): number => tokenizer().countTokens(text, limit)

/** As many whole words from the text's beginning as have at most `limit` tokens together. */
export function withinTokens(text: string, limit: number): string {
  const { starts, tokens } = tokenizer().words(text, limit)
  const total = tokens.reduce((sum, count) => sum + count, 0)
  return total <= limit ? text : text.slice(0, starts.at(-1)).trimEnd()
}
