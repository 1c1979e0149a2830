import { UnreadableFile } from '@medialog/application/ports/understanding'
import { codePageOf, decodeCodePage } from '../text/code-page.ts'
import { destinationOf, type Destination } from '../rtf/groups.ts'
import { rtfTokens, type RtfToken } from '../rtf/tokens.ts'
import { Content } from './content.ts'
import type { Extract } from './extractor.ts'

const DEEPEST = 10_000

/** Rich Text Format 1.9: paragraphs in their code pages, headings by style or outline level, tables, pictures, info. */
export const extract: Extract = async ({ bytes, format }) => {
  const content = new Content()
  const reader = new RtfReader(content)
  const rtf = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
  for (const token of rtfTokens(rtf)) {
    reader.read(token)
    if (content.full || reader.ended) break
  }
  if (!reader.ended && !content.full)
    throw new UnreadableFile('corrupted', 'The document is damaged: it ends before its last group does.')
  if (content.end === 0 && content.figureCount === 0)
    throw new UnreadableFile('corrupted', 'No content was found in the document.')
  const { title, author, pageCount } = reader
  return content.document(format, { title, author, pageCount })
}

const CHARACTERS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    tab: '\t',
    line: '\n',
    lbr: '\n',
    emdash: '—',
    endash: '–',
    lquote: '‘',
    rquote: '’',
    ldblquote: '“',
    rdblquote: '”',
    bullet: '•',
    emspace: ' ',
    enspace: ' ',
    '~': '\u00a0',
    _: '\u2011',
    nestcell: ' ',
  }),
)
const PARAGRAPH_ENDS = new Set(['par', 'sect', 'page', 'column', '\r', '\n'])

interface Group {
  destination: Destination
  codePage: number | null
  /** How many characters stand behind `\u` for readers without Unicode. */
  fallback: number
  /** Deleted while changes were tracked, and hidden: not to be seen in the document. */
  deleted: boolean
  hidden: boolean
}

/** What a note interrupts. */
interface Interrupted {
  /** How many groups are open around the note. */
  depth: number
  text: string
  paragraph: Paragraph
}

interface Paragraph {
  style: number
  level: number | null
  inTable: boolean
}

interface Style {
  name: string
  /** From 1, or null for text. */
  level: number | null
}

class RtfReader {
  title = ''
  author = ''
  pageCount: number | null = null
  ended = false
  readonly #content: Content
  readonly #groups: Group[] = []
  #group: Group = { destination: 'body', codePage: null, fallback: 1, deleted: false, hidden: false }
  #documentCodePage = 1252
  /** The last token opened a group. */
  #isNew = false
  /** `\*` at its beginning: a group whose next word is unknown is passed over. Elsewhere it means nothing. */
  #optional = false
  #skip = 0
  readonly #fonts = new Map<number, number | null>()
  #font = 0
  readonly #styles = new Map<number, Style>()
  #style: { number: number; level: number | null; name: string } = { number: 0, level: null, name: '' }
  /** Bytes that are not decoded yet: a character may be two of them. */
  #bytes = ''
  #text = ''
  #paragraph: Paragraph = noStyle()
  #rows: string[][] = []
  #cells: string[] = []
  readonly #interrupted: Interrupted[] = []
  /** Notes to the open paragraph, and to the open table: they are said behind it. */
  #notes: string[] = []
  #tableNotes: string[] = []

  constructor(content: Content) {
    this.#content = content
  }

  read(token: RtfToken): void {
    const wasNew = this.#isNew
    this.#isNew = token.kind === 'open'
    switch (token.kind) {
      case 'open':
        return this.#open()
      case 'close':
        return this.#close()
      case 'text':
        return this.#characters(token.text)
      case 'code':
        return this.#characters(String.fromCharCode(token.byte))
      case 'word':
        if (token.word !== '*') return this.#word(token.word, token.value)
        this.#optional = wasNew
    }
  }

  #open(): void {
    this.#decode()
    this.#skip = 0
    if (this.#groups.length === DEEPEST)
      throw new UnreadableFile('too-large', `The document is nested deeper than ${DEEPEST} levels.`)
    this.#groups.push(this.#group)
    this.#group = { ...this.#group }
  }

  #close(): void {
    this.#decode()
    this.#skip = 0
    if (this.#group.destination === 'styles') this.#closeStyle()
    if (this.#interrupted.at(-1)?.depth === this.#groups.length) this.#closeNote()
    const outer = this.#groups.pop()
    if (outer) this.#group = outer
    if (this.#groups.length > 0) return
    this.#endParagraph()
    this.#flushTable()
    this.ended = true
  }

  #characters(characters: string): void {
    const said = characters.slice(this.#skip)
    this.#skip = Math.max(0, this.#skip - characters.length)
    this.#optional = false
    const { destination } = this.#group
    if (destination !== 'ignored' && destination !== 'silent' && destination !== 'fonts') this.#bytes += said
  }

  #decode(): void {
    if (this.#bytes === '') return
    const text = decodeCodePage(this.#bytes, this.#group.codePage ?? this.#documentCodePage)
    this.#bytes = ''
    this.#say(text)
  }

  #say(text: string): void {
    const { destination, deleted, hidden } = this.#group
    if (deleted || hidden) return
    if (destination === 'body') this.#text += text
    else if (destination === 'title') this.title += text
    else if (destination === 'author') this.author += text
    else if (destination === 'styles') this.#style.name += text
  }

  #word(word: string, value: number | null): void {
    const optional = this.#optional
    this.#optional = false
    if (this.#group.destination === 'ignored') return
    if (word === 'pict') this.#content.figureCount++
    const destination = destinationOf(word, this.#group.destination)
    if (destination) this.#enter(destination)
    else if (optional) this.#enter('ignored')
    else if (word === 'deleted' || word === 'v') this.#hide(word === 'v' ? 'hidden' : 'deleted', value !== 0)
    else this.#effect(word, value ?? 0)
  }

  #hide(how: 'deleted' | 'hidden', isOn: boolean): void {
    this.#decode()
    this.#group[how] = isOn
  }

  #enter(destination: Destination): void {
    this.#decode()
    if (destination === 'note') return this.#openNote()
    const again = (destination === 'title' || destination === 'author') && this[destination] !== ''
    this.#group.destination = again ? 'ignored' : destination
  }

  /** A note is written where its number stands. */
  #openNote(): void {
    if (this.#group.destination !== 'body') {
      this.#group.destination = 'ignored'
      return
    }
    this.#interrupted.push({ depth: this.#groups.length, text: this.#text, paragraph: this.#paragraph })
    this.#text = ''
    this.#paragraph = noStyle()
  }

  #closeNote(): void {
    const note = this.#take()
    const { text, paragraph } = this.#interrupted.pop()!
    this.#text = text
    this.#paragraph = paragraph
    ;(paragraph.inTable ? this.#tableNotes : this.#notes).push(note)
  }

  #effect(word: string, value: number): void {
    if (word === 'u') return this.#unicode(value)
    if (word === 'uc') this.#group.fallback = Math.min(Math.max(0, value), 100)
    else if (word === 'ansicpg') this.#documentCodePage = value
    else if (word === 'f' || word === 'fcharset') this.#readFont(word, value)
    else if (word === 'nofpages' && value > 0) this.pageCount = value
    else if (this.#group.destination === 'styles') this.#readStyle(word, value)
    else if (this.#group.destination === 'body') this.#bodyWord(word, value)
  }

  #unicode(value: number): void {
    this.#decode()
    this.#say(String.fromCharCode(value & 0xffff))
    this.#skip = this.#group.fallback
  }

  #readFont(word: string, value: number): void {
    this.#decode()
    if (this.#group.destination === 'fonts') {
      if (word === 'f') this.#font = value
      else this.#fonts.set(this.#font, codePageOf(value))
    } else if (word === 'f') this.#group.codePage = this.#fonts.get(value) ?? null
  }

  #readStyle(word: string, value: number): void {
    if (word === 's') this.#style.number = value
    if (word === 'outlinelevel') this.#style.level = levelOf(value)
  }

  #closeStyle(): void {
    const name = this.#style.name.replace(/;\s*$/, '').trim()
    const [, numbered] = /^heading (\d)$/i.exec(name) ?? []
    if (name !== '')
      this.#styles.set(this.#style.number, { name, level: numbered ? Number(numbered) : this.#style.level })
    this.#style = { number: 0, level: null, name: '' }
  }

  #bodyWord(word: string, value: number): void {
    const character = CHARACTERS.get(word)
    if (character !== undefined) {
      this.#decode()
      this.#say(character)
    } else if (PARAGRAPH_ENDS.has(word)) this.#endParagraph()
    else if (word === 'pard') this.#paragraph = noStyle()
    else if (word === 's') this.#paragraph.style = value
    else if (word === 'outlinelevel') this.#paragraph.level = levelOf(value)
    else if (word === 'intbl') this.#paragraph.inTable = true
    else if (word === 'cell') this.#endCell()
    else if (word === 'row') this.#endRow()
    else if (word === 'plain') this.#plain()
  }

  #plain(): void {
    this.#readFont('f', -1)
    this.#group.deleted = false
    this.#group.hidden = false
  }

  #take(): string {
    this.#decode()
    const text = this.#text
    this.#text = ''
    return text
  }

  #endParagraph(): void {
    this.#decode()
    if (this.#paragraph.inTable || this.#interrupted.length > 0) {
      this.#text += '\n'
      return
    }
    const text = this.#take()
    if (text.trim() !== '') this.#addParagraph(text)
    for (const note of this.#notes) this.#content.paragraph(note)
    this.#notes = []
  }

  #addParagraph(text: string): void {
    this.#flushTable()
    const style = this.#styles.get(this.#paragraph.style)
    const level = this.#paragraph.level ?? style?.level ?? null
    if (level === null || /^(sub)?title$/i.test(style?.name ?? '')) this.#content.paragraph(text)
    else this.#content.heading(text, level)
  }

  #endCell(): void {
    this.#decode()
    if (this.#interrupted.length > 0) return this.#say(' ')
    this.#cells.push(this.#take().trim())
  }

  #endRow(): void {
    if (this.#interrupted.length > 0) return
    this.#take()
    if (this.#cells.length > 0) this.#rows.push(this.#cells)
    this.#cells = []
  }

  #flushTable(): void {
    if (this.#cells.length > 0) this.#endRow()
    if (this.#rows.length > 0) this.#content.table(this.#rows)
    this.#rows = []
    for (const note of this.#tableNotes) this.#content.paragraph(note)
    this.#tableNotes = []
  }
}

const noStyle = (): Paragraph => ({ style: 0, level: null, inTable: false })

/** Outline levels count from 0; 9 is text. */
const levelOf = (outline: number): number | null => (outline >= 0 && outline < 9 ? outline + 1 : null)
