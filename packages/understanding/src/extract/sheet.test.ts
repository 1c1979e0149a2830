import { CFB, SSF } from '@e965/xlsx'
import type { Extraction } from '@medialog/application/ports/understanding'
import { describe, expect, test } from 'vitest'
import { asFormat, formatRow } from '../formats.ts'
import { openDocument } from '../testing/opendocument.ts'
import { workbook } from '../testing/workbook.ts'
import { extract } from './sheet.ts'
import { readXlsDrawings } from './xls-drawings.ts'

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

test.each([
  ['xlsx', 'xlsx', false],
  ['xlsx', 'xlsx', true],
  ['xls', 'biff8', false],
  ['xls', 'biff8', true],
] as const)(
  '%s, 1904 %s %s: durations and times are shown as such, dates as ISO 8601',
  async (name, type, date1904) => {
    const number = (v: number, z: string) => ({ t: 'n', v, z })
    const day = 45_351 - (date1904 ? 1_462 : 0)
    const rows = [
      [number(10.6320601852, '[h]:mm:ss'), number(1.5, '[hh]:mm'), number(0.3125, '[h]:mm:ss')],
      [number(0.5, 'h:mm'), number(0.75, 'h:mm AM/PM'), number(0.000810185, 'mm:ss')],
      [
        number(day, 'yyyy\\-mm\\-dd'),
        number(day, 'mmm yy'),
        number(day + 0.5, 'd/m/yy h:mm'),
        number(day, '"sold" d.m.'),
      ],
    ]
    expect((await read(name, workbook(type, { Data: rows }, { date1904 }))).text).toBe(
      [
        'Data\n\n255:10:10 | 36:00 | 7:30:00',
        '12:00 | 6:00 PM | 01:10',
        '2024-02-29 | 2024-02-29 | 2024-02-29T12:00 | 2024-02-29',
      ].join('\n'),
    )
  },
)

test.each([
  ['xlsx', 'xlsx'],
  ['xls', 'biff8'],
] as const)('%s: a date beyond the calendar is left out', async (name, type) => {
  const rows = [['a', { t: 'n', v: 1e12, z: 'm/d/yy' }, 'b']]
  expect((await read(name, workbook(type, { Data: rows }))).text).toBe('Data\n\na | | b')
})

test('XLSX: notes, text boxes, charts and alternative texts are read behind the cells', async () => {
  const noted = { t: 's', v: 'tarpaulin', c: [{ a: 'Kim', t: 'count again' }] }
  const file = workbook('xlsx', { Stock: [[noted, 17]] })
  const archive = CFB.read(file, { type: 'buffer' })
  const add = (name: string, xml: string): void => void CFB.utils.cfb_add(archive, name, Buffer.from(xml))
  add(
    '/xl/drawings/drawing9.xml',
    '<xdr:wsDr><xdr:cNvPr descr="A coil of rope"/><a:p><a:r><a:t>See deck 2</a:t></a:r></a:p></xdr:wsDr>',
  )
  add(
    '/xl/charts/chart1.xml',
    '<c:chartSpace><c:title><a:p><a:r><a:t>Stock by deck</a:t></a:r></a:p></c:title></c:chartSpace>',
  )
  const bytes = CFB.write(archive, { type: 'buffer', fileType: 'zip' }) as Buffer
  const { text, figureCount } = await read('xlsx', bytes)
  expect(text).toBe(
    'Stock\n\ntarpaulin | 17\n\nNotes: count again\n\nA coil of rope\n\nSee deck 2\n\nStock by deck',
  )
  expect(figureCount).toBe(1)
})

test.each([
  ['xlsx', 'xlsx'],
  ['xls', 'biff8'],
] as const)(
  '%s: a workbook is shown in its own number formats, not in those of the one before',
  async (name, type) => {
    const book = workbook(type, { Data: [[{ t: 'n', v: 7, z: '0' }]] })
    SSF.load('"secret" 0', 1)
    SSF.load('"secret" 0', 300)
    expect((await read(name, book)).text).toBe('Data\n\n7')
    expect(Object.values(SSF.get_table())).not.toContain('"secret" 0')
  },
)

test('XLSX: threaded comments are read in any script', async () => {
  const thread = [
    { a: 'Kim', t: '재고 확인: R&amp;D &lt; 3', T: true },
    { a: 'Kim', t: 'R&D < 3', T: true },
  ]
  const file = workbook('xlsx', { Stock: [[{ t: 's', v: 'tarpaulin', c: thread }]] })
  expect((await read('xlsx', file)).text).toBe(
    'Stock\n\ntarpaulin\n\nNotes: 재고 확인: R&D < 3\n\nNotes: R&D < 3',
  )
})

describe('XLS: what stands over the cells', () => {
  const record = (type: number, ...data: (Buffer | readonly number[])[]): Buffer => {
    const body = Buffer.concat(data.map((part) => Buffer.from(part)))
    return Buffer.concat([Buffer.from(Uint16Array.of(type, body.length).buffer), body])
  }
  const wide = (text: string): Buffer => Buffer.concat([Buffer.of(1), Buffer.from(text, 'utf16le')])
  /** A shape of this kind, its text in pieces. */
  const shape = (kind: number, length: number, ...pieces: Buffer[]): Buffer =>
    Buffer.concat([
      record(0x5d, [0x15, 0, 0x12, 0, kind, 0], Buffer.alloc(20)),
      record(0x1b6, Buffer.alloc(10), [length, 0, 16, 0], Buffer.alloc(4)),
      ...pieces.map((piece) => record(0x3c, piece)),
    ])
  const chart = Buffer.concat([
    record(0x809, [0, 6, 0x20, 0], Buffer.alloc(12)),
    record(0x100d, [0, 0, 5], Buffer.from('\0Stock')),
    record(0x100d, [0, 0, 2], wide('갑판')),
    record(0x100d, [0, 0, 5], Buffer.from('\0Stock')),
    record(0x204, Buffer.alloc(6), [5, 0], Buffer.from('\0Dover')),
    record(0x0a),
  ])
  const pictures = record(
    0xeb,
    [0x0f, 0, 0, 0xf0, 40, 0, 0, 0],
    [0, 0, 6, 0xf0, 4, 0, 0, 0, 1, 1, 1, 1],
    [0x3f, 0, 1, 0xf0, 0, 0, 0, 0],
  )
  const withRecords = (file: Buffer, ...records: Buffer[]): Buffer => {
    const archive = CFB.read(file, { type: 'buffer' })
    const stream = CFB.find(archive, '/Workbook')!
    const content = Buffer.from(stream.content as Uint8Array)
    const end = content.lastIndexOf(Buffer.of(0x0a, 0, 0, 0))
    stream.content = Buffer.concat([content.subarray(0, end), ...records, content.subarray(end)])
    stream.size = stream.content.length
    return CFB.write(archive, { type: 'buffer' }) as Buffer
  }

  test('text boxes and charts are read, charts and pictures counted', async () => {
    const box = shape(0x06, 12, Buffer.from('\0See '), wide('deck 2 갑'))
    const note = shape(0x19, 4, Buffer.from('\0note'))
    const book = withRecords(workbook('biff8', { Stock: [['rope']] }), pictures, box, note, chart)
    expect(await read('xls', book)).toMatchObject({
      text: 'Stock\n\nrope\n\nSee deck 2 갑\n\nStock\n갑판\nDover',
      figureCount: 4,
    })
  })

  test('a workbook without cells is read for them, one without anything is refused', async () => {
    const empty = workbook('biff8', { Stock: [] })
    const box = shape(0x06, 3, Buffer.from('\0a b'))
    expect((await read('xls', withRecords(empty, box))).text).toBe('Stock\n\na b')
    await expect(read('xls', empty)).rejects.toThrow('The workbook is empty')
  })

  test('what is cut off is left out', () => {
    const box = shape(0x06, 9, Buffer.from('\0See'))
    expect(readXlsDrawings(box).texts).toEqual(['See'])
    for (let end = 0; end < chart.length; end++) readXlsDrawings(chart.subarray(0, end))
    expect(readXlsDrawings(pictures.subarray(0, 20)).figures).toBe(0)
  })
})

test('XLSX: categories of a chart are read with the groups that they are in', async () => {
  const points = (...all: [at: number, value: string][]): string =>
    all.map(([at, value]) => `<c:pt idx="${at}"><c:v>${value}</c:v></c:pt>`).join('')
  const places = points([0, 'Skerries'], [1, 'Howth'], [2, 'Dover'])
  const countries = points([0, 'Ireland'], [2, 'England'])
  const archive = CFB.read(workbook('xlsx', { Stock: [['a']] }), { type: 'buffer' })
  const chart =
    `<c:chartSpace><c:ser><c:tx><c:v>Boats</c:v></c:tx><c:cat><c:multiLvlStrRef><c:multiLvlStrCache><c:lvl>${places}</c:lvl>` +
    `<c:lvl>${countries}</c:lvl></c:multiLvlStrCache></c:multiLvlStrRef></c:cat><c:val>${points([0, '4'], [1, '5'], [2, '6'])}</c:val></c:ser></c:chartSpace>`
  CFB.utils.cfb_add(archive, '/xl/charts/chart1.xml', Buffer.from(chart))
  const { text } = await read('xlsx', CFB.write(archive, { type: 'buffer', fileType: 'zip' }) as Buffer)
  expect(text).toBe('Stock\n\na\n\n| Boats\nIreland Skerries | 4\nHowth | 5\nEngland Dover | 6')
})

test('ODS: a duration is shown as it is written, and a file without styles is read', async () => {
  const cell = (type: string, value: string, text: string): string =>
    `<table:table-cell office:value-type="${type}" office:${type}-value="${value}"><text:p>${text}</text:p></table:table-cell>`
  const row = `<table:table-row>${cell('time', 'PT255H10M10S', '255:10:10')}${cell('date', '2024-02-29', '29.02.24')}</table:table-row>`
  const { text } = await read(
    'ods',
    openDocument('spreadsheet', `<table:table table:name="Stock">${row}</table:table>`, {
      'META-INF/manifest.xml': '<manifest/>',
    }),
  )
  expect(text).toBe('Stock\n\n255:10:10 | 2024-02-29')
})

test.each([
  ['office:value-type="time" office:time-value="09:55:33"', '09:55:33'],
  ['office:value-type="time" office:time-value="P1D"', '24:00:00'],
  ['office:value-type="unknown"', 'as shown'],
  [`office:value-type='float' office:value='1.5' table:formula='of:="a"'`, '1.5'],
])('ODS: a cell of the type %s is read as it is shown', async (type, shown) => {
  const cell = `<table:table-cell ${type}><text:p>${shown}</text:p></table:table-cell>`
  const dated =
    '<table:table-cell office:value-type="date" office:date-value="2024-02-29"><text:p>29.2.</text:p></table:table-cell>'
  const rows = `<table:table-row>${cell}${dated}</table:table-row>`
  const book = openDocument('spreadsheet', `<table:table table:name="Stock">${rows}</table:table>`, {
    'META-INF/manifest.xml': '<manifest/>',
    'styles.xml': '<x/>',
  })
  expect((await read('ods', book)).text).toBe(`Stock\n\n${shown} | 2024-02-29`)
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

describe('ODS: cells that are repeated', () => {
  const row = (rows: number, columns: number, cell: string): string =>
    `<table:table-row table:number-rows-repeated="${rows}"><table:table-cell table:number-columns-repeated="${columns}"${cell}</table:table-row>`
  const cell = ' office:value-type="string"><text:p>boom</text:p></table:table-cell>'
  const book = (rows: string): Buffer =>
    openDocument('spreadsheet', `<table:table table:name="S">${rows}</table:table>`, {
      'META-INF/manifest.xml': '<manifest/>',
      'styles.xml': '<x/>',
    })

  test.each([
    ['by one row', row(1_048_576, 16_384, cell)],
    ['by many', row(1000, 10, cell).repeat(60)],
  ])('%s, into more than can be held: refused before they are made', async (_, rows) => {
    await expect(read('ods', book(rows))).rejects.toMatchObject({ reason: 'too-large' })
  })

  test('empty ones to the end of the sheet, and words a few times', async () => {
    const sheet = book(row(2, 3, cell) + row(1_048_574, 16_384, '/>'))
    expect((await read('ods', sheet)).text).toBe('S\n\nboom | boom | boom\nboom | boom | boom')
  })
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
