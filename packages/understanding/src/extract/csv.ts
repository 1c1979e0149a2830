import { UnreadableFile } from '@medialog/application/ports/understanding'
import Papa from 'papaparse'
import { Content, rowText } from './content.ts'
import type { Extract } from './extractor.ts'
import { readText } from './text-file.ts'

/** Rows per block of text: all belong to the one table. */
const BLOCK = 50

/** Delimited rows (RFC 4180 and its relatives, the delimiter guessed): one table, the header is its first row. */
export const extract: Extract = async ({ bytes, format }) => {
  const content = new Content()
  const { text, encoding } = readText(bytes, content)
  const table = { rows: 0, columns: 0, start: 0 }
  let pending: string[] = []
  /** Columns of the shortest row but the last, and of the last. */
  let shortest = Infinity
  let last = Infinity
  const flush = (): void => {
    content.paragraph(pending.join('\n'))
    pending = []
  }
  Papa.parse<string[]>(text.trimEnd(), {
    ...(format.name === 'tsv' && { delimiter: '\t' }),
    skipEmptyLines: 'greedy',
    step: ({ data, errors }) => {
      table.rows++
      table.columns = Math.max(table.columns, data.length)
      shortest = Math.min(shortest, last)
      last = data.length
      if (errors.some(({ type }) => type === 'Quotes'))
        content.warn('A quoted field is not closed properly: rows may be joined or split wrongly.')
      if (content.full) return
      pending.push(rowText(data))
      if (pending.length === BLOCK) flush()
    },
  })
  flush()
  if (last < shortest && shortest < Infinity && !text.endsWith('\n'))
    content.warn('The last row has fewer columns than any other: the rest may be missing.')
  if (table.rows === 0) throw new UnreadableFile('corrupted', 'The file holds no rows.')
  content.tables.push(table)
  return content.document(format, { encoding })
}
