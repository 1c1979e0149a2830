import { expect, test } from 'vitest'
import { explain } from './explain.ts'

test.each([
  [new Error('the disk is full'), 'the disk is full'],
  [new Error('', { cause: new TypeError('no such column') }), 'no such column'],
  [new RangeError(''), 'RangeError, without a message'],
  ['refused', 'something that is no error was thrown: refused'],
  [undefined, 'something that is no error was thrown: undefined'],
])('%s is explained', (error, text) => {
  expect(explain(error)).toBe(text)
})
