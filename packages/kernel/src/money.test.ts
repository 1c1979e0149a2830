import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { formatUsd, fromUsdNumber, toUsdNumber, usd } from './money.ts'

describe('money', () => {
  test('is exact at the edge: 0.04 is 0.04', () => {
    expect(usd('0.04')).toBe(40_000_000n)
    expect(toUsdNumber(usd('0.03') + usd('0.01'))).toBe(0.04)
    expect(formatUsd(-usd('1.5'))).toBe('-1.5')
  })

  test('refuses what nano-dollars cannot hold', () => {
    for (const text of ['', '1.', '.5', '1e3', '0.0000000001', 'NaN', ' 1'])
      expect(() => usd(text)).toThrow(RangeError)
    expect(() => fromUsdNumber(0.0000000001)).toThrow(RangeError)
    expect(() => fromUsdNumber(Number.NaN)).toThrow(RangeError)
  })

  test('of a number is what the number prints', () => {
    expect(fromUsdNumber(1e-9)).toBe(1n)
    expect(fromUsdNumber(-0)).toBe(0n)
    expect(fromUsdNumber(100_000_000.123_456_79)).toBe(usd('100000000.12345679'))
    expect(() => fromUsdNumber(1e21)).toThrow(RangeError)
  })

  test('is written exactly, also where no number holds it', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: -9_000_000_000_000_000_000n, max: 9_000_000_000_000_000_000n }),
        (amount) => {
          expect(usd(formatUsd(amount))).toBe(amount)
          const written = JSON.stringify({ amount: toUsdNumber(amount) })
          expect(written).toMatch(/^\{"amount":-?\d+(\.\d+)?(e-\d)?\}$/)
          const text = written.slice('{"amount":'.length, -1)
          expect(text.includes('e') ? fromUsdNumber(Number(text)) : usd(text)).toBe(amount)
        },
      ),
    )
    expect(JSON.stringify([toUsdNumber(usd('100000000.123456789')), toUsdNumber(1n)])).toBe(
      '[100000000.123456789,1e-9]',
    )
  })

  test('survives the way out and back for every balance below a million dollars', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 999_999_999_999_999n }), (amount) => {
        expect(usd(formatUsd(amount))).toBe(amount)
        expect(fromUsdNumber(toUsdNumber(amount))).toBe(amount)
      }),
    )
  })
})
