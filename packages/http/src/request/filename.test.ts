import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cleanFilename } from './filename.ts'

describe('cleanFilename', () => {
  it('leaves no path, no control character, no broken text and at most 255 bytes', () => {
    const anyName = fc.string({ unit: 'binary', maxLength: 600 })
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

  it('keeps the extension of a long name, and cuts no character in two', () => {
    expect(cleanFilename(`${'a'.repeat(300)}.pdf`)).toBe(`${'a'.repeat(251)}.pdf`)
    expect(cleanFilename('😀'.repeat(100))).toBe('😀'.repeat(63))
  })
})
