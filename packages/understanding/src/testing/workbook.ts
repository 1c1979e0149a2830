import { utils, write, type BookType } from '@e965/xlsx'

/** A workbook of sheets by name, each an array of rows; cells may be given as the library has them. */
export function workbook(
  type: BookType,
  sheets: Record<string, readonly unknown[][]>,
  { date1904 = false } = {},
): Buffer {
  const book = utils.book_new()
  book.Workbook = { WBProps: { date1904 } }
  for (const [name, rows] of Object.entries(sheets))
    utils.book_append_sheet(book, utils.aoa_to_sheet(rows as unknown[][], { UTC: true }), name)
  return write(book, { bookType: type, type: 'buffer', compression: true }) as Buffer
}

/** One paragraph a row, on a sheet whose name is no word. */
export const plainWorkbook = (type: BookType, paragraphs: readonly string[]): Buffer =>
  workbook(type, { ' ': paragraphs.map((text) => [text]) })
