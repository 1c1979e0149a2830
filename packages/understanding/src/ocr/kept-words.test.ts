import { expect, test } from 'vitest'
import type { Word } from './engine.ts'
import { keptText } from './kept-words.ts'

/** `word·confidence`, lines parted by `/`, paragraphs by `//`. */
const words = (text: string): Word[] =>
  text.split('//').flatMap((inParagraph, paragraph) =>
    inParagraph.split('/').flatMap((inLine, line) =>
      inLine
        .trim()
        .split(' ')
        .map((word) => {
          const [text = '', confidence] = word.split('·')
          return { block: 1, paragraph, line, text, confidence: Number(confidence) }
        }),
    ),
  )

test('lines and paragraphs, without words below 60', () => {
  expect(keptText(words('Permit·96 2291·60 fcr·59 / keeper·90 // Ingrid·80'))).toEqual({
    paragraphs: ['Permit 2291\nkeeper', 'Ingrid'],
    words: 4,
    dropped: 1,
    letters: 22,
    confidence: expect.closeTo((6 * 96 + 4 * 60 + 6 * 90 + 6 * 80) / 100, 6),
  })
})

test('a word parted at the end of a line is one, a hyphen before a capital stays', () => {
  expect(keptText(words('light-·90 / house·90 / Alsace-·90 / Lorraine·90')).paragraphs).toEqual([
    'lighthouse\nAlsace-\nLorraine',
  ])
})

test('rules and specks are no words', () => {
  expect(keptText(words('|·95 / Total·95 |·95 98.50·95 / ~~·95'))).toMatchObject({
    paragraphs: ['Total 98.50'],
    words: 2,
    dropped: 0,
  })
})

test.each([
  ['nothing', ''],
  ['mostly uncertain', 'Total·90 ksjdfh·10 wlekjr·20 qpwoei·5'],
  ['no word of three letters', 'ab·95 8·90 x·90'],
])('%s: none', (_, text) => {
  expect(keptText(text === '' ? [] : words(text))).toMatchObject({ paragraphs: [], words: 0, dropped: 0 })
})
