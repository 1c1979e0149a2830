import {
  CFB,
  SSF,
  read,
  set_cptable,
  type CellObject,
  type Comment,
  type WorkBook,
  type WorkSheet,
} from '@e965/xlsx'
import * as codePages from '@e965/xlsx/dist/cpexcel.full.mjs'
import { UnreadableFile } from '@medialog/application/ports/understanding'
import { Parser } from 'htmlparser2'
import { openParts, type Parts } from '../archive/parts.ts'
import { openCompoundFile } from '../ole/compound.ts'
import { Content, TOKEN_BUDGET } from './content.ts'
import type { Extract } from './extractor.ts'
import { addDrawn, readParagraphs } from './drawn-parts.ts'
import { addObjects, metaOf, refuseEncryptedOdf } from './odf.ts'
import { refuseRepeatedCells } from './ods-repetition.ts'
import { asLibraryReads } from './ods-readable.ts'
import { mainPartOf, refuseCompoundFile, xmlPart, type Relationship } from './ooxml.ts'
import { readXlsDrawings, xlsRecords } from './xls-drawings.ts'

set_cptable(codePages)

/** The number formats that every workbook has. */
const BUILT_IN_FORMATS = { ...SSF.get_table() }

/** The library keeps the formats of an XLS for the next one, which may be another account's. */
function forgetFormats(): void {
  const formats = SSF.get_table()
  for (const id of Object.keys(formats)) delete formats[id]
  Object.assign(formats, BUILT_IN_FORMATS)
}

/** Parts of an archive that are pictures or charts. */
const FIGURE = /^(?:xl\/(?:media\/.|charts\/chart\d+\.xml)|Pictures\/.|Object \d+\/content\.xml)/
/** BIFF records (MS-XLS 2.4.117, 2.4.103): behind a FILEPASS everything is encrypted. */
const FILEPASS = 0x2f
const EOF = 0x0a

/** The least that the library reads as the styles of a workbook, which ODF does not ask for (part 2, 2.2.1). */
const NO_STYLES = '<office:document-styles/>'

/** Workbooks: each sheet a section and a table, its cells as they are shown, dates as ISO 8601. */
export const extract: Extract = async ({ bytes, format }) => {
  const content = new Content()
  const { names, author, parts, added, stream } =
    format.name === 'xls' ? checkXls(bytes) : await checkArchived(bytes, format.name)
  forgetFormats()
  const book = read(withParts(bytes, added), {
    type: 'array',
    dense: true,
    cellDates: true,
    // Formats tell dates from times of day and from durations.
    cellNF: true,
    cellHTML: false,
    UTC: true,
    // A row has a token at least.
    sheetRows: TOKEN_BUDGET + 1,
  })
  for (const name of book.SheetNames) addSheet(name, book.Sheets[name], content)
  if (parts) await (format.name === 'ods' ? addObjects : addDrawings)(parts, content)
  content.figureCount = names.filter((name) => FIGURE.test(name)).length
  if (stream) addXlsDrawings(stream, content)
  if (content.hasOnlyHeadings && content.figureCount === 0)
    throw new UnreadableFile('corrupted', 'The workbook is empty: it holds no cells, notes or drawings.')
  return content.document(format, { title: book.Props?.Title, author: author || authorOf(book) })
}

const authorOf = ({ Props }: WorkBook): string | undefined => Props?.Author || Props?.LastAuthor

interface Checked {
  /** Names of the archive's parts. */
  names: readonly string[]
  /** Of a format whose drawings are parts of their own. */
  parts: Parts | null
  author: string
  /** Parts that the library needs otherwise, by name. */
  added: { readonly [name: string]: string }
  /** The workbook itself, of a format that is one stream. */
  stream?: Buffer
}

/** The library reads anything as something: what is not what it should be is refused before. */
async function checkArchived(bytes: Uint8Array, format: string): Promise<Checked> {
  refuseCompoundFile(bytes)
  const parts = await openParts(bytes)
  if (format !== 'ods') {
    if (
      !parts.names.includes(await mainPartOf(parts, 'xl/workbook.xml')) &&
      !parts.names.includes('xl/workbook.bin')
    )
      throw noWorkbook()
    return { names: parts.names, author: '', parts, added: {} }
  }
  await refuseEncryptedOdf(parts)
  if (!parts.names.includes('content.xml')) throw noWorkbook()
  const cells = await xmlPart(parts, 'content.xml')
  refuseRepeatedCells(cells)
  const readable = asLibraryReads(cells)
  const added = {
    ...(!parts.names.includes('styles.xml') && { 'styles.xml': NO_STYLES }),
    ...(readable !== cells && { 'content.xml': readable }),
  }
  return { names: parts.names, author: (await metaOf(parts)).author, parts, added }
}

function checkXls(bytes: Uint8Array): Checked {
  const file = openCompoundFile(bytes)
  if (file.has('EncryptedPackage')) throw encrypted()
  const workbook = file.read('Workbook') ?? file.read('Book')
  if (!workbook) throw noWorkbook()
  for (const { type } of xlsRecords(workbook)) {
    if (type === FILEPASS) throw encrypted()
    if (type === EOF) break
  }
  return { names: [], author: '', parts: null, added: {}, stream: workbook }
}

const encrypted = (): UnreadableFile =>
  new UnreadableFile('encrypted', 'The workbook is protected with a password.')

const noWorkbook = (): UnreadableFile =>
  new UnreadableFile('corrupted', 'The file is damaged: it holds no workbook.')

function addSheet(name: string, sheet: WorkSheet | undefined, content: Content): void {
  if (content.full || !sheet) return
  const rows = ((sheet['!data'] ?? []) as (CellObject | undefined)[][])
    .map((row) => trimmed(Array.from(row ?? [], shown)))
    .filter((row) => row.length > 0)
  content.heading(name, 1, 'sheet')
  content.table(rows)
  for (const cell of ((sheet['!data'] ?? []) as (CellObject | undefined)[][]).flat())
    for (const note of cell?.c ?? []) content.paragraph(`Notes: ${textOf(note)}`)
  if (sheet['!fullref'] && !content.full) content.truncate()
}

/** The library gives threaded comments as the bytes of their XML, a character each. */
function textOf({ t = '', T: isThreaded }: Partial<Comment>): string {
  if (!isThreaded) return t
  let text = ''
  // Lenient, as the library is: one stray sign refuses no workbook.
  new Parser({ ontext: (piece) => void (text += piece) }, { xmlMode: true }).end(
    Buffer.from(t, 'latin1').toString('utf8'),
  )
  return text
}

function withParts(bytes: Uint8Array, added: Checked['added']): Uint8Array {
  const parts = Object.entries(added)
  if (parts.length === 0) return bytes
  const archive = CFB.read(bytes, { type: 'array' })
  for (const [name, text] of parts) CFB.utils.cfb_add(archive, `/${name}`, Buffer.from(text))
  return CFB.write(archive, { type: 'buffer', fileType: 'zip' }) as Uint8Array
}

function addXlsDrawings(stream: Buffer, content: Content): void {
  const { texts, figures } = readXlsDrawings(stream)
  for (const text of texts) content.paragraph(text)
  content.figureCount += figures
}

/** Words that stand over the cells: text boxes, alternative texts, charts, diagrams, embedded files. */
async function addDrawings(parts: Parts, content: Content): Promise<void> {
  const drawn = new Map<string, Relationship>()
  for (const name of parts.names) {
    const type = DRAWN.find(({ path }) => path.test(name))?.type
    if (type === 'drawing') readParagraphs(await xmlPart(parts, name), (text) => void content.paragraph(text))
    else if (type) drawn.set(name, { type, target: name })
  }
  await addDrawn(parts, drawn, content)
}

const DRAWN = [
  { type: 'drawing', path: /(?:^|\/)drawings\/drawing[^/]*\.xml$/ },
  { type: 'chart', path: /(?:^|\/)charts\/chart\d*\.xml$/ },
  { type: 'chartEx', path: /(?:^|\/)charts\/chartEx\d*\.xml$/ },
  { type: 'diagramData', path: /(?:^|\/)diagrams\/data\d*\.xml$/ },
  { type: 'package', path: /(?:^|\/)embeddings\/[^/]+$/ },
]

/**
 * A cell as it is shown, but a date as ISO 8601: what its format rounds away or hides stays away. A date beyond the calendar
 * is shown as signs without a meaning: it is left out.
 */
function shown(cell: CellObject | undefined): string {
  if (!cell || cell.v === undefined) return ''
  if (cell.v instanceof Date && Number.isNaN(cell.v.getTime())) return ''
  if (cell.v instanceof Date && isDay(cell.v, cell.z)) return isoDate(cell.v)
  return cell.w ?? String(cell.v)
}

/** Workbooks keep times of day and durations as parts and multiples of a day; without a format only the value tells. */
const FIRST_DAY = Date.UTC(1900, 0, 1)
/** Of a number format (ECMA-376 part 1, 18.8.31): what it shows as it stands, and its hours before or after noon. */
const LITERAL = /"[^"]*"|\\.|_.|\[(?!h+\]|m+\]|s+\])[^\]]*\]|AM\/PM|A\/P/gi
const DURATION = /\[(?:h+|m+|s+)\]/i
const DAY = /[dye]|mmm/i
const MONTH = /m/i
const TIME = /[hs]/i

/** Whether the format shows the day, and not only a time of it or how long something took. */
function isDay(value: Date, format: CellObject['z']): boolean {
  const codes = typeof format === 'string' ? format.replace(LITERAL, '') : 'General'
  if (codes === 'General') return value.getTime() >= FIRST_DAY
  if (DURATION.test(codes)) return false
  return DAY.test(codes) || (MONTH.test(codes) && !TIME.test(codes))
}

const isoDate = (date: Date): string => date.toISOString().replace(/(?:T00:00)?(?::00)?\.\d+Z$/, '')

/** Without the empty cells at its end. */
function trimmed(row: string[]): string[] {
  const last = row.findLastIndex((cell) => cell.trim() !== '')
  return row.slice(0, last + 1)
}
