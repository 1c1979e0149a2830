import type { Content } from './content.ts'
import { Formula } from './formula.ts'
import type { XmlEvents } from './xml-reader.ts'

/** What is no text of the document, or is said elsewhere. */
const NOISE = new Set([
  'tracked-changes',
  'annotation',
  'annotation-end',
  'note-citation',
  'forms',
  'master-styles',
])
const FIGURES = new Set(['image', 'object', 'object-ole', 'plugin'])
const MOST_REPEATED = 100

type Attributes = Readonly<Record<string, string>>

interface Paragraph {
  level: number | null
  text: string
}

/** Turns the events of an ODF content.xml into content. Element names come without their prefixes. */
export class OdfReader implements XmlEvents {
  /** How many slides were read. */
  slides = 0
  readonly #content: Content
  #formula: Formula | null = null
  readonly #parents = new Map<string, string>()
  /** The style that is being read, and those whose text is not to be seen. */
  #style = ''
  readonly #unseenStyles = new Set<string>()
  /** How many elements are open that are not read, or within such a one. */
  #unread = 0
  /** Open ones: a paragraph may hold a frame with paragraphs of its own. */
  readonly #paragraphs: Paragraph[] = []
  readonly #frames: { figure: boolean; table: boolean }[] = []
  #tables = 0
  #rows: string[][] = []
  /** The cell that is open, and how often it stands in its row. */
  #cell: { text: string; times: number } | null = null
  /** Empty cells that are repeated: the rest of the row, unless another one follows. */
  #rest = 0
  #untitled = false
  #notes = 0
  /** Open footnotes and endnotes. */
  #footnotes = 0
  /** An open alternative text of a picture. */
  #alternative: string | null = null
  /** Notes and alternative texts, said behind the paragraph, the table or the slide that they are to. */
  #behind: string[] = []

  constructor(content: Content) {
    this.#content = content
  }

  open(name: string, attributes: Attributes, qualified: string): void {
    if (this.#formula) return this.#formula.open(name, attributes)
    if (this.#unread > 0 || NOISE.has(name) || this.#isUnseen(name, attributes)) this.#unread++
    if (this.#unread > 0) return
    switch (name) {
      case 'style':
        return this.#readStyle(attributes)
      case 'text-properties':
        if (attributes['text:display'] === 'none') this.#unseenStyles.add(this.#style)
        return
      case 'h':
      case 'p':
        this.#paragraphs.push({ level: this.#levelOf(name, attributes), text: '' })
        return
      case 's':
      case 'tab':
        return this.text(' ')
      case 'line-break':
        return this.text('\n')
      case 'page':
        this.slides++
        this.#untitled = true
        return
      case 'notes':
        this.#titleSlide(`Slide ${this.slides}`)
        this.#notes++
        return
      case 'note-body':
        this.#footnotes++
        return
      case 'title':
      case 'desc':
        if (qualified.startsWith('svg:')) this.#alternative = ''
        return
      case 'math':
        this.#formula = new Formula()
        return
      case 'frame':
        this.#frames.push({ figure: false, table: false })
        return
      case 'table':
        return this.#openTable()
      case 'table-row':
        if (this.#tables === 1) this.#rows.push([])
        this.#rest = 0
        return
      case 'table-cell':
      case 'covered-table-cell':
        return this.#openCell(attributes)
      default:
        if (FIGURES.has(name)) this.#markFigure()
    }
  }

  close(name: string): void {
    if (this.#formula) return this.#closeInFormula(this.#formula, name)
    if (this.#unread > 0) {
      this.#unread--
      return
    }
    if (name === 'h' || name === 'p') this.#closeParagraph()
    else if (name === 'page') this.#closeSlide()
    else if (name === 'title' || name === 'desc') this.#closeAlternative()
    else if (name === 'body') this.#addBehind()
    else if (name === 'notes') this.#notes--
    else if (name === 'note-body') this.#footnotes--
    else if (name === 'frame') this.#closeFrame()
    else if (name === 'table') this.#closeTable()
    else if (name === 'table-cell' || name === 'covered-table-cell') this.#closeCell()
  }

  text(piece: string): void {
    if (this.#unread > 0) return
    if (this.#formula) return this.#formula.text(piece)
    const paragraph = this.#paragraphs.at(-1)
    if (this.#alternative !== null) this.#alternative += piece
    else if (paragraph) paragraph.text += piece
  }

  full(): boolean {
    return this.#content.full
  }

  /** A formula is a file of its own, embedded in a document. */
  #closeInFormula(formula: Formula, name: string): void {
    if (!formula.isClosed) return formula.close(name)
    this.#formula = null
    this.#content.paragraph(String(formula))
  }

  #readStyle(attributes: Attributes): void {
    const [name, parent] = [attributes['style:name'], attributes['style:parent-style-name']]
    this.#style = name ?? ''
    if (name && parent) this.#parents.set(name, parent)
  }

  #isUnseen(name: string, attributes: Attributes): boolean {
    if (name === 'section') return attributes['text:display'] === 'none'
    return this.#unseenStyles.has(attributes['text:style-name'] ?? '')
  }

  /** The document's title is written as a heading by some, in the style `Title`. */
  #levelOf(name: string, attributes: Attributes): number | null {
    const style = attributes['text:style-name'] ?? ''
    if (name === 'p' || /^(sub)?title$/i.test(this.#parents.get(style) ?? style)) return null
    const level = Number(attributes['text:outline-level'] ?? 1)
    return level >= 1 && level <= 10 ? level : 1
  }

  #closeParagraph(): void {
    const { level, text } = this.#paragraphs.pop()!
    if (this.#footnotes > 0) this.#behind.push(text)
    else if (this.#cell) this.#cell.text += `${text}\n`
    else {
      this.#addParagraph(text, level)
      if (!this.#untitled) this.#addBehind()
    }
  }

  #addParagraph(text: string, level: number | null): void {
    if (text.trim() === '') return
    if (this.#untitled) this.#titleSlide(text)
    else if (level !== null) this.#content.heading(text, level)
    else this.#content.paragraph(this.#notes > 0 ? `Notes: ${text}` : text)
  }

  #addBehind(): void {
    for (const text of this.#behind) this.#content.paragraph(text)
    this.#behind = []
  }

  #closeAlternative(): void {
    if (this.#alternative?.trim()) this.#behind.push(this.#alternative)
    this.#alternative = null
  }

  #closeSlide(): void {
    this.#titleSlide(`Slide ${this.slides}`)
    this.#addBehind()
  }

  /** A slide's first text is its title. */
  #titleSlide(title: string): void {
    if (this.#untitled) this.#content.heading(title, 1, 'slide')
    this.#untitled = false
  }

  #markFigure(): void {
    const frame = this.#frames.at(-1)
    if (frame) frame.figure = true
    else this.#content.figureCount++
  }

  /** A chart or table stands in its frame with a picture of itself. */
  #closeFrame(): void {
    const frame = this.#frames.pop()
    if (frame?.figure && !frame.table) this.#content.figureCount++
  }

  #openTable(): void {
    const frame = this.#frames.at(-1)
    if (frame) frame.table = true
    if (this.#tables++ === 0) this.#rows = []
  }

  #openCell(attributes: Attributes): void {
    if (this.#tables !== 1) return
    const times = Number(attributes['table:number-columns-repeated'] ?? 1)
    this.#cell = { text: '', times: Math.min(MOST_REPEATED, Math.max(1, times || 1)) }
  }

  #closeCell(): void {
    if (this.#tables !== 1 || !this.#cell) return
    const { times } = this.#cell
    const text = this.#cell.text.trim()
    this.#cell = null
    if (text === '' && times > 1) {
      this.#rest += times
      return
    }
    // One by one: so many may be repeated that they are too many arguments.
    const row = this.#rows.at(-1)
    for (; this.#rest > 0; this.#rest--) row?.push('')
    for (let time = 0; time < times; time++) row?.push(text)
  }

  #closeTable(): void {
    if (--this.#tables > 0) return
    this.#titleSlide(`Slide ${this.slides}`)
    this.#content.table(this.#rows.filter((row) => row.length > 0))
    this.#addBehind()
  }
}
