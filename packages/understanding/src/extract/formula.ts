import type { XmlElement } from './xml-tree.ts'

/** What says a formula once more, in another language. */
const REPEATED = new Set(['annotation', 'annotation-xml'])
/** Of a formula of Office Open XML: how it looks, not what it says. */
const PROPERTIES = /Pr$/

/**
 * Collects the events of one formula, MathML or Office Math (ECMA-376 part 1, 22.1), and gives it on a line, as it is typed in
 * the linear format of Unicode Technical Note 28: `x_1^2`, `(a+b)/c`, `∑_(k=0)^n k`.
 */
export class Formula {
  readonly #top: XmlElement = { name: '', attributes: {}, children: [], text: '' }
  readonly #open: XmlElement[] = [this.#top]
  #repeated = 0

  open(name: string, attributes: XmlElement['attributes']): void {
    if (REPEATED.has(name)) this.#repeated++
    const element: XmlElement = { name, attributes, children: [], text: '' }
    if (this.#repeated === 0) this.#open.at(-1)!.children.push(element)
    this.#open.push(element)
  }

  close(name: string): void {
    if (REPEATED.has(name)) this.#repeated--
    if (this.#open.length > 1) this.#open.pop()
  }

  text(piece: string): void {
    this.#open.at(-1)!.text += piece
  }

  get isClosed(): boolean {
    return this.#open.length === 1
  }

  toString(): string {
    return wordsOf(this.#top).trim().replaceAll(/ {2,}/g, ' ')
  }
}

/** Invisible signs: a function is applied, factors are multiplied, indices are parted, a whole and a fraction are added. */
const INVISIBLE: ReadonlyMap<string, string> = new Map([
  ['\u2061', ' '],
  ['\u2062', ''],
  ['\u2063', ','],
  ['\u2064', ''],
])

const visible = (text: string): string => text.replaceAll(/[\u2061-\u2064]/g, (sign) => INVISIBLE.get(sign)!)

/** What a kind of element says, by what its children say. */
type Say = (parts: readonly string[], node: XmlElement) => string

const joined: Say = (parts) => parts.join('')
const over: Say = (parts, node) => `${group(parts[0])}${isBarless(node) ? '¦' : '/'}${group(parts[1])}`
const raised = (parts: readonly string[]): string => `${group(parts[0])}^${group(parts[1])}`
const lowered = (parts: readonly string[]): string => `${group(parts[0])}_${group(parts[1])}`
const rooted = (radicand: string | undefined, degree = ''): string => `${group(degree)}√${group(radicand)}`
const both = (parts: readonly string[]): string => `${lowered(parts)}^${group(parts[2])}`

const SAID: ReadonlyMap<string, Say> = new Map(
  Object.entries<Say>({
    // MathML: children by their places.
    mfrac: over,
    msup: raised,
    mover: raised,
    msub: lowered,
    msubsup: both,
    // What they are the bounds of follows.
    munder: (parts) => `${lowered(parts)} `,
    munderover: (parts) => `${both(parts)} `,
    msqrt: (parts) => rooted(parts.join('')),
    mroot: ([radicand, degree]) => rooted(radicand, degree),
    mtr: (parts) => parts.join(' '),
    mtable: (parts) => parts.join('; '),
    mfenced: (parts, { attributes }) =>
      `${attributes['open'] ?? '('}${parts.join(attributes['separators'] ?? ',')}${attributes['close'] ?? ')'}`,
    // Office Math: its schema fixes the order of children.
    f: over,
    sSup: raised,
    limUpp: raised,
    sSub: lowered,
    limLow: lowered,
    sSubSup: both,
    rad: (parts) => rooted(parts.at(-1), parts.length > 1 ? parts[0] : ''),
    func: (parts) => parts.join(' '),
    nary: ([lower, upper, body], node) =>
      `${property(node, 'chr') ?? '∫'}${limit('_', lower)}${limit('^', upper)} ${body ?? ''}`,
    d: (parts, node) =>
      `${property(node, 'begChr') ?? '('}${parts.join(property(node, 'sepChr') ?? '|')}${property(node, 'endChr') ?? ')'}`,
    mr: (parts) => parts.join(' '),
    m: (parts) => parts.join('; '),
    eqArr: (parts) => parts.join('; '),
  }),
)

/** Of a binomial coefficient. */
const isBarless = (node: XmlElement): boolean =>
  property(node, 'type') === 'noBar' || node.attributes['linethickness']?.startsWith('0') === true

const limit = (sign: string, text: string | undefined): string => (text ? `${sign}${group(text)}` : '')

function wordsOf(node: XmlElement): string {
  const parts = node.children.filter(({ name }) => !PROPERTIES.test(name)).map(wordsOf)
  return (SAID.get(node.name) ?? joined)(parts, node) + ownWordsOf(node)
}

/** Spaces count in Office Math; in MathML they lay the file out, but words stand apart. */
function ownWordsOf({ name, text }: XmlElement): string {
  if (name === 't') return visible(text)
  const words = visible(text.trim())
  return name === 'mtext' ? ` ${words} ` : words
}

/** A property of an element of Office Math; `on` where it has no value. */
function property({ children }: XmlElement, name: string): string | undefined {
  const properties = children.find((child) => PROPERTIES.test(child.name))
  const found = properties?.children.find((child) => child.name === name)
  return found && (found.attributes['m:val'] ?? 'on')
}

const SINGLE = /^(?:\p{N}[\p{N}.,]*|\P{N}\p{M}*)?$/u
/** Longer ones are put in brackets as they are. */
const MOST_LOOKED_AT = 100

/** In brackets, unless it is a number, one sign, or in brackets already. */
const group = (text = ''): string =>
  text.length < MOST_LOOKED_AT && (SINGLE.test(text) || isBracketed(text)) ? text : `(${text})`

/** Whether the first sign opens a bracket that the last one closes. */
function isBracketed(text: string): boolean {
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '(') depth++
    else if (text[at] === ')') depth--
    if (depth === 0) return at > 0 && at === text.length - 1
  }
  return false
}
