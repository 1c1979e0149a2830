import fc from 'fast-check'
import { expect, test } from 'vitest'
import { candidatesOf } from './candidates.ts'

const of = (...texts: string[]) =>
  candidatesOf(
    texts.map((text) => ({ text })),
    [...texts.keys()],
  )

test('sentences know their passage and the sentence before them', () => {
  expect(of('One is here. Two is here.', 'Three is here.')).toEqual([
    { text: 'One is here.', before: '', passage: 0 },
    { text: 'Two is here.', before: 'One is here.', passage: 0 },
    { text: 'Three is here.', before: '', passage: 1 },
  ])
})

test('what overlapping passages share is there once, with what stands before it', () => {
  expect(of('One is here. Two is here.', 'Two is here. Three is here.')).toEqual([
    { text: 'One is here.', before: '', passage: 0 },
    { text: 'Two is here.', before: 'One is here.', passage: 1 },
    { text: 'Three is here.', before: 'Two is here.', passage: 1 },
  ])
})

test('a wrapped line goes on, also before a capital; a row of a table does not', () => {
  const wrapped =
    'From the first days on it rose and sank in light winds; the workers called it Galloping\nGertie, and came.'
  expect(of(wrapped).map(({ text }) => text)).toEqual([wrapped.replace('\n', ' ')])
  const row = `| ${'Revenue of the first quarter, in thousands '.repeat(2)} |`
  expect(of(`${row}\n${row.replace('first', 'second')}`)).toHaveLength(2)
})

test('whatever the text, no candidate is long, blank, or holds a control character', () => {
  const text = fc.string({
    unit: fc.oneof(
      fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
      fc.constantFrom('a', ' ', '\n', '\r', '\u2028', '\u0000', '.'),
    ),
    maxLength: 2_000,
  })
  fc.assert(
    fc.property(text, (passage) => {
      for (const { text } of of(passage)) {
        expect(text.length).toBeLessThanOrEqual(400)
        expect(text).toMatch(/[\p{L}\p{N}]/u)
        expect(text).not.toMatch(/[\p{Cc}\u2028\u2029]/u)
      }
    }),
    { numRuns: 300 },
  )
})

test('a word without end is cut, and takes no time', () => {
  // Searched for a space from each piece back to its beginning, it took ten seconds.
  const candidates = of('x'.repeat(4_000_000))
  expect(candidates.length).toBeGreaterThan(0)
  expect(Math.max(...candidates.map(({ text }) => text.length))).toBe(400)
})
