import type { Extraction } from '@medialog/application/ports/understanding'
import { expect, test } from 'vitest'
import { asFormat, formatRow } from '../formats.ts'
import { docxOf, plainDocx } from '../testing/docx.ts'
import { extract } from './docx.ts'

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

const W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const relationships = (...of: [type: string, target: string][]): string =>
  `<Relationships>${of.map(([type, target], at) => `<Relationship Id="r${at}" Type="${OFFICE}/${type}" Target="${target}"/>`).join('')}</Relationships>`
const textOf = async (body: string, parts: Record<string, string | Buffer> = {}): Promise<string> =>
  (await read(docxOf(body, parts))).text

test('elements that stand for characters are those characters', async () => {
  const inside =
    '<w:t>In</w:t><w:noBreakHyphen/><w:t>Transit</w:t><w:tab/><w:t>a</w:t><w:ptab/><w:t>b</w:t><w:br/><w:t>Street</w:t><w:cr/><w:t>Donau</w:t><w:softHyphen/><w:t>dampf</w:t>'
  const symbols =
    '<w:sym w:font="Symbol" w:char="F06D"/><w:sym w:font="Arial" w:char="2192"/><w:sym w:font="Wingdings" w:char="F0FC"/>'
  expect(
    await textOf(
      `<w:p><w:pPr><w:tabs><w:tab w:pos="9"/></w:tabs></w:pPr><w:r>${inside}${symbols}</w:r></w:p>`,
    ),
  ).toBe('In-Transit a b\nStreet\nDonaudampfμ→')
})

test('hidden text is left out, whether its run or its style hides it', async () => {
  const styles = `<w:styles ${W}><w:style w:styleId="Secret"><w:name w:val="Secret"/><w:rPr><w:vanish/></w:rPr></w:style><w:style w:styleId="Child"><w:name w:val="Child"/><w:basedOn w:val="Secret"/></w:style></w:styles>`
  const hidden = (properties: string, text: string): string =>
    `<w:r><w:rPr>${properties}</w:rPr><w:t>${text}</w:t></w:r>`
  const body =
    `<w:p>${run('shown')}${hidden('<w:vanish/>', 'one')}${hidden('<w:rStyle w:val="Child"/>', 'two')}${hidden('<w:vanish w:val="0"/>', ' too')}</w:p>` +
    `<w:p><w:pPr><w:pStyle w:val="Secret"/></w:pPr>${run('three')}</w:p>` +
    `<w:p><w:pPr><w:rPr><w:vanish/></w:rPr></w:pPr>${run('its mark alone is hidden')}</w:p>`
  expect(await textOf(body, { 'word/styles.xml': styles })).toBe('shown too\n\nits mark alone is hidden')
})

test('headings are known by their outline level, the name of their style and the styles that it inherits from', async () => {
  const styles = `<w:styles ${W}><w:style w:styleId="berschrift2"><w:name w:val="heading 2"/></w:style><w:style w:styleId="Own"><w:name w:val="Own"/><w:basedOn w:val="berschrift2"/></w:style><w:style w:styleId="Titel"><w:name w:val="Title"/></w:style></w:styles>`
  const styled = (style: string, text: string, more = ''): string =>
    `<w:p><w:pPr><w:pStyle w:val="${style}"/>${more}</w:pPr>${run(text)}</w:p>`
  const file = docxOf(
    styled('Titel', 'Whole') +
      styled('berschrift2', 'Part') +
      styled('Own', 'Own') +
      styled('Own', 'Body', '<w:outlineLvl w:val="9"/>') +
      styled('None', 'Deep', '<w:outlineLvl w:val="3"/>'),
    { 'word/styles.xml': styles },
  )
  expect((await read(file)).sections.map(({ title, level }) => [title, level])).toEqual([
    ['Part', 2],
    ['Own', 2],
    ['Deep', 4],
  ])
})

test('the reading of a ruby is said once, behind its base', async () => {
  const ruby = `<w:r><w:ruby><w:rubyPr/><w:rt>${run('みなとまち')}</w:rt><w:rubyBase>${run('港町')}</w:rubyBase></w:ruby></w:r>`
  expect(await textOf(`<w:p>${run('船が')}${ruby}${run('に着いた。')}</w:p>`)).toBe(
    '船が港町(みなとまち)に着いた。',
  )
})

test('text boxes and alternative texts are said behind their paragraph, once', async () => {
  const box = `<mc:AlternateContent><mc:Choice><w:drawing><wp:docPr descr="A lighthouse at dusk"/><pic:pic/><wps:txbx><w:txbxContent>${paragraph('In the box')}${paragraph('and below')}</w:txbxContent></wps:txbx></w:drawing></mc:Choice><mc:Fallback><w:pict><w:txbxContent>${paragraph('In the box')}</w:txbxContent></w:pict></mc:Fallback></mc:AlternateContent>`
  const { text, figureCount } = await read(
    docxOf(`<w:p>${run('Before')}<w:r>${box}</w:r>${run(' and after')}</w:p>`),
  )
  expect(text).toBe('Before and after\n\nA lighthouse at dusk\n\nIn the box\n\nand below')
  expect(figureCount).toBe(1)
})

test('charts, diagrams and embedded documents are read', async () => {
  const file = docxOf(paragraph('Report'), {
    'word/_rels/document.xml.rels': relationships(
      ['chart', 'charts/chart1.xml'],
      ['diagramData', 'diagrams/data1.xml'],
      ['package', 'embeddings/inner.docx'],
    ),
    'word/charts/chart1.xml':
      '<c:chartSpace><c:title><a:p><a:r><a:t>Crossings </a:t></a:r><a:r><a:t>by tide</a:t></a:r></a:p></c:title><c:ser><c:tx><c:pt idx="0"><c:v>Foot</c:v></c:pt></c:tx><c:cat><c:pt idx="0"><c:v>Spring</c:v></c:pt><c:pt idx="1"><c:v>Neap</c:v></c:pt></c:cat><c:val><c:pt idx="0"><c:v>321</c:v></c:pt><c:pt idx="1"><c:v>123</c:v></c:pt></c:val></c:ser><c:ser><c:tx><c:pt idx="0"><c:v>Cars</c:v></c:pt></c:tx><c:val><c:pt idx="1"><c:v>7</c:v></c:pt></c:val></c:ser></c:chartSpace>',
    'word/diagrams/data1.xml':
      '<dgm:dataModel><a:p><a:r><a:t>Queue</a:t></a:r></a:p><a:p><a:r><a:t>Board</a:t></a:r></a:p></dgm:dataModel>',
    'word/embeddings/inner.docx': plainDocx(['Words inside']),
  })
  const { text, tables, figureCount } = await read(file)
  expect(text).toBe(
    'Report\n\nCrossings by tide\n\n| Foot | Cars\nSpring | 321 |\nNeap | 123 | 7\n\nQueue\n\nBoard\n\ninner.docx\n\nWords inside',
  )
  expect([tables.length, figureCount]).toEqual([1, 2])
})

test.each([
  ['word/document2.xml', '/word/document2.xml', OFFICE],
  ['main/text.xml', 'main/text.xml', 'http://purl.oclc.org/ooxml/officeDocument/relationships'],
])('the package says that %s is its main part', async (name, target, namespace) => {
  const main = `<w:document ${W}><w:body>${paragraph('Words of the main part')}</w:body></w:document>`
  const file = docxOf('', {
    '_rels/.rels': `<Relationships><Relationship Id="a" Type="${namespace}/officeDocument" Target="${target}"/></Relationships>`,
    [name]: main,
  })
  expect((await read(file)).text).toBe('Words of the main part')
})
