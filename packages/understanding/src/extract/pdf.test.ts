import { describe, expect, onTestFinished, test } from 'vitest'
import { asFormat, formatRow } from '../formats.ts'
import { assembled, namedFontPdf, plainPdf, stream, type Line } from '../testing/pdf.ts'
import { beginFile, readPicturesWith } from '../ocr/text-reader.ts'
import { scannedPdf } from '../testing/scanned-pdf.ts'
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

test('pictures that take long are not all looked at, and the text is read to the end', async () => {
  const picture = {
    width: 40,
    height: 40,
    pixels: new Uint8Array(1600).fill(90),
    matrix: [400, 0, 0, 400, 50, 50],
  }
  const page = { width: 500, height: 500, pictures: [picture as never] }
  const pdf = scannedPdf([page, page, { ...page, text: 'The words of a page that is no picture' }, page])
  const limits = { trained: [], milliseconds: 0, onStart: () => undefined }
  onTestFinished(() => {
    readPicturesWith({ ...limits, lookingMs: Infinity })
    beginFile()
  })
  const warned = async (lookingMs: number): Promise<string[]> => {
    readPicturesWith({ ...limits, lookingMs })
    beginFile()
    const { text, warnings } = await read(pdf)
    expect(text).toBe('The words of a page that is no picture')
    return warnings
  }
  expect(await warned(Infinity)).toEqual([])
  expect(await warned(0)).toEqual(['Words may stand in pictures on pages 1 to 2 and 4 that were not read.'])
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

describe('forms and typed text', () => {
  /** A page with two labels, and these annotations. */
  const form = (...annotations: string[]): Buffer =>
    assembled([
      '<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [6 0 R 7 0 R] >> >>',
      '<< /Type /Pages /Count 1 /Kids [3 0 R] >>',
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 400 400] /Resources << /Font << /F1 4 0 R >> >> /Contents 5 0 R /Annots [${annotations.map((_, at) => `${at + 6} 0 R`).join(' ')}] >>`,
      '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
      stream(
        'BT /F1 12 Tf 1 0 0 1 40 320 Tm (Name of the vessel:) Tj ET\nBT /F1 12 Tf 1 0 0 1 40 306 Tm (Home port:) Tj ET',
      ),
      ...annotations.map((entries) => `<< /Type /Annot ${entries} >>`),
    ])
  const name = '/Subtype /Widget /FT /Tx /T (vessel) /V (Kittiwake of Wexford) /Rect [180 314 360 332]'
  const port =
    '/Subtype /Widget /FT /Ch /T (port) /Opt [[(sk) (Skerries)] [(ho) (Howth)]] /V (ho) /Rect [180 300 360 313]'

  test('values of forms are said behind their labels', async () => {
    expect((await read(form(name, port))).text).toBe(
      'Name of the vessel: Kittiwake of Wexford\nHome port: Howth',
    )
  })

  test('text that was typed on the page is read, what is hidden or a password is not', async () => {
    const typed = '/Subtype /FreeText /Contents (Checked by Kim) /DA (/F1 9 Tf) /Rect [180 100 360 120]'
    const hidden = '/Subtype /Widget /F 2 /FT /Tx /T (a) /V (hidden) /Rect [0 0 9 9]'
    const password = '/Subtype /Widget /FT /Tx /Ff 8192 /T (b) /V (secret) /Rect [180 200 360 220]'
    const note = '/Subtype /Text /Contents (a comment) /Rect [180 250 200 270]'
    const { text } = await read(form(typed, password, note, hidden))
    expect(text).toBe('Name of the vessel:\nHome port:\n\nChecked by Kim')
  })
})

test('a word that a soft hyphen divides at the end of a line is one word', async () => {
  const lines = ['Steuerrecht und Po\u00ad', 'litik im Wert\u00adpapier neben', 'Lang\u00ad', 'Frist']
  const page = lines.map((text, at): Line => [700 - 14 * at, text])
  const font = '/BaseFont /Helvetica'
  const file = plainPdf([page])
    .toString('latin1')
    .replace(font, `${font} /Encoding << /Differences [173 /softhyphen] >>`)
  expect((await read(Buffer.from(file, 'latin1'))).text).toBe(
    'Steuerrecht und Politik im Wertpapier neben\nLang-\nFrist',
  )
})
