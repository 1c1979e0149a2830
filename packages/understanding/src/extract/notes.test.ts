import type { Extraction } from '@medialog/application/ports/understanding'
import { expect, test } from 'vitest'
import { asFormat, formatRow } from '../formats.ts'
import { openDocument } from '../testing/opendocument.ts'

async function read(name: string, bytes: Buffer): Promise<Extraction> {
  const row = formatRow(name)
  const { extract } = await row.load()
  return extract({ bytes: new Uint8Array(bytes), filename: `a.${name}`, format: asFormat(row) })
}

test('ODT: a note is said behind its paragraph, one within a table behind the table', async () => {
  const note = (text: string): string =>
    `<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>${text}</text:p></text:note-body></text:note>`
  const inner =
    '<table:table><table:table-row><table:table-cell><text:p>x</text:p></table:table-cell></table:table-row></table:table>'
  const document = openDocument(
    'text',
    `<text:h text:outline-level="1">One${note('foot')} and only</text:h><text:p>next</text:p>` +
      '<table:table><table:table-row><table:table-cell>' +
      `<text:p>a${note('of the cell')}b</text:p>${inner}</table:table-cell></table:table-row></table:table>`,
  )
  const { text, sections } = await read('odt', document)
  expect(text).toBe('One and only\n\nfoot\n\nnext\n\nab x\n\nof the cell')
  expect(sections.map(({ title }) => title)).toEqual(['One and only'])
})

test('HML: a note is said behind its paragraph, one within a table behind the table', async () => {
  const p = (inside: string, style = '0'): string => `<P Style="${style}"><TEXT>${inside}</TEXT></P>`
  const char = (text: string): string => `<CHAR>${text}</CHAR>`
  const note = (text: string): string => `<FOOTNOTE><PARALIST>${p(char(text))}</PARALIST></FOOTNOTE>`
  const cell = `<CELL><PARALIST>${p(char('값') + note('표의 각주'))}</PARALIST></CELL>`
  const body =
    p(char('첫 장') + note('각주') + char(' 계속'), '1') +
    p(`<TABLE><ROW>${cell}</ROW></TABLE>`) +
    p(char('끝'))
  const xml = `<HWPML><HEAD><STYLE Id="1" Name="개요 1"/></HEAD><BODY><SECTION>${body}</SECTION></BODY></HWPML>`
  const { text, sections } = await read('hml', Buffer.from(xml))
  expect(text).toBe('첫 장 계속\n\n각주\n\n값\n\n표의 각주\n\n끝')
  expect(sections.map(({ title }) => title)).toEqual(['첫 장 계속'])
})
