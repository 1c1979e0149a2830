import { UnreadableFile } from '@medialog/application/ports/understanding'
import { Parser } from 'htmlparser2'
import type { Content } from './content.ts'
import { Formula } from './formula.ts'
import { isPlaced } from './svg-words.ts'

/** Browsers stop at 512; the parser's time grows with the square of it. */
const DEEPEST = 4096

const NOISE = new Set(
  'nav footer script style noscript template iframe object select datalist textarea rp'.split(' '),
)
const BLOCKS = new Set(
  (
    'address article aside blockquote body dd details dialog div dl dt fieldset figcaption figure form h1 h2 h3 h4 h5 ' +
    'h6 header hr html li main ol p pre section summary table tbody td tfoot th thead title tr ul caption'
  ).split(' '),
)

/** By its own attributes: style sheets are not looked at. A page that shows itself by a script hides its body first. */
const isHidden = (name: string, { hidden, style }: Record<string, string>): boolean =>
  ((hidden !== undefined && hidden !== 'until-found') ||
    /(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden)\b/i.test(style ?? '')) &&
  name !== 'html' &&
  name !== 'body'

/** What is shown as words within a drawing. Its title and description name icons. */
const LABELS = new Set(['text', 'foreignObject'])

interface Drawing {
  /** How deep it stands. */
  depth: number
  /** Labels that are open. */
  open: number
  /** Their text in pieces, a line end between two of them. */
  labels: string[]
}

function openInDrawing(drawing: Drawing, name: string, attributes: Record<string, string>): void {
  if (LABELS.has(name)) drawing.open++
  if (isPlaced(name, attributes) || name === 'br' || BLOCKS.has(name)) drawing.labels.push('\n')
}

interface HtmlMeta {
  title: string
  author: string
  language: string
}

interface HtmlOptions {
  /** Whether h1 to h6 become sections. */
  headings: boolean
  /** Filled with what the page says of itself. */
  meta?: HtmlMeta
}

/**
 * Adds the text of HTML to `content`. A walk over events, not a tree: memory and stack do not grow with nesting, and
 * parsing stops as soon as the content is full. A table inside a table belongs to the outer one's cell.
 */
export function readHtml(html: string, content: Content, options: HtmlOptions): void {
  const reader = new HtmlReader(content, options)
  const parser = new Parser(
    {
      onopentag: (name, attributes) => reader.open(name, attributes),
      onclosetag: (name) => reader.close(name),
      ontext: (text) => reader.text(text),
    },
    { decodeEntities: true },
  )
  const STEP = 65_536
  for (let at = 0; at < html.length && !content.full; at += STEP) parser.write(html.slice(at, at + STEP))
  parser.end()
  reader.flush()
}

class HtmlReader {
  readonly #content: Content
  readonly #options: HtmlOptions
  #buffer: string[] = []
  #depth = 0
  #noise = 0
  #pre = 0
  #figures = 0
  #tables = 0
  #inTitle = false
  /** The reading of the ruby that is open, and whether its text is being read. */
  #ruby: { reading: string; isReading: boolean } | null = null
  #rows: string[][] = []
  #formula: Formula | null = null
  #drawing: Drawing | null = null
  /** A formula has just ended. An element hidden from screen readers there shows it once more, as KaTeX writes it. */
  #isBehindFormula = false
  /**
   * The depth of the outermost open element that is hidden, or shows a formula once more. Only formulas are read in it.
   */
  #unseen: number | null = null

  constructor(content: Content, options: HtmlOptions) {
    this.#content = content
    this.#options = options
  }

  open(name: string, attributes: Record<string, string>): void {
    if (++this.#depth > DEEPEST)
      throw new UnreadableFile('too-large', `The page is nested deeper than ${DEEPEST} levels.`)
    if (this.#formula) return this.#formula.open(name, attributes)
    const isAgain = this.#isBehindFormula && attributes['aria-hidden'] === 'true'
    if (isAgain || isHidden(name, attributes)) this.#unseen ??= this.#depth
    // Wikipedia hides its formulas behind pictures of them.
    if (this.#unseen !== null && name !== 'math') return
    if (this.#drawing) return openInDrawing(this.#drawing, name, attributes)
    if (NOISE.has(name)) this.#noise++
    if (this.#noise > 0) return
    if (name === 'math') this.#formula = new Formula()
    if (name === 'svg') this.#openDrawing()
    if (BLOCKS.has(name)) this.#blockEdge()
    if (name === 'title') this.#inTitle = true
    if (name === 'br') this.#buffer.push('\n')
    if (name === 'ruby') this.#ruby = { reading: '', isReading: false }
    if (name === 'rt' && this.#ruby) this.#ruby.isReading = true
    if (name === 'pre') this.#pre++
    if (name === 'html' || name === 'meta') this.#readMeta(name, attributes)
    if (name === 'figure' || name === 'img') this.#openFigure(name, attributes)
    if (name === 'table' && this.#tables++ === 0) this.#rows = []
    if (name === 'tr' && this.#tables === 1) this.#rows.push([])
  }

  close(name: string): void {
    this.#depth--
    if (this.#formula) return this.#closeInFormula(this.#formula, name)
    if (this.#unseen !== null) {
      if (this.#depth < this.#unseen) this.#unseen = null
      return
    }
    if (this.#drawing) return this.#closeInDrawing(this.#drawing, name)
    if (NOISE.has(name)) {
      this.#noise = Math.max(0, this.#noise - 1)
      return
    }
    if (this.#noise > 0) return
    if (name === 'title') return this.#closeTitle()
    if (name === 'rt' && this.#ruby) this.#ruby.isReading = false
    if (name === 'ruby') return this.#closeRuby()
    if (this.#tables === 1 && (name === 'td' || name === 'th')) return this.#closeCell()
    if (name === 'table' && this.#tables > 0) return this.#closeTable()
    if (this.#options.headings && this.#tables === 0 && /^h[1-6]$/.test(name)) {
      return this.#content.heading(this.#take(), Number(name[1]))
    }
    if (BLOCKS.has(name)) this.#blockEdge()
    if (name === 'pre') this.#pre = Math.max(0, this.#pre - 1)
    if (name === 'figure') this.#figures = Math.max(0, this.#figures - 1)
  }

  text(text: string): void {
    if (this.#formula) return this.#formula.text(text)
    if (this.#noise > 0 || this.#unseen !== null) return
    if (this.#drawing) {
      if (this.#drawing.open > 0) this.#drawing.labels.push(text.replace(/\s+/g, ' '))
      return
    }
    if (text.trim() !== '') this.#isBehindFormula = false
    const shown = this.#pre > 0 ? text : text.replace(/\s+/g, ' ')
    if (this.#ruby?.isReading) this.#ruby.reading += shown
    else this.#buffer.push(shown)
  }

  flush(): void {
    if (this.#drawing) this.#endDrawing(this.#drawing)
    if (this.#formula) this.#endFormula(this.#formula)
    if (this.#tables > 0) {
      this.#closeCell()
      this.#tables = 1
      this.#closeTable()
    }
    this.#blockEdge()
  }

  #take(): string {
    const text = this.#buffer.join('')
    this.#buffer = []
    return text
  }

  #openDrawing(): void {
    if (this.#figures === 0) this.#content.figureCount++
    this.#drawing = { depth: this.#depth, open: 0, labels: [] }
  }

  #closeInDrawing(drawing: Drawing, name: string): void {
    if (this.#depth < drawing.depth) return this.#endDrawing(drawing)
    if (!LABELS.has(name)) return
    drawing.open = Math.max(0, drawing.open - 1)
    drawing.labels.push('\n')
  }

  /** Each of its labels is a line. */
  #endDrawing({ labels }: Drawing): void {
    this.#drawing = null
    const lines = labels
      .join('')
      .split('\n')
      .map((label) => label.trim())
    const words = lines.filter((label) => label !== '')
    if (words.length > 0) this.#buffer.push(`\n${words.join('\n')}\n`)
  }

  #closeInFormula(formula: Formula, name: string): void {
    if (formula.isClosed) this.#endFormula(formula)
    else formula.close(name)
  }

  #endFormula(formula: Formula): void {
    this.#formula = null
    this.#isBehindFormula = true
    this.#buffer.push(String(formula))
  }

  /** Inside a table, blocks are parts of a cell. */
  #blockEdge(): void {
    if (this.#tables > 0) this.#buffer.push(' ')
    else if (this.#inTitle) this.#closeTitle()
    else if (this.#pre > 0) this.#content.listing(this.#take())
    else this.#content.paragraph(this.#take())
  }

  /** The base is the text, and its reading is said behind it (HTML 4.5.10): 港町(みなとまち). */
  #closeRuby(): void {
    const reading = this.#ruby?.reading.replaceAll(/\s+/g, '') ?? ''
    this.#ruby = null
    if (reading !== '') this.#buffer.push(`(${reading})`)
  }

  #closeTitle(): void {
    const title = this.#take()
    if (this.#options.meta) this.#options.meta.title ||= title
    this.#inTitle = false
  }

  #closeCell(): void {
    const row = this.#rows.at(-1)
    if (row) row.push(this.#take())
  }

  #closeTable(): void {
    this.#tables--
    if (this.#tables > 0) return
    this.#content.table(this.#rows.filter((row) => row.length > 0))
    this.#rows = []
    this.#blockEdge()
  }

  #openFigure(name: string, attributes: Record<string, string>): void {
    if (name === 'figure') this.#figures++
    if (name === 'figure' || this.#figures === 0) this.#content.figureCount++
    if (name === 'img' && attributes['alt']) this.#buffer.push(` ${attributes['alt']} `)
  }

  #readMeta(name: string, attributes: Record<string, string>): void {
    const { meta } = this.#options
    if (!meta) return
    if (name === 'html') meta.language ||= attributes['lang'] ?? attributes['xml:lang'] ?? ''
    if (attributes['name']?.toLowerCase() === 'author') meta.author ||= attributes['content'] ?? ''
  }
}
