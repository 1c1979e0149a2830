import { expect, test } from 'vitest'
import { timed, timesOf } from './said.ts'

const TEXT = 'No. No. The ferry leaves. No.\n\nBring a coat.'
const SEGMENTS = [
  { start: 0.4, text: 'No.' },
  { start: 2, text: 'No.' },
  { start: 12, text: 'The ferry leaves.' },
  { start: 31, text: 'No.' },
  { start: 3_700, text: 'Bring a coat.' },
]

test('what is said has a time about every half minute', () => {
  expect(timesOf(TEXT, SEGMENTS)).toEqual([
    { text_offset: 0, at: '0:00' },
    { text_offset: 26, at: '0:31' },
    { text_offset: 31, at: '1:01:40' },
  ])
  expect(timesOf('A text.', [])).toEqual([])
  expect(timesOf('Another.', SEGMENTS)).toEqual([])
})

test('a piece of it shows them, each on a line of its own', () => {
  const times = timesOf(TEXT, SEGMENTS)
  expect(timed(TEXT, 0, times)).toBe('[0:00] No. No. The ferry leaves.\n[0:31] No.\n[1:01:40] Bring a coat.')
  expect(timed(TEXT.slice(12), 12, times.slice(1))).toBe('ferry leaves.\n[0:31] No.\n[1:01:40] Bring a coat.')
  expect(timed(' As it is. ', 0, [])).toBe(' As it is. ')
})
