import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Json } from './events.ts'
import { canonicalJson } from './canonical-json.ts'

const json = fc.jsonValue({ maxDepth: 4 }) as fc.Arbitrary<Json>
const oddName = fc.constantFrom('10', '9', '__proto__', 'toJSON', '', 'é', '\ud83d\ude00', '\ufb33', 'a')
const odd = fc.dictionary(oddName, json) as fc.Arbitrary<Json>

describe('canonical JSON', () => {
  test('holds the same value, whatever the names', () => {
    fc.assert(
      fc.property(fc.oneof(json, odd), (value) => {
        expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)))
      }),
    )
  })

  test('is the same text for every order of the members', () => {
    const reversed = (value: Json): Json => {
      if (typeof value !== 'object' || value === null) return value
      if (Array.isArray(value)) return value.map(reversed)
      return Object.fromEntries(
        Object.entries(value)
          .reverse()
          .map(([name, member]) => [name, reversed(member)]),
      )
    }
    fc.assert(
      fc.property(fc.oneof(json, odd), (value) => {
        expect(canonicalJson(reversed(value))).toBe(canonicalJson(value))
      }),
    )
  })

  test.each([
    // From RFC 8785, 3.2.2 and 3.2.3.
    [
      {
        numbers: [333333333.3333333, 1e30, 4.5, 2e-3, 0.000000000000000000000000001],
        literals: [null, true, false],
      },
      '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27]}',
    ],
    [
      {
        '\u20ac': 'Euro',
        '\r': 'CR',
        '\ufb33': 'Dalet',
        '1': 'One',
        '\ud83d\ude00': 'Smiley',
        '\u0080': 'Control',
        ö: 'o',
      },
      '{"\\r":"CR","1":"One","\u0080":"Control","ö":"o","€":"Euro","😀":"Smiley","\ufb33":"Dalet"}',
    ],
    [{ '10': 1, '9': { b: 1, a: [-0] } }, '{"10":1,"9":{"a":[0],"b":1}}'],
    ['\u2028\u0000"\\\ud83d', '"\u2028\\u0000\\"\\\\\\ud83d"'],
    [{ gone: undefined, here: 1 } as unknown as Json, '{"here":1}'],
  ])('writes %j as the RFC does', (value, text) => {
    expect(canonicalJson(value)).toBe(text)
  })

  test.each([Number.NaN, Infinity, 1n, Symbol('s'), () => 1, [undefined]])('refuses %s', (value) => {
    expect(() => canonicalJson({ value } as unknown as Json)).toThrow(TypeError)
  })
})
