import type { Extraction } from '@medialog/application/ports/understanding'
import { describe, expect, test } from 'vitest'
import { asFormat, formatRow } from '../formats.ts'
import { openDocument } from '../testing/opendocument.ts'
import { plainPptx, shape } from '../testing/pptx.ts'

async function read(name: string, bytes: Buffer): Promise<Extraction> {
  const row = formatRow(name)
  const { extract } = await row.load()
  return extract({ bytes: new Uint8Array(bytes), filename: `a.${name}`, format: asFormat(row) })
}

describe('PPTX', () => {
  test('slides in the order of the presentation, titles by placeholder, what stands on every slide left out', async () => {
    const deck = plainPptx([
      shape(['shown second']) + shape(['a footer'], 'ftr'),
      shape(['body first']) + shape(['The', 'title'], 'title') + '<p:pic/>',
    ])
    const { text, sections, figureCount, facts } = await read('pptx', deck)
    expect(text).toBe('The title\n\nbody first\n\nshown second')
    expect(sections.map(({ title, contentType }) => [title, contentType])).toEqual([
      ['The title', 'slide'],
      ['shown second', 'slide'],
    ])
    expect({ figureCount, facts }).toMatchObject({ figureCount: 1, facts: { pageCount: 2 } })
  })

  test('charts, diagrams and alternative texts of a slide are read', async () => {
    const chart = '<c:chartSpace><c:title><a:p><a:r><a:t>Crossings</a:t></a:r></a:p></c:title></c:chartSpace>'
    const deck = plainPptx(
      [shape(['Tides'], 'title') + '<p:pic><p:cNvPr descr="A quay at low water"/></p:pic>'],
      {
        'ppt/slides/_rels/slide1.xml.rels': `<Relationships><Relationship Id="a" Type="urn:x/chart" Target="../charts/chart1.xml"/><Relationship Id="b" Type="urn:x/diagramData" Target="../diagrams/data1.xml"/></Relationships>`,
        'ppt/charts/chart1.xml': chart,
        'ppt/diagrams/data1.xml':
          '<dgm:dataModel><a:p><a:r><a:t>Show the ticket</a:t></a:r></a:p></dgm:dataModel>',
      },
    )
    const { text, figureCount } = await read('pptx', deck)
    expect(text).toBe('Tides\n\nA quay at low water\n\nCrossings\n\nShow the ticket')
    expect(figureCount).toBe(3)
  })

  test('a slide of pictures has a number for its title', async () => {
    expect((await read('pptx', plainPptx(['<p:pic/>']))).text).toBe('Slide 1')
  })
})

test('ODP: a slide without text is counted, notes never become titles', async () => {
  const notes = '<presentation:notes><text:p>say it</text:p></presentation:notes>'
  const picture = '<draw:frame><draw:image/></draw:frame>'
  const deck = openDocument(
    'presentation',
    `<draw:page>${picture}${notes}</draw:page><draw:page><text:p>Two</text:p></draw:page>`,
  )
  const { text, facts, figureCount } = await read('odp', deck)
  expect(text).toBe('Slide 1\n\nNotes: say it\n\nTwo')
  expect({ facts, figureCount }).toMatchObject({ facts: { pageCount: 2 }, figureCount: 1 })
})

test('ODT: deleted text and comments left out, spaces and notes kept, cells that are repeated', async () => {
  const document = openDocument(
    'text',
    '<text:tracked-changes><text:p>deleted</text:p></text:tracked-changes>' +
      '<text:p>a<text:s/>b<text:tab/>c<text:annotation><text:p>no</text:p></text:annotation></text:p>' +
      '<table:table><table:table-row><table:table-cell table:number-columns-repeated="3"><text:p>x</text:p>' +
      '</table:table-cell></table:table-row></table:table>',
  )
  const { text, tables } = await read('odt', document)
  expect(text).toBe('a b c\n\nx | x | x')
  expect(tables).toMatchObject([{ rows: 1, columns: 3 }])
})
