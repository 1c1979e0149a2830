import { expect, test } from 'vitest'
import { bodyChunks } from '../chunk.ts'
import analyse from './analyse.ts'
import { LABELLED } from './testing/labelled.ts'

const LENGTH = 300_000
const filled = (piece: string): string => piece.repeat(Math.ceil(LENGTH / piece.length)).slice(0, LENGTH)

const HOSTILE = [
  ' ',
  '\n',
  '.',
  'Dr. ',
  'A. ',
  ' . ',
  ".'",
  'a-',
  'a,',
  'x',
  'John Smith ',
  '([',
  'the a. B c! ',
].concat([
  'one word ',
  'Word\n',
  `${'a'.repeat(70)}\n`,
  "'s ",
  '1 ',
  'e\u0301',
  '😀',
  '가나다 ',
  ' | ',
  "a's ",
  'will ',
])

test.each(HOSTILE)('%j, repeated for 300 000 characters, is analysed and cut in time', (piece) => {
  const text = filled(piece)
  const begun = process.cpuUsage()
  analyse({ text, language: 'en', titles: [piece] })
  bodyChunks({ text, sections: [] })
  const { user, system } = process.cpuUsage(begun)
  // Below 0.7 s at most on a busy machine; quadratic time would take minutes.
  expect((user + system) / 1e6).toBeLessThan(10)
})

test('a text of 1 MB costs about what its beginning does', () => {
  const text = Array.from({ length: 4_000 }, (_, i) => `${LABELLED[i % 12]!.text} Part ${i} ends here.\n\n`)
    .join('')
    .slice(0, 1_000_000)
  analyse({ text: text.slice(0, 20_000), language: 'en', titles: [] })
  const begun = process.cpuUsage()
  const found = analyse({ text, language: 'en', titles: [] })
  const { user, system } = process.cpuUsage(begun)
  expect((user + system) / 1e6).toBeLessThan(5)
  expect(found.central).toHaveLength(16)
  expect(analyse({ text, language: 'en', titles: [] })).toEqual(found)
})

test('text without a full stop has phrases too', () => {
  const { phrases } = analyse({
    text: 'the old harbour and its fishing boats '.repeat(3_000),
    language: 'en',
    titles: [],
  })
  expect(phrases.map(({ text }) => text)).toContain('old harbour')
})
