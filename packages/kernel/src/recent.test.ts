import { expect, test } from 'vitest'
import { Recent } from './recent.ts'

test('the one that was asked for least recently is forgotten, and all are on demand', () => {
  const kept = new Recent<string, number>(2)
  kept.set('a', 1)
  kept.set('b', 2)
  expect(kept.get('a')).toBe(1)
  kept.set('c', 3)
  expect(['a', 'b', 'c'].map((key) => kept.get(key))).toEqual([1, undefined, 3])
  kept.set('a', 4)
  expect([kept.get('a'), kept.get('c')]).toEqual([4, 3])
  kept.clear()
  expect([kept.get('a'), kept.get('c')]).toEqual([undefined, undefined])
})
