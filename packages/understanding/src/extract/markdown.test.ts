import { expect, test } from 'vitest'
import { formatRow } from '../formats.ts'
import { extract } from './markdown.ts'

const read = (text: string) =>
  extract({ bytes: Buffer.from(text), filename: 'a.md', format: formatRow('md') })
const textOf = async (text: string): Promise<string> => (await read(text)).text

test('front matter is a mapping of names at the top, and nothing else is', async () => {
  expect(await read('---\ntitle: The title\nauthor: Ann\n---\n\nBody.')).toMatchObject({
    title: 'The title',
    author: 'Ann',
    text: 'Body.',
  })
  for (const between of [
    'A rule stands above this line.',
    'Note to all: this has a colon.\nSo has that: here.',
    '- one\n- two',
  ])
    expect(await textOf(`---\n\n${between}\n\n---\n\nAfter.`)).toMatch(/\S[^]*\n\nAfter\.$/)
  expect(await textOf('---\nNote to all crews: it is broken.\n---\n\nAfter.')).toContain('it is broken')
})

test('front matter that is no YAML is left out with a warning', async () => {
  const { text, warnings } = await read('---\ntitle: [ broken\n---\n\nBody.')
  expect([text, warnings]).toEqual(['Body.', ['The front matter is not valid YAML and was left out.']])
})

test('a break is a line’s end, however it is written', async () => {
  expect(await textOf('One<br>two<br />three  \nfour')).toBe('One\ntwo\nthree\nfour')
})

test('entities are the characters that they stand for', async () => {
  expect(
    await textOf('Caf&eacute; &mdash; 5&nbsp;&euro; &#x41;&#66; &copy;, a < b &amp;&amp; c &unknown;'),
  ).toBe('Café — 5 € AB ©, a < b && c &unknown;')
})
