import type { Extraction } from '@medialog/application/ports/understanding'
import { countTokens } from '@medialog/embedder/tokenizer'
import { describe, expect, test } from 'vitest'
import { asFormat, FORMATS, formatRow } from '../formats.ts'
import { plainDoc } from '../testing/doc.ts'
import { plainDocx } from '../testing/docx.ts'
import { plainEpub } from '../testing/epub.ts'
import { plainOdp, plainOdt } from '../testing/opendocument.ts'
import { plainPptx, shape } from '../testing/pptx.ts'
import { plainPdf, type Line } from '../testing/pdf.ts'
import { plainWorkbook } from '../testing/workbook.ts'
import { LENGTH_BUDGET, TOKEN_BUDGET } from './content.ts'

/** A file of each format that holds text: its words are those of the paragraphs and no others. */
const WRITERS: Record<string, (paragraphs: readonly string[]) => string | Buffer> = {
  txt: (paragraphs) => paragraphs.join('\n\n'),
  md: (paragraphs) => paragraphs.join('\n\n'),
  html: (paragraphs) => `<!doctype html>${paragraphs.map((text) => `<p>${text}</p>`).join('')}`,
  csv: (paragraphs) => paragraphs.join('\n'),
  tsv: (paragraphs) => paragraphs.join('\n'),
  xml: (paragraphs) => `<?xml version="1.0"?><r>${paragraphs.map((text) => `<p>${text}</p>`).join('')}</r>`,
  hml: (paragraphs) =>
    `<?xml version="1.0"?><HWPML>${paragraphs.map((text) => `<P><TEXT><CHAR>${text}</CHAR></TEXT></P>`).join('')}</HWPML>`,
  eml: (paragraphs) => `MIME-Version: 1.0\n\n${paragraphs.join('\n\n')}`,
  json: (paragraphs) => JSON.stringify(paragraphs),
  pdf: (paragraphs) => plainPdf(pagesOf(paragraphs)),
  docx: plainDocx,
  svg: (paragraphs) => `<svg>${paragraphs.map((text) => `<text>${text}</text>`).join('')}</svg>`,
  doc: plainDoc,
  odt: plainOdt,
  odp: plainOdp,
  pptx: (paragraphs) => plainPptx([shape(paragraphs)]),
  xlsx: (paragraphs) => plainWorkbook('xlsx', paragraphs),
  xls: (paragraphs) => plainWorkbook('biff8', paragraphs),
  ods: (paragraphs) => plainWorkbook('ods', paragraphs),
  rtf: (paragraphs) => `{\\rtf1 ${paragraphs.join('\\par\n')}}`,
  epub: (paragraphs) => plainEpub(paragraphs),
}

const LINES = 50

const pagesOf = (lines: readonly string[]): Line[][] =>
  Array.from({ length: Math.ceil(lines.length / LINES) }, (_, page) =>
    lines.slice(page * LINES, (page + 1) * LINES).map((text, index): Line => [800 - 14 * index, text]),
  )

async function read(name: string, paragraphs: readonly string[]): Promise<Extraction> {
  const row = formatRow(name)
  const { extract } = await row.load()
  const bytes = new Uint8Array(Buffer.from(WRITERS[name]!(paragraphs)))
  return extract({ bytes, filename: `long.${name}`, format: asFormat(row) })
}

test('every format that may hold text is tried here', () => {
  const documents = FORMATS.filter(({ mediaType }) => mediaType === 'document').map(({ name }) => name)
  expect(Object.keys(WRITERS).sort()).toEqual([...documents, 'svg'].sort())
})

const PARAGRAPH = 'The bird sat on the old stone wall and did not sing on that day'
const TOKENS = countTokens(PARAGRAPH)
const exactly = Array.from({ length: TOKEN_BUDGET / TOKENS }, () => PARAGRAPH)

const CUT = expect.stringMatching(/only its beginning was taken in, its first [\d,]+ words\b/)

describe.each(Object.keys(WRITERS))('a document as %s', (name) => {
  test('of 75 000 tokens is read whole, of one more up to there', async () => {
    const whole = await read(name, exactly)
    expect(whole.truncated).toBe(false)
    expect(whole.warnings).not.toContainEqual(CUT)
    expect(countTokens(whole.text)).toBe(TOKEN_BUDGET)

    const longer = await read(name, [...exactly, 'word'])
    expect(longer.truncated).toBe(true)
    expect(longer.warnings).toContainEqual(CUT)
    expect(longer.text).toBe(whole.text)
  })
})

describe('the budget', () => {
  test('ends at a whole word', async () => {
    const { text, truncated } = await read('txt', [`x ${'unbelievability '.repeat(TOKEN_BUDGET)}`])
    expect(truncated).toBe(true)
    expect(text).toMatch(/ unbelievability$/)
    expect(countTokens(text)).toBeLessThanOrEqual(TOKEN_BUDGET)
  })

  test('takes a syllable of Hangul for one token', async () => {
    const { text, truncated } = await read('txt', ['한글 문장 '.repeat(30_000)])
    expect(truncated).toBe(true)
    expect(text.replace(/\s/g, '').length).toBe(TOKEN_BUDGET)
  })

  test.each(['txt', 'md'])('ends in a blob as %s too, which has hardly any tokens', async (name) => {
    const { text, truncated } = await read(name, ['x'.repeat(2_000_000), 'never read'])
    expect(truncated).toBe(true)
    expect(text).toBe('x'.repeat(LENGTH_BUDGET))
  })
})
