import { UnreadableFile } from '@medialog/application/ports/understanding'
import { Content } from './content.ts'
import type { Extract } from './extractor.ts'
import { readText } from './text-file.ts'
import { declaredEncoding, readXml, type XmlEvents } from './xml-reader.ts'

/** What DocBook, JATS, DITA and TEI call the parts that have headings, and the headings. */
const PART = /^(section|sect\d|subsection|sec|chapter|part|div\d?|appendix|topic|article|book|abstract)$/i
const HEADING = /^(title|heading|head)$/i

interface Element {
  name: string
  /** How many parts it stands in, itself included and the root left out; or the level that its part states. */
  level: number
  /** It has text of its own: its children are words of one paragraph, not paragraphs. */
  mixed: boolean
  attributes: Readonly<Record<string, string>>
  /** An element or text stood in it. */
  filled: boolean
}

/**
 * The words of any XML, an element a paragraph; empty elements read as their attributes. Headings are the titles of what
 * the common vocabularies call sections; the first title outside of them is the document's.
 */
export const extract: Extract = async ({ bytes, format }) => {
  const content = new Content()
  const { text, encoding } = readText(bytes, content, declaredEncoding(bytes))
  const words = new XmlWords(content)
  readXml(text, words)
  if (content.end === 0) throw new UnreadableFile('corrupted', 'The XML holds no text.')
  return content.document(format, { title: words.title, language: words.language, encoding })
}

class XmlWords implements XmlEvents {
  title = ''
  language: string | null = null
  readonly #content: Content
  readonly #open: Element[] = []
  #buffer: string[] = []

  constructor(content: Content) {
    this.#content = content
  }

  open(name: string, attributes: Readonly<Record<string, string>>): void {
    const parent = this.#open.at(-1)
    if (!parent) this.language = attributes['xml:lang'] ?? attributes['lang'] ?? null
    if (parent) parent.filled = true
    if (!parent?.mixed) this.#flush()
    const level = levelOf(name, attributes, parent)
    this.#open.push({ name, level, mixed: parent?.mixed ?? false, attributes, filled: false })
  }

  text(piece: string): void {
    const element = this.#open.at(-1)
    if (!element) return
    if (piece.trim() !== '') element.mixed = element.filled = true
    if (element.mixed) this.#buffer.push(piece)
  }

  full(): boolean {
    return this.#content.full
  }

  close(): void {
    const element = this.#open.pop()!
    const parent = this.#open.at(-1)
    if (!element.filled) this.#buffer.push(inWords(element.attributes))
    if (parent?.mixed) return
    if (HEADING.test(element.name)) return this.#heading(element.level)
    // What stands in a leaf may yet turn out to be the first words of its parent.
    if (!element.mixed || !parent) this.#flush()
  }

  #heading(level: number): void {
    const words = this.#take()
    if (level > 0) return this.#content.heading(words, level)
    this.title ||= words
    this.#content.paragraph(words)
  }

  #flush(): void {
    this.#content.paragraph(this.#take())
  }

  #take(): string {
    const words = this.#buffer.join('').replace(/\s+/g, ' ')
    this.#buffer = []
    return words
  }
}

function levelOf(
  name: string,
  attributes: Readonly<Record<string, string>>,
  parent: Element | undefined,
): number {
  if (!parent) return 0
  if (!PART.test(name)) return parent.level
  const stated = Number(attributes['level'])
  return stated >= 1 && stated <= 9 ? Math.floor(stated) : parent.level + 1
}

const inWords = (attributes: Readonly<Record<string, string>>): string =>
  Object.entries(attributes)
    .filter(([name]) => !/^xml(ns)?\b/.test(name))
    .map(([name, value]) => `${name}: ${value}`)
    .join(', ')
