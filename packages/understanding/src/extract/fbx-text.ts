import type { FbxNode, FbxValue } from './fbx-node.ts'
import { damagedModel } from './model-facts.ts'

const DEEPEST = 100
const KEY = /[^\s:{},;"]+:/y
const WORD = /[^\s,{};"]+/y
/** Blanks, line ends and comments. */
const BLANK = /(?:\s+|;[^\n]*)*/y
/** Ids have more digits than numbers hold. */
const LONG = /^-?\d{16,100}$/

/** The nodes of an FBX file that is text: `Name: values { children }`. @throws UnreadableFile `corrupted` */
export function readTextFbx(text: string): FbxNode[] {
  const reader = new TextReader(text)
  const nodes = reader.nodes(0)
  reader.end()
  return nodes
}

class TextReader {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  nodes(depth: number): FbxNode[] {
    if (depth > DEEPEST) throw damagedModel('its parts are nested too deeply')
    const nodes: FbxNode[] = []
    for (let name = this.#key(); name !== null; name = this.#key()) {
      const values = this.#values()
      nodes.push({ name, values, children: this.#is('{') ? this.#children(depth) : [] })
    }
    return nodes
  }

  end(): void {
    if (this.#at < this.#text.length) throw damagedModel('it is no FBX from some line on')
  }

  #children(depth: number): FbxNode[] {
    this.#at++
    const nodes = this.nodes(depth + 1)
    if (!this.#is('}')) throw damagedModel('it ends in the middle')
    this.#at++
    return nodes
  }

  #isKey(): boolean {
    KEY.lastIndex = this.#at
    return KEY.test(this.#text)
  }

  #key(): string | null {
    this.#skip(BLANK)
    const key = this.#match(KEY)
    return key === null ? null : key.slice(0, -1)
  }

  /** Parted by commas, over several lines where there are many. */
  #values(): FbxValue[] {
    const values: FbxValue[] = []
    while (this.#text[this.#at] === ' ' || this.#text[this.#at] === '\t') this.#at++
    // Blender and motion capture programs put the first value on a line of its own. Otherwise the next line starts with a name.
    if (this.#text[this.#at] === '\r' || this.#text[this.#at] === '\n') {
      this.#skip(BLANK)
      if (this.#isKey()) return values
    }
    for (;;) {
      const value = this.#value()
      if (value !== undefined) values.push(value)
      if (!this.#is(',')) return values
      this.#at++
      this.#skip(BLANK)
    }
  }

  #value(): FbxValue | undefined {
    if (this.#text[this.#at] === '"') {
      const end = this.#text.indexOf('"', this.#at + 1)
      if (end < 0) throw damagedModel('it ends in the middle')
      const quoted = this.#text.slice(this.#at + 1, end)
      this.#at = end + 1
      return quoted.replaceAll('&quot;', '"')
    }
    const word = this.#match(WORD)
    if (word === null) return undefined
    if (LONG.test(word)) return BigInt(word)
    const number = Number(word)
    return Number.isNaN(number) ? word : number
  }

  /** Whether this comes next, blanks left out: then it is where reading goes on. */
  #is(sign: string): boolean {
    const start = this.#at
    this.#skip(BLANK)
    if (this.#text[this.#at] === sign) return true
    this.#at = start
    return false
  }

  #match(pattern: RegExp): string | null {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#text)?.[0] ?? null
    if (found !== null) this.#at += found.length
    return found
  }

  #skip(pattern: RegExp): void {
    this.#match(pattern)
  }
}
