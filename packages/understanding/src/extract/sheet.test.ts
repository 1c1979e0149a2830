import type { Extraction } from '@medialog/application/ports/understanding'
import { expect, test } from 'vitest'
import { asFormat, formatRow } from '../formats.ts'
import { openDocument } from '../testing/opendocument.ts'
import { workbook } from '../testing/workbook.ts'
import { extract } from './sheet.ts'

const read = (name: string, bytes: Buffer): Promise<Extraction> =>
  extract({ bytes: new Uint8Array(bytes), filename: `a.${name}`, format: asFormat(formatRow(name)) })

test.each([
  ['xlsx', 'xlsx'],
  ['ods', 'ods'],
  ['xls', 'biff8'],
] as const)('%s: what is empty is left out, what is shown is kept', async (name, type) => {
  const rows = [
    ['a', null, 'c', null],
    [],
    [null, true, 0.5],
    [new Date(Date.UTC(2024, 1, 29)), new Date(Date.UTC(2024, 1, 29, 8, 30))],
  ]
  const { text, tables } = await read(name, workbook(type, { Data: rows, Empty: [] }))
  expect(text).toBe('Data\n\na | | c\n| TRUE | 0.5\n2024-02-29 | 2024-02-29T08:30\n\nEmpty')
  expect(tables).toMatchObject([{ rows: 3, columns: 3, start: 6 }])
})

test('a workbook of the time before Unicode is read in its code page', async () => {
  const korean = workbook('biff5', { Data: [['A']] })
  // The cell's one byte is not enough for a syllable, so the sheet's name shows it: 가나 in CP949.
  const at = korean.indexOf('Data', 0, 'latin1')
  Buffer.from('b0a1b3aa', 'hex').copy(korean, at)
  const codePage = korean.indexOf(Buffer.from('42000200', 'hex'))
  expect(codePage).toBeGreaterThan(0)
  korean.writeUInt16LE(949, codePage + 4)
  expect((await read('xls', korean)).text).toBe('가나\n\nA')
})

test('charts and pictures are counted', async () => {
  const cells =
    '<table:table table:name="S"><table:table-row><table:table-cell><text:p>x</text:p></table:table-cell>'
  const book = openDocument('spreadsheet', `${cells}</table:table-row></table:table>`, {
    'META-INF/manifest.xml': '<manifest/>',
    'styles.xml': '<x/>',
    'Pictures/a.png': 'x',
    'Object 1/content.xml': '<x/>',
  })
  expect(await read('ods', book)).toMatchObject({ text: 'S\n\nx', figureCount: 2 })
})
