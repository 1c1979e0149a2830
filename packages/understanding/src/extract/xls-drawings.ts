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
  const reader = new DrawingReader()
  for (const { type, data } of xlsRecords(workbook)) reader.read(type, data)
  reader.end()
  return { texts: reader.texts, figures: reader.figures }
}

/** The records of a `Workbook` stream (MS-XLS 2.1.4); the last one may be cut off. */
export function* xlsRecords(workbook: Buffer): Generator<{ type: number; data: Buffer }> {
  for (let at = 0; at + 4 <= workbook.length;) {
    const end = at + 4 + workbook.readUInt16LE(at + 2)
    yield { type: workbook.readUInt16LE(at), data: workbook.subarray(at + 4, end) }
    at = end
  }
}

class DrawingReader {
  readonly texts: string[] = []
  figures = 0
  /** The kind of the last object. */
  #kind = 0
  /** A text object, which the next records continue. */
  #text: { length: number; words: string } | null = null
  #chart: Set<string> | null = null

  read(type: number, data: Buffer): void {
    if (type === RECORD.CONTINUE) return this.#continue(data)
    this.#endText()
    switch (type) {
      case RECORD.BEGIN:
        return this.#begin(data.length >= 4 && data.readUInt16LE(2) === CHART)
      case RECORD.OBJ:
        this.#kind = data.length >= 6 ? data.readUInt16LE(4) : 0
        return
      case RECORD.TEXT_OBJECT:
        if (this.#kind !== NOTE && data.length >= 12)
          this.#text = { length: data.readUInt16LE(10), words: '' }
        return
      case RECORD.SERIES_TEXT:
        if (data.length >= 4) this.#chart?.add(characters(data.subarray(3), data[2]!))
        return
      case RECORD.LABEL:
        if (data.length >= 9) this.#chart?.add(characters(data.subarray(8), data.readUInt16LE(6)))
        return
      case RECORD.DRAWING_GROUP:
        this.figures += picturesOf(data)
        return
      default:
    }
  }

  end(): void {
    this.#endText()
    this.#begin(false)
  }

  /** A sheet or a chart, which may stand within a sheet. */
  #begin(isChart: boolean): void {
    if (this.#chart) this.texts.push([...this.#chart].join('\n'))
    this.#chart = isChart ? new Set() : null
    if (isChart) this.figures++
  }

  /** Each record says how its own characters are stored. */
  #continue(data: Buffer): void {
    if (this.#text) this.#text.words += characters(data, this.#text.length - this.#text.words.length)
  }

  #endText(): void {
    if (this.#text) this.texts.push(this.#text.words)
    this.#text = null
  }
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
