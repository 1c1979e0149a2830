import type { Look, Paint } from './look.ts'
import { padEnd, padStart, truncate, truncateMiddle, widthOf, wrap } from './text.ts'

export interface Column<Row> {
  title: string
  /** Plain text, already clean; colours come from `paint`, after the text was fitted. */
  value: (row: Row) => string
  align?: 'right'
  /** Gives up room when the terminal is narrow; the others keep theirs. */
  shrinks?: 'end' | 'middle'
  /** Is left out where the others would become unreadable. */
  drops?: boolean
  paint?: (row: Row, look: Look) => Paint
}

const GAP = '  '
/** A column that shrinks stays readable down to here as long as others can be left out instead. */
const READABLE = 20
const NARROWEST = 8

/** A table without rules: a head and a line for each row, no wider than the terminal where columns may shrink. */
export function table<Row>(rows: readonly Row[], columns: readonly Column<Row>[], look: Look): string[] {
  const all = columns.map((column) => {
    const cells = rows.map((row) => column.value(row))
    return { column, cells, width: Math.max(...[column.title, ...cells].map(widthOf)) }
  })
  const shown = fit(all, look.width)
  const line = (cell: (index: number) => string) =>
    shown
      .map((_, index) => cell(index))
      .join(GAP)
      .trimEnd()
  const head = line((index) => look.dim(fitted(shown[index]!, shown[index]!.column.title)))
  const body = rows.map((row, at) =>
    line((index) => {
      const { column, cells } = shown[index]!
      const paint = column.paint?.(row, look) ?? plain
      return paint(fitted(shown[index]!, cells[at]!))
    }),
  )
  return [head, ...body]
}

const plain: Paint = (text) => text

interface Fitted {
  column: Pick<Column<never>, 'align' | 'shrinks' | 'drops'>
  width: number
}

function fitted({ column: { align, shrinks }, width }: Fitted, text: string): string {
  const cut = shrinks === 'middle' ? truncateMiddle(text, width) : truncate(text, width)
  return align === 'right' ? padStart(cut, width) : padEnd(cut, width)
}

/** Leaves out columns that may be, the last first, then takes what is still too much from the widest that shrinks. */
function fit<C extends Fitted>(all: readonly C[], room: number): C[] {
  const shown = all.map((column) => ({ ...column }))
  const total = (widthOf: (column: C) => number) =>
    shown.reduce((sum, column) => sum + widthOf(column), GAP.length * (shown.length - 1))
  const least = ({ column, width }: C) => (column.shrinks ? Math.min(width, READABLE) : width)
  while (total(least) > room) {
    const last = shown.findLastIndex(({ column }) => column.drops)
    if (last === -1) break
    shown.splice(last, 1)
  }
  while (total(({ width }) => width) > room) {
    const shrinking = shown.filter(({ column, width }) => column.shrinks && width > NARROWEST)
    if (shrinking.length === 0) break
    shrinking.reduce((widest, next) => (next.width > widest.width ? next : widest)).width -= 1
  }
  return shown
}

/** Names and values, the values under each other; what is longer than the terminal goes on below itself. */
export function pairs(entries: readonly (readonly [string, string])[], look: Look): string[] {
  const width = Math.max(0, ...entries.map(([name]) => widthOf(name)))
  return entries.flatMap(([name, value]) =>
    broken(value, look.width - width - GAP.length).map(
      (line, at) => `${look.dim(padEnd(at === 0 ? name : '', width))}${GAP}${line}`,
    ),
  )
}

/** Broken between words alone: inside one there may be colours, or an id that is to be copied. */
const broken = (text: string, width: number): string[] =>
  text.split(' ').every((word) => widthOf(word) <= width) ? wrap(text, width) : [text]
