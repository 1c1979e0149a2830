import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseJson, type UnusableJson } from './json-text.ts'

const problem = (text: string): [string, string] | null => {
  try {
    parseJson(text)
    return null
  } catch (error) {
    return [(error as UnusableJson).parameter, (error as UnusableJson).message]
  }
}

describe('parseJson', () => {
  it('reads all that JSON.stringify writes', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
        const text = JSON.stringify(value)
        fc.pre(!text.includes('\\u'))
        expect(parseJson(text)).toEqual(JSON.parse(text))
      }),
    )
  })

  it.each([
    ['{"a":1,"a":2}', ['a', 'is given twice']],
    ['{"a":1,"\\u0061":2}', ['a', 'is given twice']],
    ['[{"x":{"b":[],"b":{}}}]', ['b', 'is given twice']],
    ['{"a":"\\u0000"}', ['body', 'must not contain NUL characters']],
    ['{"\\u0000":1}', ['body', 'must not contain NUL characters']],
    ['["\\ud800"]', ['body', 'must not contain half a surrogate pair']],
    [`${'['.repeat(33)}${']'.repeat(33)}`, ['body', 'must not be nested deeper than 32']],
  ])('refuses %s', (text, expected) => {
    expect(problem(text)).toEqual(expected)
  })

  it.each([
    '{"a":"a","b":"a"}',
    '[{"a":1},{"a":1}]',
    '{"a":{"a":["a"]}}',
    '["\\u00e9","{\\"a\\":1,\\"a\\":1}"]',
    '"x"',
  ])('takes %s', (text) => {
    expect(problem(text)).toBeNull()
  })

  it('says where what is no JSON goes wrong', () => {
    expect(problem('{"a":')![1]).toMatch(/^must be JSON: /)
  })

  it('takes no more than linear time for a deep or a long text', () => {
    const started = performance.now()
    expect(problem('['.repeat(1_000_000))).not.toBeNull()
    expect(problem(`${'['.repeat(400_000)}${']'.repeat(400_000)}`)).not.toBeNull()
    expect(problem(`"${'\\"'.repeat(500_000)}"`)).toBeNull()
    // It takes less than a second; in quadratic time it would be hours.
    expect(performance.now() - started).toBeLessThan(30_000)
  })
})
