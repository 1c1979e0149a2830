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
    [`[${'1,'.repeat(49_999)}1]`, ['body', 'must have at most 50000 strings, brackets and commas']],
    ['"" '.repeat(50_001), ['body', 'must have at most 50000 strings, brackets and commas']],
  ])('refuses %s', (text, expected) => {
    expect(problem(text)).toEqual(expected)
  })

  it.each([
    '{"a":"a","b":"a"}',
    '[{"a":1},{"a":1}]',
    '{"a":{"a":["a"]}}',
    '["\\u00e9","{\\"a\\":1,\\"a\\":1}"]',
    '"x"',
    `[${'1,'.repeat(49_998)}1]`,
    '{"a\\\\":"\\\"","b":"\\\\\\\\"}',
  ])('takes %s', (text) => {
    expect(problem(text)).toBeNull()
  })

  it('says where what is no JSON goes wrong', () => {
    expect(problem('{"a":')![1]).toMatch(/^must be JSON: /)
  })

  const MIB = 1024 * 1024
  it.each([
    ['names', `{${Array.from({ length: 500_000 }, (_, at) => `"${at}":1`).join(',')}}`],
    ['brackets', '['.repeat(8 * MIB)],
    ['pairs of brackets', `[${'[],'.repeat(2 * MIB)}1]`],
    ['strings', `[${'"",'.repeat(2 * MIB)}1]`],
    ['strings without commas', '""'.repeat(4 * MIB)],
    ['closing brackets', ']'.repeat(8 * MIB)],
    ['escaped quotes', `"${'\\"'.repeat(4 * MIB)}"`],
    ['escaped quotes without an end', `"${'\\"'.repeat(4 * MIB)}`],
    ['escaped backslashes', `"${'\\\\'.repeat(4 * MIB)}"`],
    ['escaped letters', `"${'\\u0061'.repeat(MIB)}"`],
    ['one long string', `"${'x'.repeat(8 * MIB)}"`],
    ['spaces', `[${' '.repeat(8 * MIB)}]`],
    ['digits', '1'.repeat(8 * MIB)],
  ])('reads or refuses 8 MB of %s in no time', (_, text) => {
    const begun = process.cpuUsage()
    problem(text)
    const { user, system } = process.cpuUsage(begun)
    // Some 20 ms; what builds something from each of them takes a second, in quadratic time it would be hours.
    expect((user + system) / 1e3).toBeLessThan(500)
  })
})
