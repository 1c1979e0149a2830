import { expect, test } from 'vitest'
import { inSentences } from './sentences.ts'

const said = (start: number, end: number, text: string, confidence = 0.8) => ({
  start,
  end,
  text,
  confidence,
})

test('joins what a sentence was cut into', () => {
  const joined = inSentences([
    said(0, 4, 'The ferry leaves', 0.9),
    said(4, 6, 'at nine.', 0.5),
    said(6, 9, 'Bring a coat!'),
  ])
  expect(joined).toEqual([
    said(0, 6, 'The ferry leaves at nine.', expect.closeTo((0.9 * 16 + 0.5 * 8) / 24, 3) as number),
    said(6, 9, 'Bring a coat!'),
  ])
})

test.each([
  ['longer than half a minute', said(0, 20, 'and so on'), said(20, 31, 'and on')],
  ['parted by a pause', said(0, 3, 'Well'), said(6, 9, 'no')],
  ['in Chinese', said(0, 3, '渡轮九点开。'), said(3, 5, '穿外套')],
])('leaves apart what is %s', (_, one, other) => {
  expect(inSentences([one, other])).toEqual([one, other])
})

test('of nothing makes nothing', () => {
  expect(inSentences([])).toEqual([])
})
