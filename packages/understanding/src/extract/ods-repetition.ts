import { UnreadableFile } from '@medialog/application/ports/understanding'

/** What one cell may stand for is without bound, and the library makes each of them. */
const MOST_CELLS = 500_000

/** Start tags of rows and cells; what ends with a slash holds nothing. */
const ROW_OR_CELL = /<(?:[\w-]+:)?table-(row|cell)\b([^<>]*)>/g
const ROWS = /number-rows-repeated\s*=\s*["'](\d+)/
const COLUMNS = /number-columns-repeated\s*=\s*["'](\d+)/

/**
 * Counts the cells of an OpenDocument spreadsheet that hold something, each as often as it is repeated with its row
 * (ODF 1.3 part 3, 19.675 and 19.676). Empty ones may be repeated to the end of the sheet, and mostly are.
 * @throws UnreadableFile `too-large`
 */
export function refuseRepeatedCells(xml: string): void {
  let rows = 1
  let cells = 0
  for (const [, kind, attributes = ''] of xml.matchAll(ROW_OR_CELL)) {
    if (kind === 'row') rows = timesIn(attributes, ROWS)
    else if (!attributes.endsWith('/')) {
      const times = rows * timesIn(attributes, COLUMNS)
      if (times > 1) cells += times
    }
    if (cells > MOST_CELLS)
      throw new UnreadableFile(
        'too-large',
        `The workbook repeats its cells more than ${MOST_CELLS.toLocaleString('en-US')} times.`,
      )
  }
}

const timesIn = (attributes: string, repeated: RegExp): number => Number(repeated.exec(attributes)?.[1] ?? 1)
