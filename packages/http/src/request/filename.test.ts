import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cleanFilename } from './filename.ts'

describe('cleanFilename', () => {
  it('leaves no path, no control character, no broken text and at most 255 bytes', () => {
    const part = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 60 }),
      fc.constantFrom('/', '\\', '..', '\0'),
    )
    const anyName = fc.array(part, { maxLength: 10 }).map((parts) => parts.join(''))
    fc.assert(
      fc.property(anyName, (sent) => {
        const name = cleanFilename(sent)
        expect(name).not.toMatch(/[/\\\p{Cc}]/u)
        expect(name.isWellFormed()).toBe(true)
        expect(Buffer.byteLength(name)).toBeLessThanOrEqual(255)
        expect(['.', '..']).not.toContain(name)
        expect(cleanFilename(name)).toBe(name)
      }),
    )
  })

  it.each([
    ['../../etc/passwd', 'passwd'],
    ['C:\\reports\\May.pdf', 'May.pdf'],
    ['folder/', ''],
    ['two\nlines.txt', 'twolines.txt'],
  ])('%j is kept as %j', (sent, kept) => {
    expect(cleanFilename(sent)).toBe(kept)
  })

  it('keeps the extension of a long name, and cuts no character in two', () => {
    expect(cleanFilename(`${'a'.repeat(300)}.pdf`)).toBe(`${'a'.repeat(251)}.pdf`)
    expect(cleanFilename('😀'.repeat(100))).toBe('😀'.repeat(63))
  })
})
