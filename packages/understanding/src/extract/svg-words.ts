import type { Content } from './content.ts'

/** Elements whose own text is shown, or read out by screen readers. */
const WORDS = new Set(['text', 'title', 'desc'])

/** A span with a place of its own is a line of its own. */
export const isPlaced = (name: string, attributes: Readonly<Record<string, string>>): boolean =>
  name === 'tspan' && ('x' in attributes || 'y' in attributes || 'dy' in attributes)

/** The words of a drawing in the order of its file: title and description, labels, one paragraph each. */
export class SvgWords {
  title = ''
  author = ''
  readonly #content: Content
  readonly #path: string[] = []
  #text: string[] = []
  #inside: string | null = null

  constructor(content: Content) {
    this.#content = content
  }

  open(name: string, attributes: Readonly<Record<string, string>>): void {
    this.#path.push(name)
    if (this.#inside === null && (WORDS.has(name) || this.#isMetadata())) this.#inside = name
    else if (isPlaced(name, attributes)) this.#text.push('\n')
  }

  close(name: string): void {
    const metadata = this.#isMetadata()
    const path = this.#path.join('/')
    this.#path.pop()
    if (this.#inside !== name) return
    const text = this.#text.join('').trim()
    this.#text = []
    this.#inside = null
    if (metadata) this.#keepMetadata(path, text)
    else if (name === 'title' && this.#path.length === 1) this.title ||= text
    else this.#content.paragraph(text)
  }

  text(text: string): void {
    if (this.#inside !== null) this.#text.push(text.replace(/\s+/g, ' '))
  }

  /** Dublin Core in RDF, as drawing programs write it. */
  #isMetadata(): boolean {
    return this.#path[1] === 'metadata' && /^(?:title|creator)$/.test(this.#path.at(-1) ?? '')
  }

  #keepMetadata(path: string, text: string): void {
    if (/\/creator(?:\/|$)/.test(path)) this.author ||= text
    else if (!/\/(?:publisher|rights|contributor|license)\//i.test(path)) this.title ||= text
  }
}
