import { expect, test } from 'vitest'
import { sectionsOf } from './sections.ts'

test('splits a text at its titles', () => {
  const text = 'Preface\n\nOne\n\nFirst text, with One in it.\n\nTwo\n\nSecond.'
  const titles = [
    { title: 'One', level: 1 },
    { title: 'Two', level: 2 },
  ]
  expect(sectionsOf(text, titles)).toEqual([
    { title: null, level: 1, text: 'Preface' },
    { title: 'One', level: 1, text: 'First text, with One in it.' },
    { title: 'Two', level: 2, text: 'Second.' },
  ])
})

test('finds a title only at the beginning of a line, and never before the last one', () => {
  const text = 'B\n\nsays A\n\nA\n\nB\n\nend'
  const titles = [
    { title: 'A', level: 1 },
    { title: 'B', level: 1 },
  ]
  expect(sectionsOf(text, titles).map(({ title, text: its }) => [title, its])).toEqual([
    [null, 'B\n\nsays A'],
    ['A', ''],
    ['B', 'end'],
  ])
})

test('shows the whole title where the list has it cut, and leaves out what is not there', () => {
  const titles = [
    { title: 'A long', level: 1 },
    { title: 'Absent', level: 1 },
    { title: '', level: 1 },
  ]
  expect(sectionsOf('A long title\ntext', titles)).toEqual([
    { title: 'A long title', level: 1, text: 'text' },
  ])
  expect(sectionsOf('', titles)).toEqual([])
})
