import { expect, test } from 'vitest'
import { makeLook } from './look.ts'
import { table, type Column } from './table.ts'
import { widthOf } from './text.ts'

interface Row {
  id: string
  name: string
  size: string
}

const COLUMNS: Column<Row>[] = [
  { title: 'ID', value: ({ id }) => id },
  { title: 'NAME', value: ({ name }) => name, shrinks: 'middle' },
  { title: 'SIZE', value: ({ size }) => size, align: 'right', drops: true },
]
const ROWS: Row[] = [
  { id: 'doc_1', name: '한국어 문서.pdf', size: '1 B' },
  { id: 'doc_2', name: 'a name that is much longer than the others are.txt', size: '12 kB' },
]
const plain = (width: number) => makeLook({ colours: false, width })

test('columns stand under each other, wide characters included', () => {
  expect(table(ROWS.slice(0, 1), COLUMNS, plain(Infinity))).toEqual([
    'ID     NAME             SIZE',
    'doc_1  한국어 문서.pdf   1 B',
  ])
})

test('into a pipe nothing is cut', () => {
  expect(table(ROWS, COLUMNS, plain(Infinity))[2]).toContain(ROWS[1]!.name)
})

test.each([80, 50, 40, 30])('fits %i columns', (width) => {
  for (const line of table(ROWS, COLUMNS, plain(width))) expect(widthOf(line)).toBeLessThanOrEqual(width)
})

test('a column is left out before a name becomes unreadable', () => {
  const [head, ...lines] = table(ROWS, COLUMNS, plain(30))
  expect(head).not.toContain('SIZE')
  expect(lines[1]).toMatch(/^doc_2 {2}a name.*…/)
})

test('colours change no width and come after the cut', () => {
  const paint: Column<Row>[] = COLUMNS.map((column) => ({ ...column, paint: (_, { accent }) => accent }))
  const coloured = table(ROWS, paint, makeLook({ colours: true, width: 40 }))
  expect(coloured[1]).toContain('\u001b[36m')
  expect(coloured.map(widthOf)).toEqual(table(ROWS, paint, plain(40)).map(widthOf))
})
