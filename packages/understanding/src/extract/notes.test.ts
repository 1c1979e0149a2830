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

test('ODT: what is hidden is not read', async () => {
  const style = (name: string, display: string): string =>
    `<style:style style:name="${name}"><style:text-properties text:display="${display}"/></style:style>`
  const document = openDocument(
    'text',
    `${style('T1', 'none')}${style('T2', 'true')}` +
      '<text:p>seen <text:span text:style-name="T1">no <text:span>no</text:span></text:span><text:span text:style-name="T2">too</text:span></text:p>' +
      '<text:p text:style-name="T1">no<draw:frame><draw:text-box><text:p>no</text:p></draw:text-box></draw:frame></text:p>' +
      '<text:section text:display="none"><text:p>no</text:p></text:section><text:section text:display="true"><text:p>last</text:p></text:section>',
  )
  expect((await read('odt', document)).text).toBe('seen too\n\nlast')
})

const CHART =
  '<office:document-content><office:body><office:chart><chart:chart><chart:title><text:p>Crossings by tide</text:p></chart:title>' +
  '<table:table table:name="local-table"><table:table-row><table:table-cell><text:p>Skerries</text:p></table:table-cell>' +
  '<table:table-cell><text:p>4</text:p></table:table-cell><table:table-cell table:number-columns-repeated="99"/></table:table-row>' +
  '<table:table-row table:number-rows-repeated="9"><table:table-cell table:number-columns-repeated="101"/></table:table-row></table:table></chart:chart></office:chart></office:body></office:document-content>'

test('ODT: alternative texts are said behind their paragraph, charts at the end', async () => {
  const picture = (title: string, description: string): string =>
    `<draw:frame><draw:image/><svg:title>${title}</svg:title><svg:desc>${description}</svg:desc></draw:frame>`
  const document = openDocument(
    'text',
    `<text:p>before <text:title>noon</text:title> ${picture('A boat', 'It lies &amp; dries')}after</text:p>${picture('', 'A coil of rope')}`,
    { 'Object 1/content.xml': CHART, 'Object 2/content.xml': '<office:document-content>' },
  )
  const { text, figureCount, tables, warnings } = await read('odt', document)
  expect(warnings).toEqual([expect.stringMatching('The attachment Object 2 could not be read.')])
  expect(text).toBe(
    'before noon after\n\nA boat\n\nIt lies & dries\n\nA coil of rope\n\nCrossings by tide\n\nSkerries | 4',
  )
  expect([figureCount, tables.length]).toEqual([2, 1])
})

test('ODP: an alternative text is not the title of its slide', async () => {
  const picture = '<draw:frame><svg:title>A boat</svg:title><draw:image/></draw:frame>'
  const slide = `<draw:page>${picture}<draw:frame><draw:text-box><text:p>Boats</text:p></draw:text-box></draw:frame></draw:page>`
  const { text, sections } = await read(
    'odp',
    openDocument('presentation', slide + slide.replace('Boats', '')),
  )
  expect(sections.map(({ title }) => title)).toEqual(['Boats', 'Slide 2'])
  expect(text).toBe('Boats\n\nA boat\n\nSlide 2\n\nA boat')
})

test('ODT: a row of very many empty cells is read as far as a text goes', async () => {
  const cell = (text: string): string => `<table:table-cell><text:p>${text}</text:p></table:table-cell>`
  const empty = '<table:table-cell table:number-columns-repeated="100"/>'.repeat(3_000)
  const row = `<table:table-row>${cell('first')}${empty}${cell('last')}</table:table-row>`
  const { tables, text, truncated } = await read(
    'odt',
    openDocument('text', `<table:table>${row}</table:table>`),
  )
  expect(tables).toMatchObject([{ rows: 1, columns: 300_002 }])
  expect([text.slice(0, 9), truncated]).toEqual(['first | |', true])
})

test('ODS: a chart is said behind the cells', async () => {
  const row =
    '<table:table-row><table:table-cell office:value-type="string"><text:p>a</text:p></table:table-cell></table:table-row>'
  const book = openDocument('spreadsheet', `<table:table table:name="S">${row}</table:table>`, {
    'META-INF/manifest.xml': '<manifest/>',
    'styles.xml': '<x/>',
    'Object 1/content.xml': CHART,
  })
  const { text, figureCount } = await read('ods', book)
  expect(text).toBe('S\n\na\n\nCrossings by tide\n\nSkerries | 4')
  expect(figureCount).toBe(1)
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
