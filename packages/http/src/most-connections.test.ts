import { expect, test } from 'vitest'
import { mostConnections } from './most-connections.ts'

const limits = (files: string): string =>
  `Limit                     Soft Limit           Hard Limit           Units     \nMax processes             99                   99                   processes \nMax open files            ${files.padEnd(20)} 524288               files     \n`

test.each([
  ['1024', 448],
  ['256', 64],
  ['64', 16],
  ['unlimited', Infinity],
])('of %s open files', (files, most) => {
  expect(mostConnections(limits(files))).toBe(most)
})

test('is not bounded where the system says no limit', () => {
  expect(mostConnections(null)).toBe(Infinity)
  expect(mostConnections()).toBeGreaterThan(0)
})
