import { expect, test } from 'vitest'
import { counted } from './counted.ts'

test.each([
  [0, '0 items'],
  [1, '1 item'],
  [2_000, '2,000 items'],
])('%i is %s', (number, text) => {
  expect(counted(number, 'item')).toBe(text)
})

test('a plural of its own', () => {
  expect([counted(1, 'batch', 'batches'), counted(2, 'batch', 'batches')]).toEqual(['1 batch', '2 batches'])
})
