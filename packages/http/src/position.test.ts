import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createPositions } from './position.ts'

const positions = createPositions([new Uint8Array(32).fill(7)])

describe('positions', () => {
  it('come back for the account they were sealed for, and for no other', () => {
    fc.assert(
      fc.property(fc.uuid(), fc.uuid(), fc.maxSafeNat(), (account, other, position) => {
        const token = positions.seal(account, position)
        expect(positions.open(account, token)).toBe(position)
        fc.pre(account !== other)
        expect(positions.open(other, token)).toBeNull()
      }),
    )
  })

  it('look alike whatever they hold, and never the same', () => {
    const tokens = [0, 1, Number.MAX_SAFE_INTEGER, 1].map((position) => positions.seal('a', position))
    expect(new Set(tokens.map((token) => token.length))).toEqual(new Set([22]))
    expect(new Set(tokens).size).toBe(4)
  })

  it('are never given out again, however many are asked for', () => {
    const tokens = Array.from({ length: 1_000 }, () => positions.seal('a', 7))
    expect(new Set(tokens).size).toBe(1_000)
    for (const token of tokens) expect(positions.open('a', token)).toBe(7)
  })

  it('do not open when a single character differs', () => {
    const token = positions.seal('a', 12)
    for (let at = 0; at < token.length; at++) {
      const changed = token.slice(0, at) + (token[at] === 'A' ? 'B' : 'A') + token.slice(at + 1)
      expect(positions.open('a', changed)).toBeNull()
    }
  })

  it('do not open for any other text', () => {
    fc.assert(fc.property(fc.string(), (text) => positions.open('a', text) === null))
  })

  it('that former secrets sealed are known, and are sealed no more', () => {
    const [old, present] = ['the secret of before', 'the secret of today'] as const
    const [before, after] = [createPositions([old]), createPositions([present, 'none of both of them', old])]
    expect(after.open('a', before.seal('a', 7))).toBe(7)
    expect(before.open('a', after.seal('a', 7))).toBeNull()
    expect(createPositions([present]).open('a', before.seal('a', 7))).toBeNull()
  })

  it('need a secret that cannot be guessed', () => {
    expect(() => createPositions(['short'])).toThrow(RangeError)
  })
})
