/** What stands over the cells of a workbook of Excel 97 to 2003. */
export interface XlsDrawings {
  /** Words of a text box or another shape, or of a chart: its titles, names and categories, a line each. */
  texts: string[]
  /** Charts, and pictures that the workbook stores. */
  figures: number
}

/** Record types (MS-XLS 2.3); FILEPASS and EOF are read where a workbook is opened. */
const RECORD = {
  CONTINUE: 0x3c,
  OBJ: 0x5d,
  DRAWING_GROUP: 0xeb,
  TEXT_OBJECT: 0x1b6,
  LABEL: 0x204,
  BEGIN: 0x809,
  SERIES_TEXT: 0x100d,
}
const CHART = 0x20
/** The library gives notes with their cells. */
const NOTE = 0x19
/** Of a container of pictures (MS-ODRAW 2.2.20). */
const PICTURES = 0xf001

/** Reads the records of a `Workbook` stream. What is cut off or out of place is left out. */
export function readXlsDrawings(workbook: Buffer): XlsDrawings {
  const texts: string[] = []
  let [figures, object] = [0, 0]
  let chart: Set<string> | null = null
  const endChart = (): void => {
    if (chart && chart.size > 0) texts.push([...chart].join('\n'))
  }
  const records = recordsOf(workbook)
  for (const [index, { type, data }] of records.entries())
    switch (type) {
      case RECORD.BEGIN: {
        endChart()
        const isChart = data.length >= 4 && data.readUInt16LE(2) === CHART
        chart = isChart ? new Set() : null
        if (isChart) figures++
        break
      }
      case RECORD.OBJ:
        object = data.length >= 6 ? data.readUInt16LE(4) : 0
        break
      case RECORD.TEXT_OBJECT:
        if (object !== NOTE && data.length >= 12)
          texts.push(continuedText(records, index + 1, data.readUInt16LE(10)))
        break
      case RECORD.SERIES_TEXT:
        if (data.length >= 4) chart?.add(characters(data.subarray(3), data[2]!))
        break
      case RECORD.LABEL:
        if (data.length >= 9) chart?.add(characters(data.subarray(8), data.readUInt16LE(6)))
        break
      case RECORD.DRAWING_GROUP:
        figures += picturesOf(data)
    }
  endChart()
  return { texts, figures }
}

interface Record {
  type: number
  data: Buffer
}

function recordsOf(workbook: Buffer): Record[] {
  const records: Record[] = []
  for (let at = 0; at + 4 <= workbook.length;) {
    const end = at + 4 + workbook.readUInt16LE(at + 2)
    records.push({ type: workbook.readUInt16LE(at), data: workbook.subarray(at + 4, end) })
    at = end
  }
  return records
}

/** The `length` characters that follow a text object; in each record they may be stored otherwise. */
function continuedText(records: readonly Record[], from: number, length: number): string {
  let text = ''
  for (let index = from; text.length < length && records[index]?.type === RECORD.CONTINUE; index++) {
    const piece = characters(records[index]!.data, length - text.length)
    if (piece === '') break
    text += piece
  }
  return text
}

/** At most `length` characters behind a byte whose first bit says whether they take two bytes each. */
const characters = (data: Buffer, length: number): string =>
  data.length > 0 && data[0]! & 1
    ? data.toString('utf16le', 1, 1 + 2 * length)
    : data.toString('latin1', 1, 1 + length)

/** How many pictures the first part of a drawing group says that it stores (MS-ODRAW 2.2.12). */
function picturesOf(group: Buffer): number {
  for (let at = 8; at + 8 <= group.length; at += 8 + group.readUInt32LE(at + 4))
    if (group.readUInt16LE(at + 2) === PICTURES) return group.readUInt16LE(at) >> 4
  return 0
}
