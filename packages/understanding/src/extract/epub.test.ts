import { expect, test } from 'vitest'
import { asFormat, formatRow } from '../formats.ts'
import { plainEpub } from '../testing/epub.ts'
import { extract } from './epub.ts'

const read = (chapter: string, parts: Record<string, string> = {}): ReturnType<typeof extract> =>
  extract({
    bytes: new Uint8Array(plainEpub([], { 'c.xhtml': chapter, ...parts })),
    filename: 'a.epub',
    format: asFormat(formatRow('epub')),
  })

test('a page that is drawn gives its words', async () => {
  const page =
    '<?xml version="1.0"?>\n<!-- a comic -->\n<svg xmlns="http://www.w3.org/2000/svg"><text>Under the wind</text><path d="M0 0"/></svg>'
  expect(await read(page)).toMatchObject({ text: 'Under the wind', figureCount: 1, warnings: [] })
})

test('a drawn page that is damaged is named, a chapter with a drawing gives both', async () => {
  expect(await read('<svg><text>Under')).toMatchObject({
    warnings: ['The page c.xhtml could not be read. The XML is not well-formed (line 1).'],
  })
  const chapter = '<html><body><p>Words</p><svg><text>drawn</text></svg></body></html>'
  expect(await read(chapter)).toMatchObject({ text: 'Words\n\ndrawn', figureCount: 1 })
})

test('a page that is a picture is counted', async () => {
  const manifest =
    '<item id="c" href="c.xhtml"/><item id="p" href="p.jpg" media-type="image/jpeg"/><item id="s" href="s.svg" media-type="image/svg+xml"/>'
  const spine = '<itemref idref="p"/><itemref idref="c"/><itemref idref="s"/>'
  const book = await read('<p>Words</p>', {
    'a.opf': `<package><manifest>${manifest}</manifest><spine>${spine}</spine></package>`,
    'p.jpg': '\xff\xd8 JFIF <p>no words</p>',
    's.svg': '<svg><text>drawn</text></svg>',
  })
  expect(book).toMatchObject({ text: 'Words\n\ndrawn', figureCount: 2 })
})
