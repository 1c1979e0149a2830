import { expect, test } from 'vitest'
import { passageIn } from './passage.ts'

const TEXT =
  'Title\n\nPart one\n\nThe first paragraph\nis wrapped. (It is.)\n\nThe second.\n\nPart two\n\nThe end.'
const found = (passage: string): string | null => {
  const place = passageIn(TEXT, passage)
  return place && TEXT.slice(...place)
}

test('finds a passage below titles that it repeats', () => {
  expect(found('Title\n\nPart two\n\nThe end.')).toBe('Part two\n\nThe end.')
})

test('finds it whatever its words are wrapped like', () => {
  expect(found('The first paragraph is wrapped. (It is.)\n\nThe second.')).toBe(
    'The first paragraph\nis wrapped. (It is.)\n\nThe second.',
  )
})

test('finds nothing in a text without the passage', () => {
  expect(found('Elsewhere.')).toBeNull()
  expect(found('')).toBeNull()
})
