import type { Content } from './content.ts'
import { isOn, levelOf, type DocxStyle } from './docx-styles.ts'
import { Formula } from './formula.ts'
import type { XmlEvents } from './xml-reader.ts'

type Attributes = Readonly<Record<string, string>>

interface Paragraph {
  text: string
  level: number | null
  isTitle: boolean
  isHidden: boolean
  /** Inside its properties, where run properties are those of its mark. */
  inProperties: boolean
  /** Said behind it: notes, text boxes, alternative texts. */
  after: string[]
}

interface Notes {
  footnote?: ReadonlyMap<string, string>
  endnote?: ReadonlyMap<string, string>
}

/** Not shown: deleted and moved away; instructions of tools; what says again what another branch says. */
const SKIPPED = new Set(['del', 'moveFrom', 'Fallback', 'tabs', 'sdtPr', 'rPrChange', 'pPrChange'])
/** Elements that stand for characters. */
const CHARACTERS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    tab: '\t',
    ptab: '\t',
    br: '\n',
    cr: '\n',
    noBreakHyphen: '-',
  }),
)
/** Letters of the font Symbol, from `A` and `a` on (Adobe Symbol encoding). */
const SYMBOLS = { A: 'ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ', a: 'αβχδεφγηιϕκλμνοπθρστυϖωξψζ' }
/** Fonts of symbols use the private area from there on for their own codes. */
const PRIVATE = 0xf000

/** Turns the events of a WordprocessingML body into content. Element names come without their prefixes. */
export class DocxReader implements XmlEvents {
  readonly #content: Content
  readonly #styles: ReadonlyMap<string, DocxStyle>
  readonly #notes: Notes
  /** Open ones: a text box holds paragraphs inside the one that it is anchored in. */
  readonly #paragraphs: Paragraph[] = []
  #skipped = 0
  #inText = false
  #isHidden = false
  /** The reading of the ruby that is open; it comes before its base. */
  #ruby: { reading: string; isReading: boolean } | null = null
  #formula: Formula | null = null
  #tables = 0
  #rows: string[][] = []
  #afterTable: string[] = []

  constructor(content: Content, styles: ReadonlyMap<string, DocxStyle>, notes: Notes) {
    this.#content = content
    this.#styles = styles
    this.#notes = notes
  }

  open(name: string, attributes: Attributes): void {
    if (SKIPPED.has(name)) this.#skipped++
    if (this.#skipped > 0) return
    if (this.#formula) return this.#openInFormula(this.#formula, name, attributes)
    const value = attributes['w:val']
    const paragraph = this.#paragraphs.at(-1)
    const character = CHARACTERS.get(name)
    if (character !== undefined) return this.#say(character)
    switch (name) {
      case 'p':
        this.#paragraphs.push({
          text: '',
          level: null,
          isTitle: false,
          isHidden: false,
          inProperties: false,
          after: [],
        })
        return
      case 'pPr':
        if (paragraph) paragraph.inProperties = true
        return
      case 'pStyle':
        if (paragraph) Object.assign(paragraph, this.#styles.get(value ?? ''))
        return
      case 'outlineLvl':
        if (paragraph) paragraph.level = levelOf(value ?? '')
        return
      case 'r':
        this.#isHidden = paragraph?.isHidden ?? false
        return
      case 'rStyle':
        if (!paragraph?.inProperties) this.#isHidden ||= this.#styles.get(value ?? '')?.isHidden ?? false
        return
      case 'vanish':
        if (!paragraph?.inProperties) this.#isHidden = isOn(value)
        return
      case 't':
        this.#inText = true
        return
      case 'oMath':
        this.#formula = new Formula()
        return
      case 'sym':
        return this.#say(symbolOf(attributes))
      case 'ruby':
        this.#ruby = { reading: '', isReading: false }
        return
      case 'rt':
        if (this.#ruby) this.#ruby.isReading = true
        return
      case 'footnoteReference':
      case 'endnoteReference':
        return this.#refer(name === 'footnoteReference' ? 'footnote' : 'endnote', attributes['w:id'] ?? '')
      case 'docPr':
        if (attributes['descr']) this.#sayAfter(attributes['descr'])
        return
      case 'pic':
      case 'imagedata':
        this.#content.figureCount++
        return
      case 'tbl':
        if (this.#tables++ === 0) this.#rows = []
        return
      case 'tr':
        if (this.#tables === 1) this.#rows.push([])
        return
      case 'tc':
        if (this.#tables === 1) this.#rows.at(-1)?.push('')
        return
      default:
    }
  }

  close(name: string): void {
    if (SKIPPED.has(name)) {
      this.#skipped--
      return
    }
    if (this.#skipped > 0) return
    if (name === 't') this.#inText = false
    if (this.#formula) return this.#closeInFormula(this.#formula, name)
    if (name === 'r') this.#isHidden = false
    else if (name === 'pPr') this.#closeProperties()
    else if (name === 'p') this.#closeParagraph()
    else if (name === 'rt' && this.#ruby) this.#ruby.isReading = false
    else if (name === 'ruby') this.#closeRuby()
    else if (name === 'tbl') this.#closeTable()
  }

  text(piece: string): void {
    if (!this.#inText || this.#skipped > 0) return
    if (this.#formula) this.#formula.text(piece)
    else this.#say(piece)
  }

  full(): boolean {
    return this.#content.full
  }

  #openInFormula(formula: Formula, name: string, attributes: Attributes): void {
    this.#inText = name === 't'
    formula.open(name, attributes)
  }

  #closeInFormula(formula: Formula, name: string): void {
    if (!formula.isClosed) return formula.close(name)
    this.#formula = null
    this.#say(String(formula))
  }

  #say(text: string): void {
    const paragraph = this.#paragraphs.at(-1)
    if (!paragraph || paragraph.inProperties || this.#isHidden) return
    if (this.#ruby?.isReading) this.#ruby.reading += text
    else paragraph.text += text
  }

  /** Behind the outermost table or paragraph that is open. */
  #sayAfter(text: string): void {
    const after = this.#tables > 0 ? this.#afterTable : this.#paragraphs[0]?.after
    after?.push(text)
  }

  #refer(kind: keyof Notes, id: string): void {
    const note = this.#notes[kind]?.get(id)
    if (note && !this.#isHidden) this.#sayAfter(note)
  }

  #closeProperties(): void {
    const paragraph = this.#paragraphs.at(-1)
    if (paragraph) paragraph.inProperties = false
  }

  /** The base is the text, and its reading is said behind it: 港町(みなとまち). */
  #closeRuby(): void {
    const reading = this.#ruby?.reading ?? ''
    this.#ruby = null
    if (reading !== '') this.#say(`(${reading})`)
  }

  #closeParagraph(): void {
    const paragraph = this.#paragraphs.pop()
    if (!paragraph) return
    const { text, level, isTitle, after } = paragraph
    const row = this.#rows.at(-1)
    if (this.#tables > 0) {
      if (row && row.length > 0) row.push(`${row.pop()!}\n${text}`.trim())
    } else if (this.#paragraphs.length > 0) this.#sayAfter(text)
    else if (level !== null && !isTitle) this.#content.heading(text, level)
    else this.#content.paragraph(text)
    for (const said of after) this.#content.paragraph(said)
  }

  #closeTable(): void {
    if (--this.#tables > 0) return
    this.#content.table(this.#rows)
    for (const said of this.#afterTable) this.#content.paragraph(said)
    this.#afterTable = []
  }
}

function symbolOf(attributes: Attributes): string {
  const code = Number.parseInt(attributes['w:char'] ?? '', 16)
  if (!(code > 0)) return ''
  if (code < PRIVATE || code > PRIVATE + 0xff) return String.fromCodePoint(code)
  const letter = String.fromCharCode(code - PRIVATE)
  if (!/symbol/i.test(attributes['w:font'] ?? '') || !/[A-Za-z]/.test(letter)) return ''
  const first = letter <= 'Z' ? 'A' : 'a'
  return SYMBOLS[first][letter.charCodeAt(0) - first.charCodeAt(0)] ?? ''
}
