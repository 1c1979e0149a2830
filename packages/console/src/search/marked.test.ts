import { expect, test } from 'vitest'
import { matchesIn } from './marked.tsx'

const marked = (text: string, ...terms: string[]): string[] =>
  matchesIn(text, terms).map(([start, end]) => text.slice(start, end))

test('marks a word in its other forms, in any case', () => {
  expect(marked('Reports and a REPORT, reporting', 'report')).toEqual(['Reports', 'REPORT', 'reporting'])
  expect(marked('The bridges of the ridge', 'bridge')).toEqual(['bridges'])
})

test('marks no other word that begins alike', () => {
  expect(marked('wind, window, winter, windowless', 'wind')).toEqual(['wind', 'window'])
  expect(marked('a cat in the category', 'cat')).toEqual(['cat'])
})

test('marks inside of a word where a script has no spaces', () => {
  expect(marked('항공역학의 기초', '항공역학')).toEqual(['항공역학'])
})

test('marks nothing without terms', () => {
  expect(marked('text')).toEqual([])
})
