import { UnreadableFile } from '@medialog/application/ports/understanding'
import { readSummary } from '../ole/summary.ts'
import { openWordFile, type WordFile } from '../word/binary.ts'
import { ParagraphTable, type ParagraphProperties } from '../word/paragraph-properties.ts'
import { piecesOf, textOfPiece } from '../word/pieces.ts'
import { stylesOf, type WordStyle } from '../word/styles.ts'
import { Content } from './content.ts'
import type { Extract } from './extractor.ts'

/** Headers would be said once, though they stand on every page; comments are not the document's. */
const READ = new Set(['main', 'footnotes', 'endnotes', 'textBoxes'])

/** Word documents of 97 to 2003 (MS-DOC): headings by style or outline level, tables, pictures and the summary. */
export const extract: Extract = async ({ bytes, format }) => {
  const word = openWordFile(bytes)
  const content = new Content()
  const reader = new WordReader(stylesOf(word.table('styles')), content)
  addText(word, reader, content)
  if (content.end === 0 && content.figureCount === 0)
    throw new UnreadableFile('corrupted', 'No content was found in the document.')
  const summary = readSummary(word.compound.read('\u0005SummaryInformation'))
  return content.document(format, { ...summary, pageCount: summary.pageCount ?? word.pageCount })
}

/** Walks over the characters of the stories that are read; a mark is looked up by where it stands. */
function addText(word: WordFile, reader: WordReader, content: Content): void {
  const paragraphs = new ParagraphTable(word.table('paragraphs'), word.document)
  const ranges = rangesOf(word)
  for (const piece of piecesOf(word.table('pieces'))) {
    const text = textOfPiece(word.document, piece)
    for (const [start, end] of ranges)
      for (let at = Math.max(start, piece.start); at < Math.min(end, piece.end); at++) {
        if (content.full) return
        const index = at - piece.start
        reader.read(text[index]!, () => paragraphs.at(piece.offset + index * piece.bytesPerCharacter))
      }
  }
  reader.end()
}

function rangesOf({ stories }: WordFile): [start: number, end: number][] {
  const ranges: [number, number][] = []
  let start = 0
  for (const { name, length } of stories) {
    if (READ.has(name)) ranges.push([start, start + length])
    start += length
  }
  return ranges
}

/** Characters with a meaning (MS-DOC 2.4.1). */
const MARK = {
  picture: '\x01',
  cell: '\x07',
  drawing: '\x08',
  line: '\x0b',
  page: '\x0c',
  paragraph: '\r',
  fieldStart: '\x13',
  fieldSeparator: '\x14',
  fieldEnd: '\x15',
  hyphen: '\x1e',
}

class WordReader {
  readonly #styles: readonly WordStyle[]
  readonly #content: Content
  #text: string[] = []
  #rows: string[][] = []
  #cells: string[] = []
  /** For each open field, whether its result has begun: what stands before is its code. */
  #fields: boolean[] = []

  constructor(styles: readonly WordStyle[], content: Content) {
    this.#styles = styles
    this.#content = content
  }

  read(character: string, properties: () => ParagraphProperties): void {
    if (character === MARK.fieldStart) this.#fields.push(false)
    else if (character === MARK.fieldEnd) this.#fields.pop()
    else if (character === MARK.fieldSeparator) this.#fields.splice(-1, 1, true)
    else if (character === MARK.paragraph || character === MARK.page || character === MARK.cell)
      this.#endParagraph(character, properties())
    else if (this.#fields.every(Boolean)) this.#say(character)
  }

  end(): void {
    this.#addParagraph(this.#take(), null)
    this.#flushTable()
  }

  #say(character: string): void {
    if (character === MARK.picture || character === MARK.drawing) this.#content.figureCount++
    else if (character === MARK.line) this.#text.push('\n')
    else if (character === MARK.hyphen) this.#text.push('\u2011')
    else if (character >= ' ' || character === '\t') this.#text.push(character)
  }

  #take(): string {
    const text = this.#text.join('')
    this.#text = []
    return text
  }

  #endParagraph(mark: string, properties: ParagraphProperties): void {
    // A field ends with its paragraph at the latest, or a damaged one would swallow the rest.
    this.#fields = this.#fields.filter(Boolean)
    if (properties.rowEnd && mark === MARK.cell) this.#endRow()
    else if (mark === MARK.cell) this.#cells.push(this.#take().trim())
    else if (properties.inTable) this.#text.push('\n')
    else this.#addParagraph(this.#take(), properties)
  }

  #addParagraph(text: string, properties: ParagraphProperties | null): void {
    if (text.trim() === '') return
    this.#flushTable()
    const style = this.#styles[properties?.style ?? 0]
    const outline = properties?.outlineLevel ?? 9
    const level = style?.level ?? (outline < 9 ? outline + 1 : null)
    if (level === null || style?.isTitle) this.#content.paragraph(text)
    else this.#content.heading(text, level)
  }

  #endRow(): void {
    if (this.#cells.length > 0) this.#rows.push(this.#cells)
    this.#cells = []
  }

  #flushTable(): void {
    this.#endRow()
    if (this.#rows.length > 0) this.#content.table(this.#rows)
    this.#rows = []
  }
}
