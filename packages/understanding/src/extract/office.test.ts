import type { Extraction } from '@medialog/application/ports/understanding'
import { expect, test } from 'vitest'
import { asFormat, formatRow } from '../formats.ts'
import { docxOf, plainDocx } from '../testing/docx.ts'
import { extract } from './office.ts'

const read = (bytes: Buffer): Promise<Extraction> =>
  extract({ bytes: new Uint8Array(bytes), filename: 'a.docx', format: asFormat(formatRow('docx')) })

const run = (text: string): string => `<w:r><w:t xml:space="preserve">${text}</w:t></w:r>`
const paragraph = (text: string): string => `<w:p>${run(text)}</w:p>`
const table = (...rows: string[][]): string =>
  `<w:tbl>${rows.map((cells) => `<w:tr>${cells.map((cell) => `<w:tc>${cell}</w:tc>`).join('')}</w:tr>`).join('')}</w:tbl>`

test('what was deleted is left out, what was inserted is there', async () => {
  const body = `<w:p>${run('due in ')}<w:del w:id="1"><w:r><w:delText>ninety</w:delText></w:r></w:del><w:ins w:id="2">${run('thirty')}</w:ins>${run(' days')}</w:p>`
  expect((await read(docxOf(body))).text).toBe('due in thirty days')
})

test('words of a table within a cell stay apart', async () => {
  const inner = table([paragraph('zebra'), paragraph('okapi')], [paragraph('lynx'), paragraph('ibis')])
  const { text, tables } = await read(docxOf(table([paragraph('a'), inner + paragraph('end')])))
  expect(text).toBe('a | zebra okapi lynx ibis end')
  expect(tables).toMatchObject([{ rows: 1, columns: 2 }])
})

test('notes are said behind the paragraph or the table that they are to', async () => {
  const cited = `<w:p>${run('cited')}<w:r><w:footnoteReference w:id="2"/></w:r>${run(' twice')}<w:r><w:endnoteReference w:id="3"/></w:r></w:p>`
  const notes = (kind: string, id: number, text: string): string =>
    `<w:${kind}s xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:${kind} w:id="${id}">${paragraph(text)}</w:${kind}></w:${kind}s>`
  const file = docxOf(cited + paragraph('next') + table([cited]), {
    'word/footnotes.xml': notes('footnote', 2, 'at its foot'),
    'word/endnotes.xml': notes('endnote', 3, 'at the end'),
  })
  const said = ['cited twice', 'at its foot', 'at the end']
  expect((await read(file)).text).toBe([...said, 'next', ...said].join('\n\n'))
})

test('the language is that of the properties, else that of the styles', async () => {
  const styles = `<w:styles xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:docDefaults><w:rPrDefault><w:rPr><w:lang w:val="de-CH" w:eastAsia="ko-KR"/></w:rPr></w:rPrDefault></w:docDefaults><w:style><w:rPr><w:lang w:val="fr"/></w:rPr></w:style></w:styles>`
  const core = `<cp:coreProperties xmlns:cp="urn:c" xmlns:dc="urn:d"><dc:language>it</dc:language></cp:coreProperties>`
  const stated = async (parts: Record<string, string>): Promise<string | null> =>
    (await read(docxOf(paragraph('4711'), parts))).language
  expect(await stated({ 'word/styles.xml': styles })).toBe('de-CH')
  expect(await stated({ 'word/styles.xml': styles, 'docProps/core.xml': core })).toBe('it')
  expect((await read(plainDocx(['4711']))).language).toBeNull()
})
