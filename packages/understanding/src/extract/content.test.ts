import fc from 'fast-check'
import { expect, test } from 'vitest'
import { asFormat, formatRow } from '../formats.ts'
import { Content } from './content.ts'

const txt = asFormat(formatRow('txt'))
const block = fc.record({
  kind: fc.constantFrom('heading', 'paragraph', 'table'),
  text: fc.string({ unit: 'binary', maxLength: 40 }),
})

test('whatever goes in, sections and tables start inside the text, in order, at their words', () => {
  fc.assert(
    fc.property(fc.array(block), (blocks) => {
      const content = new Content()
      for (const { kind, text } of blocks) {
        if (kind === 'heading') content.heading(text, 1)
        else if (kind === 'table') content.table([[text, text]])
        else content.paragraph(text)
      }
      const { text, sections, tables } = content.document(txt, {})
      expect(text.isWellFormed()).toBe(true)
      expect(text).toBe(text.trim())
      for (const { title, start } of sections) expect(text.slice(start, start + title.length)).toBe(title)
      for (const { start } of tables) expect(start).toBeLessThanOrEqual(text.length + 2)
      expect(sections.map(({ start }) => start)).toEqual(
        sections.map(({ start }) => start).sort((a, b) => a - b),
      )
    }),
  )
})

test('JSON Lines under the name of JSON are read, and a cut line is damage', async () => {
  const { extract } = await formatRow('json').load()
  const read = (text: string) =>
    extract({ bytes: Buffer.from(text), filename: 'a.json', format: asFormat(formatRow('json')) })
  const lines = '{"name":"Dunn","berth":4}\n{"name":"Abel","berth":7}\n'
  expect(await read(lines)).toMatchObject({
    title: null,
    text: 'name: Dunn\nberth: 4\n\nname: Abel\nberth: 7',
  })
  await expect(read(lines.slice(0, -4))).rejects.toThrow('The file is not valid JSON.')
})
