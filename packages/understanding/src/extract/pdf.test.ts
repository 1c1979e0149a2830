import { expect, test } from 'vitest'
import { asFormat, formatRow } from '../formats.ts'
import { namedFontPdf, plainPdf, type Line } from '../testing/pdf.ts'
import { extract } from './pdf.ts'

const read = (bytes: Buffer) =>
  extract({ bytes: new Uint8Array(bytes), filename: 'a.pdf', format: asFormat(formatRow('pdf')) })

const PAGES: Line[][] = [
  [
    [800, 'Sea Winds'],
    [760, 'The first line of a paragraph that'],
    [746, 'goes on in the next line.'],
    [700, 'Another paragraph.'],
  ],
  [
    [800, 'Tides'],
    [786, 'Text set close below its heading.'],
  ],
]

test('without tags, gaps part paragraphs and the outline names the headings', async () => {
  const { text, sections, facts } = await read(
    plainPdf(PAGES, [
      ['Sea Winds', 0],
      ['Tides', 1],
      ['Nowhere', 1],
    ]),
  )
  expect(text).toBe(
    'Sea Winds\n\nThe first line of a paragraph that\ngoes on in the next line.\n\nAnother paragraph.\n\n' +
      'Tides\n\nText set close below its heading.',
  )
  expect(sections).toEqual([
    { title: 'Sea Winds', level: 1, contentType: 'heading', start: 0 },
    { title: 'Tides', level: 1, contentType: 'heading', start: text.indexOf('Tides') },
  ])
  expect(facts).toMatchObject({ pageCount: 2 })
})

test('without tags and outline there are no headings', async () => {
  expect((await read(plainPdf(PAGES))).sections).toEqual([])
})

test('a long document is read until the budget is spent, its pages all counted', async () => {
  const line = 'word '.repeat(18)
  const page: Line[] = Array.from({ length: 55 }, (_, index) => [800 - 14 * index, line])
  const { facts, truncated, text } = await read(plainPdf(Array.from({ length: 80 }, () => page)))
  expect(facts).toMatchObject({ pageCount: 80 })
  expect(truncated).toBe(true)
  expect(text.length).toBeGreaterThan(290_000)
})

test.each([
  ['90ms-RKSJ-H', 'Japan1', '93fa967b8cea', '日本語'],
  ['UniJIS-UCS2-H', 'Japan1', '65e5672c8a9e', '日本語'],
  ['Identity-H', 'Japan1', '04650cd4', '亜日'],
  ['GBK-EUC-H', 'GB1', 'd6d0cec4', '中文'],
  ['UniGB-UCS2-H', 'GB1', '4e2d6587', '中文'],
  ['KSCms-UHC-H', 'Korea1', 'c7d1b1db', '한글'],
  ['UniKS-UCS2-H', 'Korea1', 'd55cae00', '한글'],
  ['ETen-B5-H', 'CNS1', 'a4a4a4e5', '中文'],
])('text in a font of East Asia that is not in the file: %s', async (encoding, ordering, codes, text) => {
  expect(await read(namedFontPdf(encoding, ordering, codes))).toMatchObject({ text, warnings: [] })
})

test.each([
  ['codes of an unknown CMap', namedFontPdf('No-Such-H', 'Japan1', '93fa967b8cea')],
  ['glyphs without characters', namedFontPdf('UniJIS-UCS2-H', 'Japan1', 'fffdfffd')],
])('text that cannot be decoded is a warning: %s', async (_, bytes) => {
  expect((await read(bytes)).warnings).toContain('The text of page 1 could not be decoded.')
})

test('a page without text is not one that cannot be decoded', async () => {
  const { warnings } = await read(plainPdf([[[800, 'Words.']], [], [[800, ' ']]]))
  expect(warnings).toEqual([])
})
