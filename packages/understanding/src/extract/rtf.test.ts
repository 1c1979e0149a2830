import type { Extraction } from '@medialog/application/ports/understanding'
import { expect, test } from 'vitest'
import { asFormat, formatRow } from '../formats.ts'
import { extract } from './rtf.ts'

const read = (body: string): Promise<Extraction> =>
  extract({
    bytes: Buffer.from(`{\\rtf1\\ansi{\\stylesheet{\\s1\\outlinelevel0 heading 1;}}${body}}`, 'latin1'),
    filename: 'a.rtf',
    format: asFormat(formatRow('rtf')),
  })

test('what was deleted or is hidden is left out', async () => {
  const { text } = await read(
    'due in {\\deleted ninety \\emdash}{\\revised thirty} days\\v no\\v0 , {\\v\\plain all} of it{\\deleted\\deleted0 .}\\par',
  )
  expect(text).toBe('due in thirty days, all of it.')
})

test('a note is said behind its paragraph, and changes nothing of it', async () => {
  const { text, sections } = await read(
    '\\pard\\s1 Heading{\\super\\chftn{\\footnote\\pard\\plain{\\super\\chftn} at its\\par foot}} goes on\\par' +
      '\\pard next{\\footnote\\ftnalt second}{\\footnote third}\\par last',
  )
  expect(text).toBe('Heading goes on\n\nat its\nfoot\n\nnext\n\nsecond\n\nthird\n\nlast')
  expect(sections.map(({ title }) => title)).toEqual(['Heading goes on'])
})

test('a note within a table is said behind the table, one with a table keeps it as words', async () => {
  const { text, tables } = await read(
    '\\trowd\\pard\\intbl a{\\footnote\\pard\\intbl x\\cell y\\cell\\row}\\cell b\\cell\\row\\pard end{\\footnote z}\\par',
  )
  expect(text).toBe('a | b\n\nx y\n\nend\n\nz')
  expect(tables).toMatchObject([{ rows: 1, columns: 2 }])
})

test('a note in what is not read is not read', async () => {
  expect((await read('{\\header head{\\footnote no}}body\\par')).text).toBe('body')
})

test('a group is passed over for `\\*` at its beginning alone', async () => {
  const { text } = await read('{\\f0\\i0\\*\\cs7 The quick {\n\\*\\unknown brown} fox}')
  expect(text).toBe('The quick fox')
})
