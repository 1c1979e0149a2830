import { posix } from 'node:path'
import type { Parts } from '../archive/parts.ts'
import { decode } from '../text/encoding.ts'
import type { Content } from './content.ts'
import { readEmbedded } from './embedded.ts'
import type { Relationship } from './ooxml.ts'
import { readXml } from './xml-reader.ts'

/**
 * Adds the words of what a part refers to beside its text: charts and diagrams as they show them, and embedded files
 * under a heading each. A chart or a diagram counts as a figure.
 */
export async function addDrawn(
  parts: Parts,
  relationships: ReadonlyMap<string, Relationship>,
  content: Content,
): Promise<void> {
  for (const { type, target } of relationships.values()) {
    if (content.full) return
    const read = READERS.get(type)
    const part = read && (await parts.read(target))
    if (part) await read(part, content, target)
  }
}

type ReadPart = (part: Buffer, content: Content, name: string) => Promise<void> | void

const READERS: ReadonlyMap<string, ReadPart> = new Map(
  Object.entries<ReadPart>({
    chart: (part, content) => addChart(decode(part).text, content),
    chartEx: (part, content) => addParagraphs(decode(part).text, content),
    diagramData: (part, content) => addParagraphs(decode(part).text, content),
    package: addFile,
    oleObject: addFile,
    aFChunk: addFile,
  }),
)

function addFile(part: Buffer, content: Content, name: string): Promise<void> {
  return readEmbedded({ filename: posix.basename(name), bytes: new Uint8Array(part) }, content)
}

function addParagraphs(xml: string, content: Content): void {
  content.figureCount++
  readParagraphs(xml, (text) => void content.paragraph(text))
}

/** The paragraphs and alternative texts of DrawingML, one by one. */
export function readParagraphs(xml: string, hear: (text: string) => void): void {
  let text = ''
  let inText = false
  readXml(xml, {
    open(name, attributes) {
      if (name === 't') inText = true
      if (name === 'br') text += '\n'
      if (name === 'cNvPr' && attributes['descr']) hear(attributes['descr'])
    },
    text(piece) {
      if (inText) text += piece
    },
    close(name) {
      if (name === 't') inText = false
      if (name !== 'p') return
      hear(text)
      text = ''
    },
  })
}

/** A series with the values that the file keeps of it (ECMA-376 part 1, 21.2). */
interface Series {
  name: string
  categories: string[]
  values: string[]
}

/** Titles, then a table: a row a category, a column a series. */
function addChart(xml: string, content: Content): void {
  content.figureCount++
  const series: Series[] = []
  let list: 'name' | 'categories' | 'values' | null = null
  let index = 0
  let words = ''
  let title = ''
  readXml(xml, {
    open(name, attributes) {
      words = ''
      if (name === 'ser') series.push({ name: '', categories: [], values: [] })
      else if (name === 'tx') list = 'name'
      else if (name === 'cat' || name === 'xVal') list = 'categories'
      else if (name === 'val' || name === 'yVal') list = 'values'
      else if (name === 'pt') index = Number(attributes['idx'] ?? 0)
    },
    text: (piece) => (words += piece),
    close(name) {
      if (name === 't') title += words
      else if (name === 'p' && title !== '') {
        content.paragraph(title)
        title = ''
      } else if (name === 'v') take()
      else if (name === 'tx' || name === 'cat' || name === 'val' || name === 'xVal' || name === 'yVal')
        list = null
      words = ''
    },
  })
  content.table(rowsOf(series))

  function take(): void {
    const one = series.at(-1)
    if (!one || list === null) return
    if (list === 'name') one.name = [one.name, words].filter(Boolean).join(' ')
    else if (index >= 0 && index < MOST_POINTS)
      // Of categories in groups the innermost come first; a group is named with its first one.
      one[list][index] = list === 'categories' ? [words, one[list][index]].filter(Boolean).join(' ') : words
  }
}

/** More points than that are not read of a series, nor more cells of a chart. */
const MOST_POINTS = 10_000
const MOST_CELLS = 100_000

function rowsOf(series: readonly Series[]): string[][] {
  const categories = series.find((one) => one.categories.length > 0)?.categories ?? []
  const length = series.reduce((most, { values }) => Math.max(most, values.length), categories.length)
  if (length === 0) return []
  const shown = Math.min(length, Math.ceil(MOST_CELLS / (series.length + 1)))
  const rows = Array.from({ length: shown }, (_, at) => [
    categories[at] ?? '',
    ...series.map(({ values }) => values[at] ?? ''),
  ])
  return [['', ...series.map(({ name }) => name)], ...rows]
}
