import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { clean, padEnd, truncate, truncateMiddle, widthOf, wrap } from './text.ts'

describe('text of a server on its way to a terminal', () => {
  test.each([
    ['\u001b[31mred\u001b[0m', 'red'],
    ['\u001b]0;a new title\u0007text', 'text'],
    ['\u001b]8;;http://evil\u001b\\link', 'link'],
    ['one\r\ntwo\tthree', 'one two three'],
    ['bell\u0007 and \u009b31m', 'bell and 31m'],
    ['txt.\u202egnp', 'txt.gnp'],
    [undefined, ''],
    [null, ''],
    [42, '42'],
    [{ a: 1 }, '{"a":1}'],
  ])('%j becomes %j', (text, cleaned) => {
    expect(clean(text)).toBe(cleaned)
  })

  test('never holds a control character', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(clean(text)).not.toMatch(/\p{Cc}/u)
      }),
    )
  })
})

describe('widths', () => {
  const anything = fc.string({ unit: fc.constantFrom('a', 'é', '한', '漢', '👩‍👩‍👧', ' ', '-') })

  test('Hangul takes two columns', () => {
    expect(widthOf('한국어')).toBe(6)
    expect(truncate('한국어 문서', 7)).toBe('한국어…')
    expect(padEnd('한', 4)).toBe('한  ')
  })

  test('what was cut fits, from the end and from the middle', () => {
    fc.assert(
      fc.property(anything, fc.integer({ min: 1, max: 30 }), (text, width) => {
        expect(widthOf(truncate(text, width))).toBeLessThanOrEqual(width)
        expect(widthOf(truncateMiddle(text, width))).toBeLessThanOrEqual(width)
      }),
    )
  })

  test('the end of a name survives a cut in the middle', () => {
    expect(truncateMiddle('a-very-long-name-of-a-file.pdf', 15)).toMatch(/^a-ve….*\.pdf$/)
  })

  test('wrapped lines fit and lose nothing but spaces', () => {
    fc.assert(
      fc.property(anything, fc.integer({ min: 2, max: 30 }), (text, width) => {
        const lines = wrap(text, width)
        for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(width)
        expect(lines.join('').replaceAll(' ', '')).toBe(text.replaceAll(' ', ''))
      }),
    )
  })
})
