import { UnreadableFile } from '@medialog/application/ports/understanding'
import { Content } from './content.ts'
import type { Extract } from './extractor.ts'
import { readText } from './text-file.ts'
import { declaredEncoding, readXml, type XmlEvents } from './xml-reader.ts'

/** Running heads and what is only drawn again on every page. */
const NOISE = new Set(['HEADER', 'FOOTER', 'MASTERPAGE', 'HIDDENCOMMENT'])
const NOTES = new Set(['FOOTNOTE', 'ENDNOTE'])
const FIGURES = new Set(['PICTURE', 'CHART', 'OLE'])
/** Characters that HWPML writes as elements. */
const CHARACTERS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    TAB: '\t',
    LINEBREAK: '\n',
    NBSPACE: ' ',
    FWSPACE: ' ',
    HYPHEN: '-',
  }),
)
/** Hangul's outline styles: `개요 1`, in English `Outline 1`. */
const OUTLINE = /^(?:개요|outline)\s*(\d+)$/i

type Attributes = Readonly<Record<string, string>>

/** Hangul's XML (HWPML 2.x): paragraphs, headings by outline style, tables, pictures and the summary. */
export const extract: Extract = async ({ bytes, format }) => {
  const content = new Content()
  const { text, encoding } = readText(bytes, content, declaredEncoding(bytes))
  const reader = new HmlReader(content)
  readXml(text, reader)
  if (!reader.isHwpml) throw new UnreadableFile('corrupted', 'The file is XML, but not a Hangul document.')
  if (content.end === 0 && content.figureCount === 0)
    throw new UnreadableFile('corrupted', 'No content was found in the document.')
  return content.document(format, { title: reader.title, author: reader.author, encoding })
}

class HmlReader implements XmlEvents {
  isHwpml = false
  title = ''
  author = ''
  readonly #content: Content
  readonly #levels = new Map<string, number>()
  /** Text of the paragraphs that are open: one may stand in a note or a cell of another. */
  readonly #paragraphs: { style: string; text: string }[] = []
  #rows: string[][] = []
  #tables = 0
  #noise = 0
  /** Open notes; their text is said behind the paragraph or the table that it is to. */
  #notes = 0
  #noteTexts: string[] = []
  #path: string[] = []

  constructor(content: Content) {
    this.#content = content
  }

  open(name: string, attributes: Attributes): void {
    if (this.#path.length === 0) this.isHwpml = name === 'HWPML'
    this.#path.push(name)
    if (NOISE.has(name)) this.#noise++
    if (this.#noise > 0) return
    if (name === 'STYLE') this.#readStyle(attributes)
    else if (name === 'P') this.#openParagraph(attributes)
    else if (NOTES.has(name)) this.#notes++
    else if (name === 'TABLE') this.#openTable()
    else if (name === 'ROW' && this.#tables === 1) this.#rows.push([])
    else if (name === 'CELL' && this.#tables === 1) this.#rows.at(-1)?.push('')
    else if (FIGURES.has(name)) this.#content.figureCount++
    else this.#write(CHARACTERS.get(name) ?? '')
  }

  close(name: string): void {
    this.#path.pop()
    if (NOISE.has(name)) this.#noise--
    if (this.#noise > 0) return
    if (name === 'P') this.#closeParagraph()
    else if (NOTES.has(name)) this.#notes--
    else if (name === 'TABLE' && --this.#tables === 0) {
      this.#content.table(this.#rows)
      this.#addNotes()
    }
  }

  text(piece: string): void {
    if (this.#noise > 0) return
    const at = this.#path.at(-1)
    if (at === 'CHAR') this.#write(piece)
    else if (at === 'TITLE') this.title += piece
    else if (at === 'AUTHOR') this.author += piece
  }

  full(): boolean {
    return this.#content.full
  }

  #readStyle({ Id, Name, EngName }: Attributes): void {
    const level = OUTLINE.exec(Name ?? '') ?? OUTLINE.exec(EngName ?? '')
    if (Id !== undefined && level) this.#levels.set(Id, Number(level[1]))
  }

  #openParagraph({ Style = '' }: Attributes): void {
    this.#paragraphs.push({ style: Style, text: '' })
  }

  #write(text: string): void {
    const paragraph = this.#paragraphs.at(-1)
    if (paragraph) paragraph.text += text
  }

  /** The text before a table is said before it. */
  #openTable(): void {
    if (this.#tables++ > 0) return
    this.#rows = []
    const paragraph = this.#paragraphs.at(-1)
    if (!paragraph) return
    this.#content.paragraph(paragraph.text)
    paragraph.text = ''
  }

  #closeParagraph(): void {
    const { style, text } = this.#paragraphs.pop()!
    const level = this.#levels.get(style)
    if (this.#notes > 0) this.#noteTexts.push(text)
    else if (this.#tables > 0) this.#addToCell(text)
    else {
      if (level) this.#content.heading(text, level)
      else this.#content.paragraph(text)
      this.#addNotes()
    }
  }

  #addNotes(): void {
    for (const text of this.#noteTexts) this.#content.paragraph(text)
    this.#noteTexts = []
  }

  #addToCell(text: string): void {
    const row = this.#rows.at(-1)
    if (row?.length) row.push([row.pop(), text].filter(Boolean).join('\n'))
  }
}
